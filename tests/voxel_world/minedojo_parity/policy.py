"""A player with a little purpose, so that much happens in few steps: it digs up what is near, sets
up a workshop and crafts, and does odd things in between. It may look into the world it plays in."""

import math
from collections.abc import Generator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voxeldojo.minedojo_api import Environment
from voxeldojo.rules import CRAFTS, block_names

USE, DROP, ATTACK, CRAFT, EQUIP, PLACE, DESTROY = 1, 2, 3, 4, 5, 6, 7
MASK_OF = {EQUIP: "equip", PLACE: "place", DESTROY: "destroy"}
RADIUS = 6  # blocks, how far things to dig are looked for
DIGGABLE = (
    "wood", "leaves", "dirt", "grass block", "grass", "sand", "stone", "coal ore", "netherrack",
    "soul sand", "end stone",
)  # fmt: skip
WANTED = [block_names.index(name) for name in DIGGABLE]
EYES = 1.62

Seen = dict[str, Any]
Action = NDArray[np.int64]
Routine = Generator[Action, Seen, None]


class Player:
    """``choose``: the next action after an observation. ``wanted``: an item to craft, if it can."""

    def __init__(self, env: Environment, chance: np.random.Generator, wanted: str) -> None:
        self._env = env
        self._chance = chance
        self._wanted = [number for number, craft in enumerate(CRAFTS) if craft.item in wanted]
        self._routine: Routine | None = None

    def choose(self, seen: Seen) -> list[int]:
        action = None
        if self._routine is not None:
            try:
                action = self._routine.send(seen)
            except StopIteration:
                self._routine = None
        while action is None:
            self._routine = self._new_routine(seen)
            action = next(self._routine, None)
        return action.tolist()

    def _new_routine(self, seen: Seen) -> Routine:
        kind = self._chance.integers(6)
        if kind < 2:
            return self._dig_up()
        if kind < 4:
            return self._work()
        if kind == 4:
            return self._odd_functions(seen)
        return self._wander()

    def _wander(self) -> Routine:
        action = self._env.no_op()
        action[0], action[1] = self._chance.choice([1, 1, 0, 2]), self._chance.choice([0, 0, 1, 2])
        action[2] = self._chance.integers(4)
        action[5] = self._chance.choice([0, ATTACK])
        for _ in range(self._chance.integers(3, 12)):
            turned = action.copy()
            if self._chance.random() < 0.3:
                turned[3:5] += self._chance.integers(-2, 3, 2)
            yield turned

    def _dig_up(self) -> Routine:
        """Dig the nearest block of some kind, and walk to where it was."""
        world = self._env.unwrapped.game.world
        kind = int(self._chance.choice(WANTED))
        for _ in range(12):
            around = world.voxels(RADIUS)[0]
            found = np.argwhere(around == kind)
            if not len(found):
                return
            place = world.location()[0][0].astype(float)
            centres = np.floor(place) - RADIUS + found + 0.5
            away = centres - place - np.array([0.0, EYES, 0.0])
            target = away[np.argmin(np.linalg.norm(away, axis=1))]
            action = self._towards(target)
            action[5] = ATTACK
            if np.linalg.norm(target) > 3.0:
                action[0], action[2] = 1, 1
            yield action
        for _ in range(6):
            action = self._env.no_op()
            action[0] = 1
            yield action

    def _towards(self, target: NDArray[np.float64]) -> Action:
        _, yaws, pitches = self._env.unwrapped.game.world.location()
        yaw = math.degrees(math.atan2(-target[0], target[2])) - float(yaws[0])
        flat = math.hypot(target[0], target[2])
        pitch = math.degrees(math.atan2(-target[1], flat)) - float(pitches[0])
        action = self._env.no_op()
        action[3] += round(pitch / 15.0)
        action[4] += round(((yaw + 180.0) % 360.0 - 180.0) / 15.0)
        return action

    def _work(self) -> Routine:
        """Put down a table or a furnace where the crosshair is, and craft beside it."""
        down = self._env.no_op()
        pitch = float(self._env.unwrapped.game.world.location()[2][0])
        down[3] += round((45.0 - pitch) / 15.0)
        seen = yield down
        for name in self._chance.permutation(["crafting table", "furnace"]):
            slots = np.flatnonzero(seen["inventory"]["name"] == name)
            if len(slots):
                put = self._env.no_op()
                put[5], put[7] = PLACE, slots[0]
                seen = yield put
                break
        for _ in range(self._chance.integers(2, 7)):
            allowed = np.flatnonzero(seen["masks"]["craft_smelt"])
            if not len(allowed) or not seen["masks"]["action_type"][CRAFT]:
                return
            wanted = [number for number in allowed if number in self._wanted]
            at_station = allowed[allowed >= 54]
            choice = wanted or (at_station if len(at_station) else allowed)
            action = self._env.no_op()
            action[5], action[6] = CRAFT, self._chance.choice(choice)
            seen = yield action

    def _odd_functions(self, seen: Seen) -> Routine:
        """Whatever the masks allow, and crafts that they don't."""
        for _ in range(self._chance.integers(1, 4)):
            function = int(self._chance.choice(np.flatnonzero(seen["masks"]["action_type"])))
            action = self._env.no_op()
            action[0], action[5] = self._chance.integers(3), function
            if function in MASK_OF:
                slots = np.flatnonzero(seen["masks"][MASK_OF[function]])
                action[7] = self._chance.choice(slots)
            elif function in (0, CRAFT):
                action[5], action[6] = CRAFT, self._chance.integers(len(CRAFTS))
            seen = yield action
