"""A batch of Crafter's environments, side by side."""

import numpy as np
from numpy.typing import NDArray

from worlds.crafter.card.crafter_names import ACTIONS, MATERIALS
from worlds.crafter.play.package_game import Game
from worlds.crafter.play.remembered_ground import Memory
from worlds.crafter.play.sight import Sight, sight_of
from worlds.play import Bools, Ints, World

_HURTING = {"zombie": "zombie", "arrow": "arrow", "skeleton": "arrow"}


class CrafterWorld(World):
    """``size`` games. An action is its number, (B, 1)."""

    OPTIONS: tuple[str, ...] = ()

    def __init__(self, size: int) -> None:
        self.size = size
        self.lost: Bools | None = None
        self._games = [Game() for _ in range(size)]
        self._memories = [Memory() for _ in range(size)]
        self._sights: list[Sight | None] = [None] * size

    def reset(self, environments: Ints, seeds: Ints) -> None:
        """Begin a new episode in each named environment. A seed gives the same episode always."""
        for row, seed in zip(environments.tolist(), seeds.tolist(), strict=True):
            self._games[row].reset(seed)
            self._memories[row] = Memory()
            self._look(row)

    def step(self, actions: Ints, active: Bools) -> None:
        """Take the action (B, 1) in each active environment.

        Raises:
            ValueError: an action out of range, of another shape, or no whole number.
        """
        if actions.shape != (self.size, 1):
            raise ValueError(f"actions are ({self.size}, 1), not {actions.shape}")
        if actions.dtype.kind not in "iu":
            raise ValueError(f"actions are whole numbers, not {actions.dtype}")
        chosen = actions[active, 0]
        if ((chosen < 0) | (chosen >= len(ACTIONS))).any():
            raise ValueError(f"actions are 0 to {len(ACTIONS) - 1}")
        for row in np.flatnonzero(active).tolist():
            action, before = int(actions[row, 0]), self.sight(row)
            self._games[row].step(action)
            self._memories[row].moved(action, before.things, before.sleeping, before.energy)
            self._look(row)

    def _look(self, row: int) -> None:
        self._sights[row] = sight_of(self._games[row], self._memories[row])

    def sight(self, row: int) -> Sight:
        """What the player of an environment sees now."""
        sight = self._sights[row]
        if sight is None:  # no episode was begun: a world takes long to be made, so not before
            self.reset(np.array([row]), np.array([row]))
            return self.sight(row)
        return sight

    def rgb(self, environment: int, height: int = 64, width: int = 64) -> NDArray[np.uint8]:
        """The picture, (3, height, width). Larger ones are the same picture with larger dots."""
        self.sight(environment)  # begins an episode if there is none
        picture = self._games[environment].picture()
        if picture.shape[:2] != (height, width):
            rows = np.arange(height) * picture.shape[0] // height
            columns = np.arange(width) * picture.shape[1] // width
            picture = picture[rows][:, columns]
        return np.ascontiguousarray(picture.transpose(2, 0, 1))

    def cause_of_death(self, environment: int) -> str:
        """The cause of death by the last view: the ground, what stood near, what was used up; empty
        while it lives."""
        sight = self.sight(environment)
        if sight.health > 0:
            return ""
        memory = sight.memory
        if MATERIALS[memory.ground[memory.x, memory.y]] == "lava":
            return "lava"
        for creature in sight.creatures:
            kind = creature.name.split()[0]
            if kind in _HURTING and abs(creature.dx) + abs(creature.dy) <= 1:
                return _HURTING[kind]
        if min(sight.food, sight.drink, sight.energy) == 0:
            return "hunger, thirst or lack of sleep"
        return "arrow"  # which is gone once it has hit

    def close(self) -> None:
        """There is nothing to let go of."""
