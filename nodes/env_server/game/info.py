"""MineDojo's ``info``: the raw state as the Java side tells it."""

from typing import TYPE_CHECKING, Any

import numpy as np

from models.rules import item_names
from nodes.env_server.worlds.embedded.surroundings import BIOME_OF, surroundings

if TYPE_CHECKING:
    from nodes.env_server.game.game import Game

EMPTY = {
    "name": "air",
    "variant": 0,
    "quantity": 0,
    "max_durability": -1,
    "cur_durability": -1,
    "inventory": "inventory",
}


def info_of(game: "Game") -> dict[str, Any]:
    player = game.player
    alive = bool(player["life"] > 0.0)
    return {
        "inventory": inventory_of(game),
        "stat": game.statistics.tree(),
        "achievement": game.statistics.achievements(),
        "world_time": game.time,
        "total_time": game.ticks,
        "biome_name": BIOME_OF[surroundings(game.world.state, 0).biome].name.replace("_", " "),
        "is_alive": alive,
        "is_dead": not alive,
        "living_death_event_fired": not alive,
    }


def inventory_of(game: "Game") -> list[dict[str, Any]]:
    """The 41 slots."""
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


def held_of(game: "Game") -> dict[str, int]:
    held: dict[str, int] = {}
    for item, count, _, _ in _rows(game):
        if item:
            name = item_names[item]
            held[name] = held.get(name, 0) + count
    return held


def _rows(game: "Game") -> list[list[int]]:
    """Item, count, variant and wear of each slot."""
    return game.world.state.slots[0].view(np.int32).reshape(-1, 4).tolist()
