"""Trains one policy on one spec, from its last checkpoint if there is one."""

import logging
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import torch
from threadpoolctl import threadpool_limits

from messages.bus import SESSION_KILLED, SESSION_LOST, BusError, RemoteError, ServiceError
from messages.interface import Call
from messages.training import Policy, Progress, Trained, TrainingSpec
from messages.world import MOST_STEPS_BEFORE_REPLY
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.checkpoints import checkpoint
from nodes.learner.checkpoints.exporting import guarded, with_actors
from nodes.learner.checkpoints.state import Spaces, TrainingState, load, memory_of, stored_spaces
from nodes.learner.checkpoints.trajectory_files import TrajectoryFiles
from nodes.learner.collecting.plain_rollout import PlainRollout, is_plain
from nodes.learner.collecting.preceding_policies import Leaders
from nodes.learner.collecting.rollout import Collector, Rollout
from nodes.learner.collecting.session import Arrival, SessionLost
from nodes.learner.collecting.session_plan import SessionPlan
from nodes.learner.collecting.sessions import absent, session_on
from nodes.learner.collecting.side_sessions import SideSessions
from nodes.learner.ending.limits import TrainingLimits
from nodes.learner.live_hyperparameters import LiveHyperparameters
from nodes.learner.metrics import Metrics
from nodes.learner.optimising.ppo import UpdateStatistics
from nodes.learner.optimising.updating import Updating
from nodes.learner.spec_measures import discount, longest_reset, reward_scale
from nodes.learner.starting import start_of
from nodes.learner.training_seed import seed_of
from nodes.times import spending

MOST_LOSSES = 10
MOST_KILLED = 100
"""Sessions lost in a row, without a rollout in between, after which a training is given up: by a
fault of what ran in them, and by a kill from outside."""
LONGEST_PAUSE = 5.0  # seconds before a lost session is opened again


