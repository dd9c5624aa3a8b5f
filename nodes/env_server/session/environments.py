"""The environments of a session: a world's batch, what it shows, and its primitive step.

Every primitive step goes through `Environments.tick`: decisions of a policy, macros, programs of
their own and prefixes alike. Environments of a batch are stepped together; those whose macro is
over stand still until the longest one has ended.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from messages.world import SeedRange
from nodes.env_server.frames import HEIGHT, WIDTH
from nodes.env_server.interface.choices import NOOP
from nodes.env_server.readings import Readings
from nodes.env_server.session.episodes import Episodes
from nodes.env_server.video_model import VideoModel
from nodes.env_server.worlds.world import Bools, World


class Camera(Protocol):
    """What films environment 0."""

    def wants_frame(self) -> bool: ...
    def add(self, rgb: np.ndarray) -> None: ...
    def close(self) -> None: ...


class Environments:
    """``actions`` (B, 8) is what the next step does, in the environments that it moves. ``counted``
    is told how many primitive steps were taken."""

    def __init__(
        self,
        world: World,
        seeds: SeedRange,
        film: Camera | None,
        counted: Callable[[int], None],
        model: VideoModel | None = None,
    ) -> None:
        self.world = world
        self.size = world.size
        self.film = film
        self.readings = Readings(world, model)
        self.episodes = Episodes(world.size, seeds)
        self.actions = np.tile(NOOP, (world.size, 1))
        self._counted = counted

    def tick(self, running: Bools) -> Bools:
        """One primitive step of ``actions``; who died in it."""
        self.world.step(self.actions, running)
        self.readings.forget(running)
        self._counted(int(np.count_nonzero(running)))
        if self.film is not None and running[0] and self.film.wants_frame():
            self.film.add(self.world.rgb(0, HEIGHT, WIDTH))
        return running & ((self.readings.life()[0] <= 0) | self.episodes.died_early)

    def lost(self, running: Bools) -> Bools:
        """Whose game was lost in the last step: the episode is cut off there."""
        lost = self.world.lost
        return running & lost if lost is not None else np.zeros(self.size, bool)

    def warm(self) -> None:
        """A world that compiles its kernels when they are first called does so here, where whoever
        opens a session waits for it, and not in the first step."""
        self.world.step(self.actions, np.zeros(self.size, bool))
        self.readings.forget()
        self.readings.warm()
