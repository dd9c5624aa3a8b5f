"""Malmo's drawings: which block a variant is, and what is refused."""

import pytest

from voxeldojo.engine.scene.drawing import Blocks, Item, parse_drawing
from voxeldojo.engine.scene.markup import BadMarkup, parse


@pytest.mark.parametrize(
    ("block", "variant", "meta"),
    [
        ("planks", "birch", 2),
        ("planks", "acacia", 4),
        ("planks", "dark_oak", 5),
        ("sapling", "dark_oak", 5),
        ("log2", "dark_oak", 1),
        ("stone", "smooth_andesite", 6),
        ("double_stone_slab", "brick", 4),
        ("red_flower", "oxeye_daisy", 8),
        ("quartz_block", "lines", 2),
        ("brown_mushroom_block", "all_inside", 0),
        ("brown_mushroom_block", "stem", 10),
    ],
)
def test_a_variant_is_the_metadata_of_its_own_block(block: str, variant: str, meta: int) -> None:
    (found,) = parse_drawing(f'<DrawBlock x="1" y="2" z="3" type="{block}" variant="{variant}"/>')
    assert isinstance(found, Blocks)
    assert (found.meta, found.places) == (meta, [(1, 2, 3)])


def test_an_item_has_the_variants_of_its_own() -> None:
    (found,) = parse_drawing('<DrawItem x="1" y="2" z="3" type="planks" variant="dark_oak"/>')
    assert isinstance(found, Item)
    assert found.variant == 5


@pytest.mark.parametrize(
    ("shape", "sentence"),
    [
        (
            '<DrawBlock x="1" y="2" z="3" type="planks" variant="bich"/>',
            "DrawBlock: planks has no variant 'bich'; "
            "it has oak, spruce, birch, jungle, acacia, dark_oak",
        ),
        (
            '<DrawBlock x="1" y="2" z="3" type="log" variant="dark_oak"/>',
            "DrawBlock: log has no variant 'dark_oak'; it has oak, spruce, birch, jungle",
        ),
        (
            '<DrawItem x="1" y="2" z="3" type="diamond" variant="oak"/>',
            "DrawItem: diamond has no variant 'oak'; it has none",
        ),
        (
            '<DrawBlock x="1" y="2" z="3" type="stone"><DrawItem/></DrawBlock>',
            "DrawBlock has attributes, and no DrawItem",
        ),
        (
            '<DrawBlock x="1" y="2" z="3" type="stone"/> and so on',
            "a drawing is made of elements (DrawBlock, DrawCuboid, DrawLine, DrawSphere, "
            "DrawEntity, DrawItem), not 'and so on'",
        ),
    ],
)
def test_a_shape_that_there_is_not_is_refused_with_what_there_is(shape: str, sentence: str) -> None:
    with pytest.raises(BadMarkup) as refused:
        parse_drawing(shape)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"<!DOCTYPE a><a/>", "the XML has a document type, for which there is no use"),
        (b"<a>" * 17 + b"</a>" * 17, "the XML has more than 16 levels or 20000 elements"),
        (b"<a>", "the XML is not well-formed: no element found: line 1, column 3"),
    ],
)
def test_what_is_wrong_with_the_xml_is_said_once(text: bytes, sentence: str) -> None:
    with pytest.raises(BadMarkup) as refused:
        parse(text)
    assert str(refused.value) == sentence