class Training:
    """One policy's training.

    Args:
        policy: its id; it names the session too.
        spec: what it is trained on.
        parameters: hyper-parameters.
        learner: the node's folder.
        folder: the policy's, inside the learner's.
        servers: the env servers by name, and what calls each of them. With several, the batch is
            spread over those that are there.
        log: for its progress.
        warn: called with one sentence about a fault that the training recovered from.
    """

    def __init__(
        self,
        *,
        policy: str,
        spec: TrainingSpec,
        parameters: Hyperparameters,
        learner: Path,
        folder: Path,
        servers: Mapping[str, Call],
        log: logging.Logger,
        warn: Callable[[str], None],
    ) -> None:
        if parameters.uniform:
            # Its success rate changes by chance alone, and choices that imitate are not even.
            spec = msgspec.structs.replace(spec, grows_to=None, clone=[])
        self.policy = policy
        self.spec = spec
        self.parameters = msgspec.structs.replace(
            parameters,
            reward_scale=parameters.reward_scale or reward_scale(spec),
            gamma=discount(parameters, spec),
            imitation_every=0 if parameters.uniform else parameters.imitation_every,
        )
        self.learner = learner
        self.folder = folder
        self.log = log
        self.warn = warn
        leaders = Leaders(learner, spec.lead, policy, parameters.greedy)
        reset = longest_reset(spec.prefix, leaders.lead)
        if spec.guard is not None:
            reset += MOST_STEPS_BEFORE_REPLY
        self.limits = TrainingLimits(spec, parameters.environments, parameters.window, reset, log)
        plan = SessionPlan(
            name=policy,
            spec=spec,
            gamma=self.parameters.gamma,
            size=self.limits.size,
            leaders=leaders,
            guards=with_actors(learner, spec.guards, parameters.greedy),
            guarded=guarded(learner, spec.guarded, parameters.greedy),
        )
        self.session = session_on(servers, plan, log)
        self.side_sessions = SideSessions(
            plan, self.parameters, servers, log=log, lost=self._lost, reset=reset
        )
        self.live = LiveHyperparameters(parameters, policy, learner, log)
        self.state: TrainingState | None = None
        self.trajectory_files = TrajectoryFiles(folder)
        self.collector: Collector | None = None
        # Sessions lost without a rollout in between; True: those killed from outside.
        self._losses: Counter[bool] = Counter()
        self._opening_steps = 0  # prefix steps of the opening, counted with the first rollout
        self._updating: Updating | None = None
        self._began = self._saved_at = time.monotonic()  # the rollout; the last checkpoint

    def run(
        self, report: Callable[[Progress], None], check: Callable[[], None] = lambda: None
    ) -> Trained:
        """Train until the budget is spent or the spec's success rate is reached.

        ``report`` is called after each iteration; ``check`` is called before each decision and
        raises to end the training early (what was not checkpointed is then lost and not counted).

        Raises:
            ServiceError, RemoteError: the spec can't be trained, in one sentence.
        """
        torch.set_num_threads(self.parameters.threads)
        threadpool_limits(1, "blas")  # of decisions: small matrices, as in a session
        found, problems = load(self.folder)
        if found is not None:
            spaces, seed = stored_spaces(found), seed_of(self.spec)
            self.state = TrainingState(spaces, self.parameters, seed, found)
            samples = self.state.counters.samples
            self.log.info("%s goes on from its checkpoint at %d samples", self.policy, samples)
            if problems:
                self.warn(
                    f"{self.policy} goes on from the previous checkpoint. {' '.join(problems)}"
                )
            files = found["trajectories"].get("files", [])
            if lost := self.trajectory_files.load(self.state.trajectories, files):
                self.warn(f"{self.policy} goes on without its kept trajectories. {lost}")
        elif problems:
            self.warn(
                f"{self.policy} has no whole checkpoint left: it is trained from the start, and "
                "its samples are counted from 0; those spent before are lost with the checkpoint. "
                f"{' '.join(problems)}"
            )
        state = self.state
        if state is None or not state.stopped:
            try:
                state = self._train(report, check)
            finally:
                self._close()
        return self._trained(state)

    def _train(
        self, report: Callable[[Progress], None], check: Callable[[], None]
    ) -> TrainingState:
        state, collector = self._open(check)
        if not state.counters.iterations and state.clone is None:
            self.side_sessions.clone(state, self._room_for_side_session(state), check)
        state.act_as_now()
        metrics = Metrics(self.learner / "tensorboard", self.folder.name)

        def finish_update() -> None:
            self._finish_update(state, metrics, report)

        try:
            while not state.stopped:
                if self.side_sessions.tryout_is_due(state, self._room_for_side_session(state)):
                    finish_update()
                    self.side_sessions.try_out(state, self._room_for_side_session(state), check)
                    self.limits.stop_when_fallen(state)
                    if state.stopped:
                        break
                if arrivals := self.session.take_in():
                    finish_update()  # it goes by the memories of the environments that there were
                    self._take_in(arrivals, state, collector)
                self._began = time.monotonic()
                drawn = state.choosing.get_state()
                try:
                    rollout = self._collect(state, collector, check)
                except SessionLost as error:
                    finish_update()
                    # The next rollout draws the same choices as the discarded one.
                    state.choosing.set_state(drawn)
                    self._open_again(error, state, check)
                    continue
                except (RuntimeError, RemoteError):  # nothing can be drawn where it is not finite
                    finish_update()  # it reports a training that diverged
                    raise
                finish_update()
                self._count(state, rollout)
                if state.stopped or not self.parameters.overlap:
                    finish_update()
            self._end(state, metrics, check)
        finally:
            if self._updating is not None:
                self._updating.abandon()
            metrics.close()
        return state

    def _finish_update(
        self, state: TrainingState, metrics: Metrics, report: Callable[[Progress], None]
    ) -> None:
        """Wait for the update that is under way, if one is. A checkpoint has what it has learned
        from, and nothing of what was collected since."""
        updating = self._updating
        if updating is None:
            return
        with spending("update"):
            statistics = updating.wait()
            if state.imitate_if_due() and not state.finite():
                raise self._diverged(state.counters.samples)
        self._updating = None
        speed = updating.samples / (time.monotonic() - self._began)
        imitated = state.imitation_loss if self.parameters.imitation_every else None
        metrics.write(state.counters.samples, statistics, state.episodes, speed, imitated)
        metrics.write_parameters(state.counters.samples, state.ppo)
        report(self._progress(state, statistics, speed))
        if not state.stopped:
            self._save(state, metrics)

    def _count(self, state: TrainingState, rollout: Rollout) -> None:
        """Begin to learn from a rollout, and stop where a limit is reached with it."""
        self._losses.clear()
        state.counters.prefix_samples += self._opening_steps
        self._opening_steps = 0
        if rollout.decisions:
            self._learn(state, rollout)
            self.limits.stop_when_good(state)
            self.limits.stop_when_hopeless(state)
        else:
            self.limits.stop_when_budget_is_spent(state)
        if self.session.gave_up and not state.stopped:
            state.stopped = self.session.gave_up
        self.limits.stop_when_spent(state, wanted=self.limits.next_step)

    def _open_again(
        self, error: SessionLost, state: TrainingState, check: Callable[[], None]
    ) -> None:
        """Open the session that was lost, or stop where too few samples are left for that."""
        self.log.warning(
            "%s lost its session (%s): the rollout is discarded, uncounted, and the session opened "
            "again",
            self.policy,
            error,
        )
        self._lost(error, check)
        if not self.limits.stop_when_spent(state, wanted=self.limits.resets):
            self._open(check)

    def _open(self, check: Callable[[], None]) -> tuple[TrainingState, Collector]:
        """Open the session. The first time, also make the state and the collector to its shape."""
        used = self.state.counters.seeds_used if self.state is not None else 0
        state, most = self.state, self.spec.most
        self.session.room = self.limits.room_to_learn(state) if state else (most or math.inf)
        while True:
            try:
                opened = self.session.open(used, check)
                break
            except SessionLost as error:
                self.log.warning("%s can't open its session yet: %s", self.policy, error)
                self._lost(error, check)
        spaces = Spaces.of(opened)
        if self.state is None:
            start = start_of(self.policy, self.spec, spaces, self.learner, self.log)
            self.state = TrainingState(
                spaces,
                self.parameters,
                seed_of(self.spec),
                start=start,
                memory=memory_of(self.spec.interface),
            )
        elif difference := self.state.spaces.difference(spaces):
            raise ServiceError(
                f"The policy {self.policy} can't go on training: {difference}. "
                "Train it again under a new goal id.",
                code="policy_does_not_fit",
            )
        if self.collector is None:
            self.collector = Collector(
                size=self.session.size,
                features=sum(spaces.sizes),
                seen=spaces.seen,
                choices=len(spaces.choices),
                decisions=self.parameters.decisions,
            )
        self.collector.begin(opened)
        self._opening_steps = opened.prefix_steps
        self.state.begin(self.session.size)
        self.state.leave(absent(self.session))
        return self.state, self.collector

    def _lost(self, error: SessionLost, check: Callable[[], None]) -> None:
        """Give up after too many losses in a row; else wait, longer after each one."""
        check()
        self._losses[error.killed] += 1
        losses = self._losses[error.killed]
        if losses >= (MOST_KILLED if error.killed else MOST_LOSSES):
            raise ServiceError(
                f"{self.policy} lost its session {losses} times in a row, the last time with: "
                f"{error}",
                code=SESSION_KILLED if error.killed else SESSION_LOST,
            )
        with spending("waiting"):
            time.sleep(min(losses - 1, LONGEST_PAUSE))

    def _end(self, state: TrainingState, metrics: Metrics, check: Callable[[], None]) -> None:
        """End the training with the weights of the best tryout, if there were tryouts."""
        if self.side_sessions.tries_out(state):
            if not state.tryouts or state.tryouts[-1][0] < state.counters.samples:
                self.side_sessions.try_out(state, self._room_for_side_session(state), check)
            state.load_best()
        self._save(state, metrics)

    def _take_in(self, arrivals: list[Arrival], state: TrainingState, collector: Collector) -> None:
        """Environments have come in."""
        for arrival in arrivals:
            collector.take_in(arrival.rows, arrival.opened)
            state.enter(range(arrival.rows.start, arrival.rows.stop))
            self._opening_steps += arrival.opened.prefix_steps

    def _collect(
        self, state: TrainingState, collector: Collector, check: Callable[[], None]
    ) -> Rollout:
        left = self.limits.budget(state) - state.counters.samples
        room = self.limits.room_to_learn(state) - self._opening_steps

        most = min(left, self.parameters.rollout_samples)

        def go_on(samples: int, prefix_steps: int) -> bool:
            check()
            if self.session.gave_up:
                return False
            self.session.room = room - samples - prefix_steps
            if samples + prefix_steps + self.limits.next_step > room or samples >= most:
                return False
            if state.acting is not None:
                with spending("update"):
                    state.acting.take_for(collector.filled)
            return True

        if is_plain(state):
            playing = PlainRollout(
                self.session,
                state,
                collector,
                by_session=self.parameters.rollouts == "session",
                samples=most,
                in_all=room - self.limits.next_step,
            )
            rollout = collector.collect_played(playing.play, go_on)
        else:
            rollout = collector.collect(
                self.session.step, state.player, state.choosing, go_on, state.device
            )
        state.leave(absent(self.session))
        return rollout.of(self.session.present)

    def _learn(self, state: TrainingState, rollout: Rollout) -> None:
        """Count a rollout and begin to learn from it. A training that diverged ends there, before
        it is saved: with other parameters it can go on from its last checkpoint."""
        overlap = self.parameters.overlap
        self.live.apply(self.parameters, state)
        if overlap:
            rollout = rollout.copied()  # the next one is collected in the same storage
        update = state.update_of(rollout, self.limits.budget(state))
        state.count(rollout, self.session.seeds_used)
        samples = state.counters.samples

        def finite_update() -> UpdateStatistics:
            try:
                statistics = update()
                sound = state.outputs_are_finite(rollout)
            except RuntimeError:  # torch cannot draw from probabilities that are not finite
                if sound := state.outputs_are_finite(rollout):
                    raise
                statistics = UpdateStatistics()
            if not sound:
                raise self._diverged(samples)
            return statistics

        threads = self.parameters.threads if overlap else None
        self._updating = Updating(finite_update, rollout.samples, threads)

    def _diverged(self, samples: int) -> ServiceError:
        return ServiceError(
            f"The training diverged after {samples} samples: the output of its networks is not "
            "finite; lower the learning rate or the rewards.",
            code="diverged",
        )

    def _room_for_side_session(self, state: TrainingState) -> float:
        """Primitive steps that a side session may take: the training's own has been opened, and
        what that took is not counted yet."""
        return self.limits.room(state) - self._opening_steps

    def _save(self, state: TrainingState, metrics: Metrics) -> None:
        now = time.monotonic()
        if state.stopped or now - self._saved_at >= self.parameters.checkpoint_seconds:
            contents = state.checkpoint()
            files = self.trajectory_files.save(state.trajectories)
            contents["trajectories"]["files"] = files
            checkpoint.save(self.folder, contents)
            self.trajectory_files.tidy()
            metrics.flush()
            self._saved_at = now

    def _close(self) -> None:
        try:
            self.session.close()
        except BusError as error:
            self.log.debug("the session %s was not closed: %s", self.policy, error)

    def _progress(
        self, state: TrainingState, statistics: UpdateStatistics, steps_per_second: float
    ) -> Progress:
        counters, episodes = state.counters, state.episodes
        return Progress(
            policy=self.policy,
            samples=counters.samples,
            prefix_samples=counters.prefix_samples,
            decisions=counters.decisions,
            budget=self.limits.budget(state),
            success_rate=episodes.success_rate,
            mean_return=episodes.mean_return,
            entropy=statistics.entropy,
            kl=statistics.kl,
            steps_per_second=steps_per_second,
        )

    def _trained(self, state: TrainingState) -> Trained:
        counters = state.counters
        return Trained(
            policy=Policy(
                id=self.policy,
                checkpoint=str((self.folder / checkpoint.NAME).relative_to(self.learner.parent)),
            ),
            samples=counters.samples,
            prefix_samples=counters.prefix_samples,
            success_rate=state.episodes.success_rate,
            curve=state.curve,
            returns=state.returns,
            reason=state.stopped,
            demonstrated=state.demonstrated,
            tryouts=state.tryouts,
            best=state.best and state.best.samples,
            clone_kl=self.parameters.clone_kl if state.clone is not None else 0.0,
            clone_fade=self.parameters.clone_fade if state.clone is not None else 0,
        )
