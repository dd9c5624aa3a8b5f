"""Training specs of the rules, filled in: what a policy sees, may do and is paid for.

Besides the braces of ``rules.fill``, a spec may name lists that come of the way to its goal, each
entry of them in turn: ``{sources}`` (blocks that are dug and mobs that are met), ``{crafts}``
(items that are made), ``{places}`` (stations that are put down), ``{hands}`` (tools and weapons).
"""

from collections.abc import Mapping, Sequence

import msgspec

from messages.world import Condition, RewardTerm
from models.planning import needs
from models.ways import MADE, Unreachable, easiest
from nodes.llm.rulebook import rules
from nodes.llm.rulebook.rules import BOOK, NOTHING, Spec

_NO_LISTS: dict[str, list[str]] = {"sources": [], "crafts": [], "places": [], "hands": []}


def spec(
    name: str, goal: Condition, inventory: Mapping[str, int] = NOTHING, book: str = BOOK
) -> Spec:
    """The spec of that name for a subtask with this success that begins with ``inventory``."""
    known = rules.rules(book).specs[name]
    lists = lists_of(goal, inventory, book)
    known = msgspec.structs.replace(
        known,
        actions=_listed(known.actions, lists),
        targets=_listed(known.targets, lists),
        rewards=_paid(known.rewards, lists),
    )
    return rules.fill(known, goal, inventory, book)


def lists_of(
    goal: Condition, inventory: Mapping[str, int], book: str = BOOK
) -> dict[str, list[str]]:
    """What is met, made, put down and held on the way to a goal; empty where there is no way."""
    found = {key: list[str]() for key in _NO_LISTS}
    total = inventory.get(goal.name, 0) + goal.quantity if goal.kind == "have" else 1
    try:
        steps = needs(goal.name, total, inventory) if goal.kind in ("have", "nearby") else []
    except Unreachable:
        steps = []
    for step in steps:
        way = step.way
        if way.how in MADE:
            found["crafts"].append(step.item)
        elif way.how == "dig":
            found["sources"].append(rules.dug_from(step.item, book) or way.of)
        else:
            found["sources"].append(way.of)
        if way.station:
            found["places"].append(way.station)
        if way.how == "use":
            found["hands"] += [item for item in way.uses if item not in found["hands"]]
        if way.tools:
            carried = [tool for tool in way.tools if inventory.get(tool, 0)]
            found["hands"].append((carried or [easiest(way.tools)])[-1])
    if goal.kind == "nearby":
        found["places"].append(goal.name)
    elif goal.kind in ("near", "facing"):
        found["sources"].append(goal.name)
    found["hands"] += [item for item in inventory if item.endswith("_sword")]
    return {key: list(dict.fromkeys(names)) for key, names in found.items()}


def _listed(entries: Sequence[str], lists: Mapping[str, list[str]]) -> list[str]:
    found: list[str] = []
    for entry in entries:
        key = next((key for key in lists if f"{{{key}}}" in entry), None)
        if key is None:
            found.append(entry)
        else:
            found += [entry.replace(f"{{{key}}}", name) for name in lists[key]]
    return list(dict.fromkeys(found))


def _paid(terms: Sequence[RewardTerm], lists: Mapping[str, list[str]]) -> list[RewardTerm]:
    return [
        msgspec.structs.replace(term, name=name)
        for term in terms
        for name in _listed([term.name], lists)
    ]
