"""Malmo's drawings: blocks, cuboids, lines, spheres, items and mobs, as XML."""

import math
from collections.abc import Iterator
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from voxeldojo.engine.batch import Batch
from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.mobs.placing import place_mob
from voxeldojo.engine.scene.markup import BadMarkup, Element, parse
from voxeldojo.engine.state import HEIGHT
from voxeldojo.names import near
from voxeldojo.rules import BLOCKS, ITEMS, item_id
from voxeldojo.rules.mobs import MOB_IDS

BLOCK_IDS = {block.name: block.id for block in BLOCKS}
COLOURS = (
    "WHITE", "ORANGE", "MAGENTA", "LIGHT_BLUE", "YELLOW", "LIME", "PINK", "GRAY", "SILVER", "CYAN",
    "PURPLE", "BLUE", "BROWN", "GREEN", "RED", "BLACK",
)  # fmt: skip
VARIANTS = {item.name: item.variants for item in ITEMS}
# Of these the place in the list is not the metadata: BlockHugeMushroom.EnumType.
MUSHROOMS = ("brown_mushroom_block", "red_mushroom_block")
MUSHROOM_METAS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 14, 15)
SHAPES = ("DrawBlock", "DrawCuboid", "DrawLine", "DrawSphere", "DrawEntity", "DrawItem")
MOST = 1_000_000  # blocks of one drawing


class Blocks(NamedTuple):
    """Places that get the same block."""

    block: int
    meta: int
    places: list[tuple[int, int, int]]


class Entity(NamedTuple):
    kind: int  # row of Rules.mob
    place: tuple[float, float, float]
    yaw: float


class Item(NamedTuple):
    item: int
    variant: int
    place: tuple[float, float, float]


Drawing = list[Blocks | Entity | Item]


def drawing_of(element: Element) -> str:
    """The text of a DrawingDecorator. MineDojo writes its shapes as escaped text, Malmo writes them
    as elements; both are accepted."""
    if not element.children:
        return element.text
    shapes = []
    for child in element.children:
        given = "".join(f" {name}={quoteattr(value)}" for name, value in child.attributes.items())
        shapes.append(f"<{child.name}{given}/>")
    return "".join(shapes)


def parse_drawing(text: str) -> Drawing:
    """The shapes in order; a later one replaces what an earlier one drew.

    Raises:
        BadMarkup: not XML, text beside the shapes, an unknown shape, block, item or mob, or too
            many blocks.
    """
    found: Drawing = []
    count = 0
    root = parse(f"<Drawing>{text}</Drawing>".encode(errors="surrogatepass"))
    _check_no_text(root)
    for shape in root.children:
        if shape.name not in SHAPES:
            raise BadMarkup(f"a drawing has no {shape.name[:40]}; it has {', '.join(SHAPES)}")
        _check_no_text(shape)
        if shape.children:
            raise BadMarkup(f"{shape.name} has attributes, and no {shape.children[0].name[:40]}")
        if shape.name == "DrawEntity":
            found.append(_entity(shape))
        elif shape.name == "DrawItem":
            found.append(_item(shape))
        else:
            block, meta = _block(shape)
            places = []
            for place in PLACES[shape.name](shape):
                count += 1
                if count > MOST:
                    raise BadMarkup(f"a drawing has {MOST} blocks at most")
                places.append(place)
            found.append(Blocks(block, meta, places))
    return found


def _check_no_text(element: Element) -> None:
    if text := element.text.strip():
        raise BadMarkup(f"a drawing is made of elements ({', '.join(SHAPES)}), not {text[:40]!r}")


def draw(world: Batch, w: int, drawing: Drawing) -> None:
    """Put a drawing into the window of one environment; parts outside are left out."""
    state, rules = world.state, world.rules
    for shape in drawing:
        if isinstance(shape, Blocks):
            for x, y, z in shape.places:
                if 0 <= y < HEIGHT:
                    set_block(state, rules, w, x, y, z, shape.block, shape.meta)
        elif isinstance(shape, Entity):
            number = place_mob(state, rules, w, shape.kind, *shape.place)
            if number >= 0:
                state.mobs[w, number]["yaw"] = shape.yaw
        else:
            world.lay_item(w, shape.item, shape.variant, shape.place)


