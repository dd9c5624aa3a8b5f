"""The sessions that a training plays beside its own: demonstrations, and tryouts of its policy.

Each has its own range of seeds, with one episode for each seed. Their steps are counted with those
of prefixes, as PPO learns nothing from them.
"""

import logging
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

import msgspec
import torch

from messages.bus import BusError
from messages.interface import Call
from messages.world import SeedRange
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.checkpoints.state import TrainingState
from nodes.learner.collecting.session import SessionLost
from nodes.learner.collecting.session_plan import SessionPlan
from nodes.learner.collecting.sessions import session_on
from nodes.learner.collecting.single_episodes import Choose, SingleEpisodes, play_once
from nodes.learner.deciding import Deciding
from nodes.learner.optimising.cloning import Demonstrations, clone
from nodes.learner.spec_measures import longest_episode
from nodes.times import spending

Check = Callable[[], None]

LEARNED_PER_TRIED = 2
"""Minimum learned samples per tryout step, so that tryouts take at most a third of all steps."""


class SideSessions:
    """The tryouts and demonstrations of one training.

    Args:
        plan: of the training's own session.
        parameters, servers, log: the training's.
        lost: called with the error when a session was lost; it raises once there were too many.
        reset: primitive steps that the reset of one environment may take.
    """

    def __init__(
        self,
        plan: SessionPlan,
        parameters: Hyperparameters,
        servers: Mapping[str, Call],
        *,
        log: logging.Logger,
        lost: Callable[[SessionLost, Check], None],
        reset: int,
    ) -> None:
        self._plan = plan
        self._policy, self._spec = plan.name, plan.spec
        self._parameters = parameters
        self._servers = servers
        self._log = log
        self._lost = lost
        self._episode = longest_episode(plan.spec, reset)

    def tries_out(self, state: TrainingState) -> bool:
        """Whether the training has tryouts by now."""
        tryouts = self._spec.tryouts
        return tryouts is not None and (state.counters.doubled > 0 or not tryouts.grown)

    def tryout_is_due(self, state: TrainingState, room: float) -> bool:
        """Whether it is time for one, and it and the last one fit into ``room`` primitive steps."""
        tryouts = self._spec.tryouts
        if tryouts is None or not self.tries_out(state):
            return False
        if 2 * self._longest(tryouts.seeds) > room:
            return False
        if not state.tryouts:
            return True
        # Where episodes are long, tryouts would cost more than what is learned in between.
        apart = max(tryouts.every, LEARNED_PER_TRIED * state.tryout_steps)
        return state.counters.samples - state.tryouts[-1][0] >= apart

    def _longest(self, seeds: SeedRange) -> int:
        """Primitive steps that an episode for each seed may take."""
        return seeds.count * self._episode

    def try_out(self, state: TrainingState, room: float, check: Check) -> None:
        """Play the policy as it is, if that fits into ``room`` primitive steps. Every tryout draws
        its choices with the same random numbers."""
        assert self._spec.tryouts is not None
        seeds = self._spec.tryouts.seeds
        if self._longest(seeds) > room:
            self._log.info("%s is not tried out: too few samples are left", self._policy)
            return

        def begin() -> Choose:
            drawn = zlib.crc32(f"{self._policy}/tryout".encode())
            generator = torch.Generator().manual_seed(drawn)
            deciding = Deciding(state.networks.actor, generator, self._parameters.greedy)
            deciding.begin(seeds.count)
            return deciding.choose

        tried = self._play("tryout", seeds, begin, check)
        state.tried(tried.rate, tried.steps)
        samples = state.counters.samples
        self._log.info("%s: %.2f in a tryout at %d samples", self._policy, tried.rate, samples)

    def clone(self, state: TrainingState, room: float, check: Check) -> None:
        """Let a new policy imitate the programs of its spec, over as many episodes as fit into half
        of ``room``. If none of them succeeds, or the policy starts from another one, it clones
        nothing."""
        spec, parameters = self._spec, self._parameters
        if not spec.clone or spec.start is not None:
            return
        count = min(parameters.clone_episodes, spec.seeds.count)
        count = int(min(count, room / 2 / self._episode))
        if count < len(spec.clone):
            few = f"{len(spec.clone)} programs, and room for {count} episodes"
            self._log.info("%s clones nothing: %s", self._policy, few)
            return
        # The last seeds of the range, which trainings do not reach.
        seeds = SeedRange(first=spec.seeds.first + spec.seeds.count - count, count=count)
        played = Demonstrations(spec, state.spaces, count)
        episodes = self._play("demonstration", seeds, lambda: played.choose, check, played)
        state.counters.prefix_samples += episodes.steps
        trajectories, state.demonstrated = played.trajectories(episodes.success)
        if not trajectories:
            self._log.info("%s clones nothing: no program succeeded", self._policy)
            return
        with spending("update"):
            loss = clone(
                state.networks,
                trajectories,
                state.generator,
                epochs=parameters.clone_epochs,
                minibatch=parameters.minibatch,
                learning_rate=parameters.learning_rate,
                until=parameters.clone_until,
            )
        state.keep_clone()
        succeeded = f"{len(trajectories)} of {count} episodes"
        self._log.info("%s is a clone of %s (loss %.3f)", self._policy, succeeded, loss)

    def _play(
        self,
        what: str,
        seeds: SeedRange,
        begin: Callable[[], Choose],
        check: Check,
        demonstrations: Demonstrations | None = None,
    ) -> SingleEpisodes:
        """Play one episode for each seed, and again if the session is lost. ``begin`` makes the
        function that chooses, once for each attempt."""
        spec = msgspec.structs.replace(self._spec, seeds=seeds)
        if demonstrations is not None:
            spec = msgspec.structs.replace(spec, interface=demonstrations.interface)
        name = f"{self._policy}/{what}"
        while True:
            plan = replace(
                self._plan,
                name=name,
                spec=spec,
                size=seeds.count,
                leaders=self._plan.leaders.copy_for(name),
                once=True,
                matched=demonstrations is not None,
            )
            session = session_on(self._servers, plan, self._log)
            try:
                return play_once(session, begin(), check, demonstrations)
            except SessionLost as error:
                self._log.warning("%s lost its %s: %s", self._policy, what, error)
                self._lost(error, check)
            finally:
                with suppress(BusError):
                    session.close()
