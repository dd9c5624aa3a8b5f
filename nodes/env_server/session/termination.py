"""What a primitive step counts for and who comes to an end with it: of an episode, of a policy's
stage, of what is played before an episode begins."""

import numpy as np

from nodes.env_server.interface.conditions import Judge
from nodes.env_server.interface.stage import Stage
from nodes.env_server.session.environments import Environments
from nodes.env_server.session.episodes import DEATH, HORIZON, SUCCESS
from nodes.env_server.session.outcome import Outcome
from nodes.env_server.session.pictures import Photographer
from nodes.env_server.worlds.world import Bools


class Termination:
    """Its methods are told after each primitive step who ran and who died in it, both (B,), count
    the step, and say for whom it was the last one.

    ``horizon`` is the task's, in steps. With ``autoreset`` a stage is the episode.
    """

    def __init__(
        self,
        environments: Environments,
        success: Judge,
        horizon: int,
        photographer: Photographer | None,
        autoreset: bool,
    ) -> None:
        self._environments = environments
        self._readings = environments.readings
        self._episodes = environments.episodes
        self._success = success
        self._horizon = horizon
        self._photographer = photographer
        self._autoreset = autoreset

    def of_prefix(self, running: Bools, dead: Bools) -> Bools:
        self._episodes.died_early |= dead
        return dead

    def of_episode(self, running: Bools, dead: Bools) -> Bools:
        """Episodes that are over are ended."""
        episodes = self._episodes
        episodes.steps[running] += 1
        success = running & ~dead & self._holds(self._success)
        late = running & ~dead & ~success & (episodes.steps >= self._horizon)
        late |= self._environments.lost(running)
        for rows, how in ((dead, DEATH), (success, SUCCESS), (late, HORIZON)):
            if rows.any():
                episodes.end(rows, how, self._readings)
        over = dead | success | late
        if self._photographer is not None:
            self._photographer.step(running, over)
        return over

    def of_stage(self, stage: Stage, outcome: Outcome, running: Bools, dead: Bools) -> Bools:
        """The step is paid, and added to ``outcome``."""
        episodes = self._episodes
        stage.steps[running] += 1
        success = running & ~dead & self._holds(stage.judge, of_stage=True)
        late = running & (stage.steps >= stage.interface.horizon) | self._environments.lost(running)
        terminated = success | dead
        if self._autoreset:
            episodes.steps[running] += 1
        else:
            over = self.of_episode(running, dead)
            solved = over & (episodes.ended == SUCCESS)
            terminated |= solved
            late |= over
        reward = stage.rewards.pay(self._readings, running, success)
        episodes.reward += reward
        outcome.add(reward, running, terminated, late & ~terminated, success)
        return terminated | late

    def of_leader(self, leader: Stage, outcome: Outcome, running: Bools, dead: Bools) -> Bools:
        """A policy that leads on is not paid; of ``outcome`` only the steps mean anything."""
        leader.steps[running] += 1
        self._episodes.died_early |= dead
        over = dead | running & self._holds(leader.judge, of_stage=True)
        over |= running & (leader.steps >= leader.interface.horizon)
        over |= self._environments.lost(running)
        leader.over |= over
        none = np.zeros_like(over)
        outcome.add(np.zeros(len(over), np.float32), running, over, none, none)
        return over

    def _holds(self, judge: Judge, of_stage: bool = False) -> Bools:
        episodes = self._episodes
        start = episodes.start_items, episodes.start_quantities
        if of_stage:
            start = episodes.subtask_items, episodes.subtask_quantities
        return judge.holds(self._readings, start, episodes.version)