def _block(shape: Element) -> tuple[int, int]:
    name = shape.attributes.get("type", "").removeprefix("minecraft:")
    if name not in BLOCK_IDS:
        raise BadMarkup(f"{shape.name}: there is no block {name[:40]!r}{near(name, [*BLOCK_IDS])}")
    return BLOCK_IDS[name], _meta(shape, name)


def _meta(shape: Element, name: str) -> int:
    colour, variant = shape.attributes.get("colour"), shape.attributes.get("variant")
    if colour is not None:
        if colour not in COLOURS:
            raise BadMarkup(f"{shape.name}: there is no colour {colour[:40]!r}")
        return COLOURS.index(colour)
    if variant is None:
        return 0
    # A double slab has the variants of its slab, which is an item.
    known = VARIANTS.get(name.removeprefix("double_"), [])
    if variant not in known:
        has = f"it has {', '.join(dict.fromkeys(known))}" if known else "it has none"
        raise BadMarkup(f"{shape.name}: {name} has no variant {variant[:40]!r}; {has}")
    place = known.index(variant)
    return MUSHROOM_METAS[place] if name in MUSHROOMS else place


def _entity(shape: Element) -> Entity:
    # Malmo's names are those of the game before 1.11: "Cow", "PigZombie", "CaveSpider".
    given = shape.attributes.get("type", "")
    name = "".join(f"_{c.lower()}" if c.isupper() else c for c in given).lstrip("_")
    name = {"pig_zombie": "zombie_pigman", "lava_slime": "magma_cube", "ozelot": "ocelot",
            "mushroom_cow": "mooshroom"}.get(name, name)  # fmt: skip
    if name not in MOB_IDS:
        raise BadMarkup(f"DrawEntity: there is no mob {given[:40]!r}{near(name, [*MOB_IDS])}")
    place = _number(shape, "x"), _number(shape, "y"), _number(shape, "z")
    return Entity(MOB_IDS[name], place, _number(shape, "yaw", 0.0))


def _item(shape: Element) -> Item:
    name = shape.attributes.get("type", "").removeprefix("minecraft:")
    item = item_id(name)
    if item == 0:
        raise BadMarkup(f"DrawItem: there is no item {name[:40]!r}")
    x, y, z = (_whole(shape, axis) for axis in "xyz")
    return Item(item, _meta(shape, name), (x + 0.5, float(y), z + 0.5))


def _one(shape: Element) -> Iterator[tuple[int, int, int]]:
    yield _whole(shape, "x"), _whole(shape, "y"), _whole(shape, "z")


def _cuboid(shape: Element) -> Iterator[tuple[int, int, int]]:
    spans = []
    for axis in "xyz":
        a, b = _whole(shape, f"{axis}1"), _whole(shape, f"{axis}2")
        spans.append(range(min(a, b), max(a, b) + 1))
    for x in spans[0]:
        for y in spans[1]:
            for z in spans[2]:
                yield x, y, z


def _line(shape: Element) -> Iterator[tuple[int, int, int]]:
    ends = [(_whole(shape, f"{axis}1"), _whole(shape, f"{axis}2")) for axis in "xyz"]
    steps = max(abs(b - a) for a, b in ends) or 1
    for step in range(steps + 1):
        x, y, z = (math.floor(a + (b - a) * step / steps + 0.5) for a, b in ends)
        yield x, y, z


def _sphere(shape: Element) -> Iterator[tuple[int, int, int]]:
    x, y, z = (_whole(shape, axis) for axis in "xyz")
    radius = _whole(shape, "radius")
    if not 0 <= radius <= HEIGHT:
        raise BadMarkup(f"DrawSphere: a radius is from 0 to {HEIGHT}, not {radius}")
    for dx in range(-radius, radius + 1):
        for dy in range(-radius, radius + 1):
            for dz in range(-radius, radius + 1):
                if dx * dx + dy * dy + dz * dz <= radius * radius:
                    yield x + dx, y + dy, z + dz


PLACES = {"DrawBlock": _one, "DrawCuboid": _cuboid, "DrawLine": _line, "DrawSphere": _sphere}


def _whole(shape: Element, name: str) -> int:
    return int(_number(shape, name))


def _number(shape: Element, name: str, default: float = math.nan) -> float:
    text = shape.attributes.get(name)
    try:
        value = default if text is None else float(text[:32])
    except ValueError:
        value = math.nan
    if not abs(value) <= 30_000_000:
        raise BadMarkup(f"{shape.name}: {name} is no number: {str(text)[:40]!r}")
    return value
