"""The descriptions of flat worlds, as Minecraft's superflat presets have them."""

import numpy as np
import pytest

from voxeldojo.engine.terrain.flat_worlds import parse_flat


def test_layers_lie_on_each_other_from_the_bottom():
    layers, biome = parse_flat("3;minecraft:bedrock,2*dirt:1,2;4;village")
    assert layers[:, :5].tolist() == [[7, 3, 3, 2, 0], [0, 1, 1, 0, 0]]
    assert not layers[:, 5:].any()
    assert biome == 4


def test_what_is_left_out_has_the_games_values():
    classic, plains = parse_flat("")
    assert classic[0, :5].tolist() == [7, 3, 3, 2, 0]
    older, _ = parse_flat("7,2x3,2")  # before there was a version
    assert np.array_equal(older, classic)
    assert plains == parse_flat("3;7;")[1] == 1


@pytest.mark.parametrize(
    ("description", "why"),
    [
        ("4;7;1", "the version of '4;7;1' is 2 or 3"),
        ("3;;1", "a layer is COUNT"),
        ("3;7,,2;1", "a layer is COUNT"),
        ("3;moon;1", "there is no block 'moon'"),
        ("3;254;1", "there is no block '254'"),
        ("3;wool:16;1", "there is no block 'wool:16'"),
        ("3;7,300*3;1", "is the most here"),
        ("3;7;99", "no biome has the id '99'"),
        ("3;7;" + "1" * 5000, "no biome has the id '11111"),  # int() refuses so many digits
    ],
)
def test_a_description_that_is_wrong_is_refused_by_its_part(description: str, why: str):
    with pytest.raises(ValueError, match="flat_world_seed_string") as refused:
        parse_flat(description)
    assert why in str(refused.value)
