"""Minecraft's two namings: items have registry names (``log``), blocks that are seen localised ones
(``wood``). What is called by the other one is never found, so a problem names the right one."""

from voxeldojo.names import near
from voxeldojo.rules import BIOMES, BLOCKS, block_names, item_names
from voxeldojo.rules.mobs import entity_names, mob_names

ITEMS, SEEN_BLOCKS = frozenset(item_names), frozenset(block_names)
MOBS = frozenset(entity_names[1:]) | frozenset(mob_names[1:])
_BIOMES = frozenset(biome.name for biome in BIOMES)
_REGISTERED = {block.name: block.localised for block in BLOCKS}
_LOCALISED = {block.localised: block for block in reversed(BLOCKS)}  # of several the first


def seen_name(name: str) -> str:
    """What a block with this registry name is called where it is seen: ``wood`` for ``log``. A name
    that is none stays as it is."""
    return _REGISTERED.get(name, name)


def mob_seen_as(name: str) -> str:
    """What a mob is called where it is seen, by the name that it is summoned by: ``pigzombie`` for
    ``zombie_pigman``. Any other name stays as it is."""
    return entity_names[mob_names.index(name)] if name and name in mob_names else name


def not_a_block(name: str) -> str:
    """Why a name is none of a block that is seen; empty if it is one."""
    if name in SEEN_BLOCKS:
        return ""
    return _named_otherwise(name) or f"there is no block called {name!r}{near(name, block_names)}"


def not_an_item(name: str) -> str:
    """Why a name is none of an item; empty if it is one."""
    if name in ITEMS:
        return ""
    if name in _LOCALISED:
        item = _item_of(name)
        return f"{name} is a block" + (f"; the item is {item}" if item else " and no item")
    if name in MOBS:
        return f"{name} is a mob and no item"
    other = _misspelt(name, "item", ITEMS)
    return other or f"there is no item {name!r}{near(name, item_names)}"


def not_a_mob(name: str) -> str:
    """Why a name is none of a mob; empty if it is one."""
    if name in MOBS:
        return ""
    if name in SEEN_BLOCKS | ITEMS:
        return f"{name} is {'a block' if name in SEEN_BLOCKS else 'an item'} and no mob"
    other = _misspelt(name, "mob", MOBS)
    return other or f"there is no mob {name!r}{near(name, sorted(MOBS))}"


def not_seen(name: str) -> str:
    """Why a name is none of what may be under the crosshair, a block or a mob; empty if it is."""
    if name in MOBS | SEEN_BLOCKS:
        return ""
    known = [*block_names, *sorted(MOBS)]
    other = _named_otherwise(name)
    return other or f"there is no block or mob called {name!r}{near(name, known)}"


def _named_otherwise(name: str) -> str:
    """What is called so although no block is; empty if nothing is."""
    if name in _REGISTERED:
        return f"{name} is an item; the block is called {_REGISTERED[name]}"
    if name in ITEMS:
        source = _dropped_by(name)
        return f"{name} is an item" + (f"; it comes from the block {source}" if source else "")
    if name in MOBS:
        return f"{name} is a mob and no block"
    if name in _BIOMES:
        return f"{name} is a biome and no block"
    return _misspelt(name, "block", SEEN_BLOCKS)


def _misspelt(name: str, kind: str, names: frozenset[str]) -> str:
    """Of a name that would be one with spaces as underscores, or the other way round."""
    for other in (name.replace(" ", "_"), name.replace("_", " ")):
        if other in names:
            return f"no {kind} is called {name}; it is {other}"
    return ""


def _item_of(localised: str) -> str:
    block = _LOCALISED[localised]
    if block.name in ITEMS:
        return block.name
    return next((drop[0] for drop in block.drops if drop[0] in ITEMS), "")


def _dropped_by(item: str) -> str:
    dropping = (b.localised for b in BLOCKS if any(drop[0] == item for drop in b.drops))
    return next(dropping, "")
