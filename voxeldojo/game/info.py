"""MineDojo's ``info``: the raw state as its Java side sends it."""

from typing import Any

import numpy as np

from voxeldojo.engine.observation.surroundings import BIOME_OF, surroundings
from voxeldojo.game.single_world import SingleWorld
from voxeldojo.rules import item_names

WAYS = tuple(
    f"{way}_one_cm"
    for way in (
        "walk", "crouch", "sprint", "swim", "fall", "climb", "fly", "dive", "minecart", "boat",
        "pig", "horse", "aviate",
    )
)  # fmt: skip
EMPTY = {
    "name": "air",
    "variant": 0,
    "quantity": 0,
    "max_durability": -1,
    "cur_durability": -1,
    "inventory": "inventory",
}


def info_of(game: SingleWorld) -> dict[str, Any]:
    player = game.player
    alive = bool(player["life"] > 0.0)
    stat = game.statistics.tree()
    return {
        "name": "MineDojoAgent0",
        "score": int(player["xp"]),
        "distance_travelled_cm": sum(stat[way] for way in WAYS),
        "inventory": inventory_of(game),
        "current_item_index": game.selected,
        "stat": stat,
        "achievement": game.statistics.achievements(),
        "world_time": game.time,
        "total_time": game.ticks,
        "biome_name": BIOME_OF[surroundings(game.world.state, 0).biome].name.replace("_", " "),
        "is_alive": alive,
        "is_dead": not alive,
        "living_death_event_fired": not alive,
    }


def java_names_of(seen: dict[str, Any]) -> dict[str, Any]:
    """The numbers of an observation under the names of the Java side."""
    life, place, tools = seen["life_stats"], seen["location_stats"], seen["nearby_tools"]
    x, y, z = place["pos"].tolist()
    return {
        "life": life["life"].item(),
        "armor": life["armor"].item(),
        "food": life["food"].item(),
        "saturation": life["saturation"].item(),
        "xp": life["xp"].item(),
        "air": life["oxygen"].item(),
        "is_sleeping": life["is_sleeping"].item(),
        "xpos": x,
        "ypos": y,
        "zpos": z,
        "yaw": place["yaw"].item(),
        "pitch": place["pitch"].item(),
        "biome_id": place["biome_id"].item(),
        "biome_temperature": place["temperature"].item(),
        "biome_rainfall": place["rainfall"].item(),
        "sea_level": place["sea_level"].item(),
        "light_level": place["light_level"].item(),
        "is_raining": place["is_raining"].item(),
        "can_see_sky": place["can_see_sky"].item(),
        "sun_brightness": place["sun_brightness"].item(),
        "sky_light_level": place["sky_light_level"].item(),
        "nearby_crafting_table": tools["table"].item(),
        "nearby_furnace": tools["furnace"].item(),
    }


def inventory_of(game: SingleWorld) -> list[dict[str, Any]]:
    """The 41 slots as the info lists them."""
    durability = game.world.rules.item["durability"]
    found = []
    for item, count, variant, wear in _rows(game):
        if item == 0:
            found.append(EMPTY.copy())
            continue
        most = int(durability[item])
        found.append(
            {
                "name": item_names[item],
                "variant": variant,
                "quantity": count,
                "max_durability": most if most > 0 else -1,
                "cur_durability": most - wear if most > 0 else -1,
                "inventory": "inventory",
            }
        )
    return found


def held_of(game: SingleWorld) -> dict[str, int]:
    held: dict[str, int] = {}
    for item, count, _, _ in _rows(game):
        if item:
            name = item_names[item]
            held[name] = held.get(name, 0) + count
    return held


def _rows(game: SingleWorld) -> list[list[int]]:
    """Item, count, variant and wear of each slot, in the order of the player's inventory."""
    rows = game.world.state.slots[0].view(np.int32).reshape(-1, 4).tolist()
    selected = game.selected
    rows[0], rows[selected] = rows[selected], rows[0]
    return rows
