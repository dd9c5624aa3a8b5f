"""What an agent looks for, counts and may do in a task, by default: read from the
rules, by the ways that lead to what the task wants."""

from collections.abc import Mapping, Sequence

import msgspec

from voxeldojo.actions import PRIMITIVES, check_item
from voxeldojo.rules import BLOCKS
from voxeldojo.rules.mobs import mob_names
from worlds.card import Unreachable
from worlds.common.ways import Way
from worlds.minecraft.card.features import ITEM_SLOTS
from worlds.minecraft.card.ways import MADE, PLACES, easiest, open_ways, way_to

LOCALISED = {block.name: block.localised for block in BLOCKS}


class Suggestion(msgspec.Struct, frozen=True, kw_only=True):
    """``targets``: localised names of blocks, and mobs. ``items``: those that are counted.
    ``actions``: as voxeldojo/actions.py names them."""

    targets: list[str]
    items: list[str]
    actions: list[str]


def suggestion(wanted: Sequence[str], inventory: Mapping[str, int]) -> Suggestion:
    """``wanted``: items to have, or mobs to hunt. ``inventory``: what there is from the start."""
    targets: dict[str, None] = {}
    items: dict[str, None] = {}
    made: dict[str, None] = {}
    hands: dict[str, None] = {}
    chosen = open_ways(inventory)
    waiting = list(wanted)
    while waiting:
        name = waiting.pop(0)
        if name in items or name in targets:
            continue
        if name in mob_names:
            targets[name] = None
            continue
        items[name] = None
        if name in inventory and name not in wanted:
            continue  # there is nothing to look for
        try:
            way = way_to(name, chosen)
        except Unreachable:
            continue  # then it is found somewhere, if at all
        if way.how in MADE:
            made[f"craft:{name}"] = None
        elif way.of:
            targets[LOCALISED.get(way.of, way.of)] = None
        waiting += _needs(way, inventory, hands)
    for item in inventory:
        items.setdefault(item)
        hands.setdefault(f"equip:{item}")
    return Suggestion(
        targets=list(targets),
        items=[name for name in items if name not in PLACES][:ITEM_SLOTS],
        actions=[*PRIMITIVES, *made, *filter(_possible, hands)],
    )


def _needs(way: Way, inventory: Mapping[str, int], hands: dict[str, None]) -> list[str]:
    """What the way takes, and into ``hands`` what is done with it."""
    needs = list(way.uses)
    if way.tools:
        tool = next((tool for tool in way.tools if tool in inventory), easiest(way.tools))
        needs.append(tool)
        hands[f"equip:{tool}"] = None
    if way.how in ("use", "fill"):
        hands.update(dict.fromkeys(f"equip:{used}" for used in way.uses))
    if way.station:
        needs.append(way.station)
        hands[f"place:{way.station}"] = None
    return needs


def _possible(action: str) -> bool:
    verb, _, item = action.partition(":")
    try:
        check_item(verb, item)
    except ValueError:
        return False
    return True
