"""What one tick adds to the statistics that tell of the body: distances, damage, deaths."""

import math
from typing import TYPE_CHECKING

from models.rules.mobs import MOB_IDS
from nodes.env_server.game.keys import Keys
from nodes.env_server.worlds.embedded.direct import direct
from nodes.env_server.worlds.embedded.grid import block_at

if TYPE_CHECKING:
    from nodes.env_server.game.game import Game

WATER = (8, 9)
CLIMBED = (65, 106)  # ladders and vines
MOUNTS = {"horse": "horse", "donkey": "horse", "mule": "horse", "pig": "pig"}
MOUNT_KINDS = {MOB_IDS[name]: counter for name, counter in MOUNTS.items()}
BLOCK_AT = direct(block_at)
NOTED = ("x", "y", "z", "jump_rest", "sleeping", "fall", "life")


class Journal:
    """Notes how things stand before a tick; ``write`` compares after it."""

    def __init__(self, game: "Game") -> None:
        self._game = game
        player = game.player
        self._before = {name: player[name] for name in NOTED}

    def write(self, keys: Keys) -> None:
        game, before = self._game, self._before
        player, statistics = game.player, game.statistics
        for name in ("play_one_minute", "time_since_death"):
            statistics.add(name)
        self._write_way(keys)
        if keys.gait == 2:
            statistics.add("sneak_time")
        if player["jump_rest"] == 10 and before["jump_rest"] < 10:
            statistics.add("jump")
        if player["sleeping"] > 0 and before["sleeping"] == 0:
            statistics.add("sleep_in_bed")
        if player["ground"] and before["fall"] >= 2.0:
            statistics.add("fall_one_cm", round(100.0 * float(before["fall"])))
        hurt = float(before["life"]) - float(player["life"])
        if hurt > 0.0:
            statistics.add("damage_taken", round(10.0 * hurt))
        if player["life"] <= 0.0 and not game.died:
            game.died = True
            statistics.add("deaths")
            statistics.set("time_since_death", 0)
            if player["attacker"] > 0:
                statistics.killed_by(int(player["attacker"]))

    def _write_way(self, keys: Keys) -> None:
        """The way of the tick under the one counter that the game keeps it by."""
        game, before = self._game, self._before
        player, state = game.player, game.world.state
        dx, dy, dz = (float(player[axis]) - float(before[axis]) for axis in "xyz")
        flat, whole = math.hypot(dx, dz), math.sqrt(dx * dx + dy * dy + dz * dz)
        x, z = math.floor(player["x"]), math.floor(player["z"])
        feet = BLOCK_AT(state, 0, x, math.floor(player["y"]), z)
        eyes = BLOCK_AT(state, 0, x, math.floor(float(player["y"]) + 1.62), z)
        if player["riding"] > 0:
            kind = int(state.mobs[0, int(player["riding"]) - 1]["kind"])
            way, name = whole, MOUNT_KINDS.get(kind, "boat")
        elif eyes in WATER:
            way, name = whole, "dive"
        elif feet in WATER:
            way, name = flat, "swim"
        elif feet in CLIMBED:
            way, name = max(0.0, dy), "climb"
        elif player["ground"]:
            name = "crouch" if keys.gait == 2 else "sprint" if player["sprinting"] else "walk"
            way = flat
        else:
            way, name = (flat, "fly") if flat > 0.25 else (0.0, "fly")
        if (centimetres := round(100.0 * way)) > 0:
            game.statistics.add(f"{name}_one_cm", centimetres)
