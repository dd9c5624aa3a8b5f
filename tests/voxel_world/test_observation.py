"""The observation dictionary against MineDojo's own: keys, types and shapes."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import voxeldojo  # noqa: F401 - registers the environments
from tests.voxel_world.arena import FLOOR, Arena

# Key, shape, type ("text" for names), as the real package's observation has them.
SCHEMA = """
damage_source/damage_amount        1        float32
damage_source/damage_distance      1        float32
damage_source/damage_pitch         1        float32
damage_source/damage_yaw           1        float32
damage_source/hunger_damage        1        float32
damage_source/is_explosion         -        bool
damage_source/is_fire_damage       -        bool
damage_source/is_magic_damage      -        bool
damage_source/is_projectile        -        bool
damage_source/is_unblockable       -        bool
delta_inv/dec_name_by_craft        4        text
delta_inv/dec_name_by_other        4        text
delta_inv/dec_quantity_by_craft    4        float32
delta_inv/dec_quantity_by_other    4        float32
delta_inv/inc_name_by_craft        1        text
delta_inv/inc_name_by_other        1        text
delta_inv/inc_quantity_by_craft    1        float32
delta_inv/inc_quantity_by_other    1        float32
equipment/cur_durability           6        float32
equipment/max_durability           6        float32
equipment/name                     6        text
equipment/quantity                 6        float32
equipment/variant                  6        int64
inventory/cur_durability           36       float32
inventory/max_durability           36       float32
inventory/name                     36       text
inventory/quantity                 36       float32
inventory/variant                  36       int64
life_stats/armor                   1        float32
life_stats/food                    1        float32
life_stats/is_sleeping             -        bool
life_stats/life                    1        float32
life_stats/oxygen                  1        float32
life_stats/saturation              1        float32
life_stats/xp                      1        float32
location_stats/biome_id            -        int64
location_stats/can_see_sky         -        bool
location_stats/is_raining          -        bool
location_stats/light_level         1        float32
location_stats/pitch               1        float32
location_stats/pos                 3        float32
location_stats/rainfall            1        float32
location_stats/sea_level           1        float32
location_stats/sky_light_level     1        float32
location_stats/sun_brightness      1        float32
location_stats/temperature         1        float32
location_stats/yaw                 1        float32
masks/action_arg                   8,1      bool
masks/action_type                  8        bool
masks/craft_smelt                  244      bool
masks/destroy                      36       bool
masks/equip                        36       bool
masks/place                        36       bool
nearby_tools/furnace               -        bool
nearby_tools/table                 -        bool
rays/block_distance                2        float32
rays/block_meta                    2        int64
rays/block_name                    2        text
rays/blocks_movement               2        bool
rays/can_burn                      2        bool
rays/entity_distance               2        float32
rays/entity_name                   2        text
rays/harvest_level                 2        int64
rays/is_liquid                     2        bool
rays/is_solid                      2        bool
rays/is_tool_not_required          2        bool
rays/ray_pitch                     2        float32
rays/ray_yaw                       2        float32
rays/traced_block_x                2        float32
rays/traced_block_y                2        float32
rays/traced_block_z                2        float32
rgb                                3,160,256 uint8
voxels/block_meta                  3,3,3    int64
voxels/block_name                  3,3,3    text
voxels/blocks_light                3,3,3    bool
voxels/blocks_movement             3,3,3    bool
voxels/can_burn                    3,3,3    bool
voxels/cos_look_vec_angle          3,3,3    float32
voxels/is_collidable               3,3,3    bool
voxels/is_liquid                   3,3,3    bool
voxels/is_solid                    3,3,3    bool
voxels/is_tool_not_required        3,3,3    bool
"""
SIDEWAYS = [(0.0, 0.0, 10.0), (0.0, np.pi / 2, 10.0)]


def flat(tree: dict[str, Any], path: str = "") -> dict[str, np.ndarray[Any, Any]]:
    leaves: dict[str, np.ndarray[Any, Any]] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            leaves.update(flat(value, f"{path}{key}/"))
        else:
            leaves[path + key] = value
    return leaves


def test_an_observation_has_minedojos_keys_shapes_and_types() -> None:
    arena = Arena({"use_lidar": True, "lidar_rays": SIDEWAYS}, inventory={"wooden_axe": 1})
    expected = {}
    for row in SCHEMA.strip().splitlines():
        key, shape, kind = row.split()
        sizes = () if shape == "-" else tuple(int(n) for n in shape.split(","))
        expected[key] = (sizes, kind)
    for _ in range(2):
        seen = {
            key: (value.shape, "text" if value.dtype.kind == "U" else str(value.dtype))
            for key, value in flat(arena.world.observation(0)).items()
        }
        assert seen == expected
        arena.do("attack")


def test_inventory_names_have_blanks_and_durability() -> None:
    arena = Arena(inventory={"wooden_axe": 1, "crafting_table": 2})
    inventory = arena.world.observation(0)["inventory"]
    assert inventory["name"][:3].tolist() == ["wooden axe", "crafting table", "air"]
    assert inventory["quantity"][:3].tolist() == [1.0, 2.0, 0.0]
    assert inventory["max_durability"][:3].tolist() == [59.0, -1.0, -1.0]
    assert inventory["cur_durability"][0] == 59.0


def test_voxels_are_in_ascending_order_around_the_feet() -> None:
    arena = Arena()
    arena.put(17, FLOOR, 16, "log", meta=2)  # +x
    arena.put(16, FLOOR + 1, 16, "glass")  # up
    arena.put(16, FLOOR, 15, "tallgrass")  # -z
    voxels = arena.world.observation(0)["voxels"]
    assert voxels["block_name"][2, 1, 1] == "wood"
    assert voxels["block_meta"][2, 1, 1] == 2
    assert voxels["block_name"][1, 2, 1] == "glass"
    assert voxels["block_name"][1, 1, 0] == "grass"
    assert not voxels["blocks_movement"][1, 1, 0]
    assert (voxels["block_name"][:, 0, :] == "stone").all()
    assert voxels["can_burn"][2, 1, 1]
    ids = arena.world.voxels(1)[0]
    names = np.array(arena.world.block_names)[ids]
    assert (names == voxels["block_name"]).all()


def test_lidar_yaw_is_inverted_in_the_dictionary_only() -> None:
    arena = Arena({"use_lidar": True, "lidar_rays": SIDEWAYS})
    arena.put(18, FLOOR + 1, 16, "glass")  # left of one who faces +z
    arena.put(14, FLOOR + 1, 16, "log")  # right
    rays = arena.world.observation(0)["rays"]
    assert rays["block_name"].tolist() == ["air", "glass"]
    assert rays["block_distance"][1] == pytest.approx(1.5)
    assert rays["traced_block_x"][1] == 18
    names, distances = arena.world.rays(np.array([[0.0, np.pi / 2]], np.float32), 10.0)
    assert arena.world.block_names[names[0, 0]] == "wood"
    assert distances[0, 0] == pytest.approx(1.5, abs=1e-5)
    down = arena.world.rays(np.array([[np.pi / 2, 0.0]], np.float32), 10.0)
    assert down[1][0, 0] == pytest.approx(1.62, abs=1e-5)


def test_the_crosshair_hits_small_blocks_only_where_they_are() -> None:
    arena = Arena()
    arena.put(16, FLOOR + 1, 18, "red_flower")
    arena.put(16, FLOOR + 1, 19, "log")
    ahead = np.zeros((1, 2), np.float32)
    assert arena.world.block_names[arena.world.rays(ahead, 4.5)[0][0, 0]] == "wood"
    arena.player["y"] = FLOOR - 0.2
    assert arena.world.block_names[arena.world.rays(ahead, 4.5)[0][0, 0]] == "flower"


def test_the_picture_shows_sky_above_stone_below_and_a_wall_of_dirt() -> None:
    arena = Arena()
    sky = arena.world.rgb(0, 80, 128).copy()
    assert sky.shape == (3, 80, 128)
    assert sky[2, 20, 64] > sky[0, 20, 64]  # blue above
    assert abs(int(sky[2, 70, 20]) - int(sky[0, 70, 20])) < 12  # grey stone below
    for y in range(3):
        arena.put(16, FLOOR + y, 18, "dirt")
    wall = arena.world.rgb(0, 80, 128)
    assert wall[0, 36, 60] > wall[2, 36, 60]  # brown
    with pytest.raises(ValueError, match="cannot be drawn"):
        arena.world.rgb(0, 0, 10)


@pytest.mark.parametrize(
    ("biome", "number", "temperature", "rainfall"),
    [("desert", 2, 2.0, 0.0), ("savanna", 35, 1.2, 0.0), ("cold_taiga", 30, -0.5, 0.4)],
)
def test_the_biome_and_its_climate_are_observed(
    biome: str, number: int, temperature: float, rainfall: float
) -> None:
    environment = gymnasium.make(
        "voxeldojo/HarvestLog-v0", biome=biome, area=32, image_size=(16, 24)
    )
    seen, _ = environment.reset(seed=1)
    assert environment.observation_space.contains(seen)
    environment.close()
    place = seen["location_stats"]
    assert place["biome_id"] == number
    assert (place["temperature"], place["rainfall"]) == pytest.approx((temperature, rainfall))
    assert place["can_see_sky"]
    assert place["sea_level"] == 63.0
