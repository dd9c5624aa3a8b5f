"""How a policy meets a session: an interface, made ready for a world."""

import numpy as np

from messages.world import Interface, Task
from nodes.env_server.interface.choices import Choices
from nodes.env_server.interface.rewards import Rewards
from nodes.env_server.video_model import VideoModel, check
from worlds.play import Bools, Floats, Play, World


class Stage:
    """One interface under way. ``steps`` counts the primitive steps spent in it, ``over`` says
    where it is over, ``previous`` is the last choice (-1: none yet); all (B,).

    Raises:
        ValueError: the interface names what there is not; the sentence says what there is.
    """

    def __init__(
        self,
        interface: Interface,
        task: Task,
        play: Play,
        world: World,
        model: VideoModel | None = None,
    ) -> None:
        if interface.horizon < 1:
            raise ValueError(f"a stage's horizon is at least 1 step, not {interface.horizon}")
        if not 0 < interface.gamma <= 1:
            raise ValueError(f"gamma is above 0 and at most 1, not {interface.gamma}")
        self.assistant = play.assistant(interface.success, world) if interface.autocraft else None
        check(interface, model, world.size, self.assistant.steps if self.assistant else 0)
        self.interface = interface
        self.choices = Choices(interface, play, world)
        self.rewards = Rewards(interface.rewards, play, world, model)
        self.judge = play.judge(interface.success, world)
        self.features = play.features(interface, task, len(self.choices.names), world)
        self.steps = np.zeros(world.size, np.int64)
        self.over = np.zeros(world.size, bool)
        self.previous = np.full(world.size, -1, np.int64)

    def begin(self, rows: Bools) -> None:
        """Nothing has happened yet in ``rows`` (B,). What the rewards compare with is told apart,
        for a policy that leads on is not paid."""
        self.steps[rows] = 0
        self.over[rows] = False
        self.previous[rows] = -1

    def time(self) -> Floats:
        """Share of the horizon that is spent, (B,)."""
        return (self.steps / self.interface.horizon).astype(np.float32)
