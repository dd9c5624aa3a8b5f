"""One primitive step of a batch, what it counts for, and which episodes and stages end with it.

Every primitive step goes through `Steps.tick`: decisions of a policy, macros, programs of their own
and prefixes alike. Environments of a batch are stepped together; those whose macro is over stand
still until the longest one has ended.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

import worlds
from messages.world import OpenSession, Stepped, View
from nodes.env_server.filmed_steps import HEIGHT, WIDTH
from nodes.env_server.interface.stage import InterfaceStage
from nodes.env_server.programs.part_clock import CLOCK, FILM, WORLD
from nodes.env_server.session.records import DEATH, HORIZON, SUCCESS, Episodes, Photographer
from nodes.env_server.video_model import VideoModel
from worlds.play import Bools, Ints, Judge, World


class Camera(Protocol):
    """What films environment 0."""

    def wants_frame(self) -> bool: ...
    def add(self, rgb: np.ndarray) -> None: ...
    def close(self) -> None: ...


class Watcher(Protocol):
    """Who looks at environment 0 while it is played."""

    def wants_sight(self) -> bool: ...
    def show(self, steps: int, view: View, picture: np.ndarray, above: np.ndarray) -> None: ...


class Ended(NamedTuple):
    """The n episodes (or turns of a guard that is trained) that one decision ended."""

    rows: Ints  # their environments, (n,)
    features: np.ndarray  # what was seen last, (n, F)
    returns: np.ndarray  # undiscounted, (n,)
    lengths: Ints  # primitive steps, (n,)


class DecisionOutcome:
    """The outcome of one decision, summed over its primitive steps; the reward with ``gamma`` to
    the power of the step."""

    def __init__(self, size: int, gamma: float) -> None:
        self._gamma = gamma
        self._discount = np.ones(size, np.float32)
        self.reward = np.zeros(size, np.float32)
        self.steps = np.zeros(size, np.int64)
        self.terminated = np.zeros(size, bool)
        self.truncated = np.zeros(size, bool)
        self.success = np.zeros(size, bool)

    def add(
        self, reward: np.ndarray, ran: Bools, terminated: Bools, truncated: Bools, success: Bools
    ) -> None:
        self.reward += self._discount * reward
        self._discount[ran] *= self._gamma
        self.steps += ran
        self.terminated |= terminated
        self.truncated |= truncated
        self.success |= success

    def reply(self, features: np.ndarray, mask: Bools, ended: Ended, prefix_steps: int) -> Stepped:
        """The reply to the decision. ``features`` (B, F), ``mask`` (B, C): for the next one;
        ``prefix_steps``: see `Stepped`."""
        return Stepped(
            features=features,
            mask=mask,
            reward=self.reward,
            steps=self.steps,
            terminated=self.terminated,
            truncated=self.truncated,
            success=self.success,
            final_rows=ended.rows,
            final_features=ended.features,
            final_returns=ended.returns,
            final_lengths=ended.lengths,
            prefix_steps=prefix_steps,
        )


class Steps:
    """``actions`` (B, A) is what the next step does, in the environments that it moves.

    After `tick` one of the methods ``of_...`` is called with where a step was taken and where the
    player died, both (B,), counts the step, and returns where it was the last one: of an episode,
    of a policy's stage, of what is played before an episode begins. With the request's
    ``autoreset`` a stage is the episode. ``counted`` is called with the number of primitive steps
    taken.

    Raises:
        ValueError: the task, or the pictures asked for, name what there is not.
    """

    def __init__(
        self,
        request: OpenSession,
        world: World,
        film: Camera | None = None,
        counted: Callable[[int], None] = lambda steps: None,
        model: VideoModel | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        self.play = play = worlds.play(request.task.game)
        self.world = world
        self.size = world.size
        self.readings = play.readings(world, model)
        self.episodes = Episodes(world.size, request.seeds, play, request.first, request.batch)
        self.actions = np.tile(play.noop, (world.size, 1))
        self.photographer: Photographer | None = None
        if request.pictures is not None:
            self.photographer = Photographer(request.pictures, world)
        self._film = film
        self._watcher = watcher
        self._counted = counted
        self._success = play.judge(request.task.success, world)
        self._horizon = request.task.horizon
        self._autoreset = request.autoreset

    def warm(self) -> None:
        """A world that compiles its kernels when they are first called does so here, where the
        user of a new session waits for it, and not in the first step."""
        part = CLOCK.switch(WORLD)
        self.world.step(self.actions, np.zeros(self.size, bool))
        self.readings.forget()
        self.readings.warm()
        CLOCK.switch(part)

    def tick(self, running: Bools) -> Bools:
        """One primitive step of ``actions`` in the rows ``running`` (B,); where the player died in
        it, (B,)."""
        part = CLOCK.switch(WORLD)
        self.world.step(self.actions, running)
        CLOCK.switch(part)
        self.readings.forget(running)
        self._counted(int(np.count_nonzero(running)))
        if self._film is not None and running[0] and self._film.wants_frame():
            part = CLOCK.switch(FILM)
            self._film.add(self.world.rgb(0, HEIGHT, WIDTH))
            CLOCK.switch(part)
        if self._watcher is not None and running[0] and self._watcher.wants_sight():
            part = CLOCK.switch(FILM)
            self._watcher.show(
                int(self.episodes.steps[0]),
                self.play.view(self.readings, 0),
                self.world.rgb(0, HEIGHT, WIDTH),
                self.play.above(self.world, 0),
            )
            CLOCK.switch(part)
        return running & (~self.readings.alive() | self.episodes.died_early)

    def of_prefix(self, running: Bools, dead: Bools) -> Bools:
        """A program before the episode begins."""
        self.episodes.died_early |= dead
        return dead

    def of_episode(self, running: Bools, dead: Bools) -> Bools:
        """Episodes that are over are ended."""
        episodes = self.episodes
        episodes.steps[running] += 1
        success = running & ~dead & self._holds(self._success)
        late = running & ~dead & ~success & (episodes.steps >= self._horizon)
        late |= self._lost(running)
        for rows, how in ((dead, DEATH), (success, SUCCESS), (late, HORIZON)):
            if rows.any():
                episodes.end(rows, how, self.readings)
        over = dead | success | late
        if self.photographer is not None:
            self.photographer.step(running, over)
        return over

    def at_rest(self, rows: Bools) -> None:
        """A program has come to its end: where it took no step, as nothing was left to be done, the
        episode is over all the same."""
        episodes = self.episodes
        alive = self.readings.alive() & ~episodes.died_early
        done = rows & ~episodes.over & alive & self._holds(self._success)
        if done.any():
            episodes.end(done, SUCCESS, self.readings)

    def of_stage(
        self, stage: InterfaceStage, outcome: DecisionOutcome, running: Bools, dead: Bools
    ) -> Bools:
        """Reward the step and add it to ``outcome``."""
        episodes = self.episodes
        stage.steps[running] += 1
        success = running & ~dead & self._holds(stage.judge, of_stage=True)
        horizon = stage.interface.horizon
        if self._autoreset:  # a policy is trained in no more time than its task has
            horizon = min(horizon, self._horizon)
        late = running & (stage.steps >= horizon) | self._lost(running)
        terminated = success | dead
        if self._autoreset:
            episodes.steps[running] += 1
        else:
            over = self.of_episode(running, dead)
            solved = over & (episodes.ended == SUCCESS)
            terminated |= solved
            late |= over
        reward = stage.rewards.pay(self.readings, running, success)
        episodes.reward += reward
        outcome.add(reward, running, terminated, late & ~terminated, success)
        return terminated | late

    def of_leader(
        self, leader: InterfaceStage, outcome: DecisionOutcome, running: Bools, dead: Bools
    ) -> Bools:
        """Count a step of a leading policy, which gets no reward: of ``outcome`` only the steps
        mean anything."""
        leader.steps[running] += 1
        self.episodes.died_early |= dead
        over = dead | running & self._holds(leader.judge, of_stage=True)
        over |= running & (leader.steps >= leader.interface.horizon)
        over |= self._lost(running)
        leader.over |= over
        none = np.zeros_like(over)
        outcome.add(np.zeros(len(over), np.float32), running, over, none, none)
        return over

    def _lost(self, running: Bools) -> Bools:
        """Where the game was lost in the last step: the episode is cut off there."""
        lost = self.world.lost
        return running & lost if lost is not None else np.zeros(self.size, bool)

    def _holds(self, judge: Judge, of_stage: bool = False) -> Bools:
        episodes = self.episodes
        start = episodes.subtask if of_stage else episodes.start
        return judge.holds(self.readings, start, episodes.version)
