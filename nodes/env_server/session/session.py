"""A session: a batch of environments that play one task side by side, and the calls that it takes.

How episodes begin is in `resets.py`, what policies and programs do in `decisions.py`, a primitive
step and what it counts for in `steps.py`, what is noted of it all in `records.py`.
"""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

import worlds
from messages.bounds import LARGEST
from messages.program import Program, ProgramReport
from messages.roll_out import RolledOut, RollOut
from messages.world import (
    Actor,
    ChoiceUse,
    Episode,
    Guard,
    GuardReport,
    Interface,
    Opened,
    OpenSession,
    Picture,
    PlayedOn,
    PlayOn,
    Stepped,
)
from nodes.env_server.game_fault import playing
from nodes.env_server.interface.stage import InterfaceStage
from nodes.env_server.session.choice_tally import ChoiceTally
from nodes.env_server.session.decisions import Acting, compiled
from nodes.env_server.session.guard_training import GuardTraining
from nodes.env_server.session.guards import Guards, Tallies
from nodes.env_server.session.own_policy import OwnPolicy
from nodes.env_server.session.own_rollouts import OwnRollouts
from nodes.env_server.session.players import Decider
from nodes.env_server.session.records import HORIZON, Reports
from nodes.env_server.session.resets import Resets
from nodes.env_server.session.steps import Camera, DecisionOutcome, Ended, Steps, Watcher
from nodes.env_server.video_model import VideoModel
from worlds.play import Bools, Ints, World

if TYPE_CHECKING:  # a worker, in which this runs, is to have nothing loaded that it does not need
    from nodes.common.storage.episode_store import PlayPart

LOG = logging.getLogger("env_server")
_MOST_IN_BATCH = 2**31
"""Over all env servers. So an episode's place among the seeds fits in 64 bits."""


class Session:
    """``counted`` is called with the number of primitive steps taken; ``model`` is MineCLIP, if
    there is one. Calls are not to overlap: the caller holds ``lock``.

    Raises:
        ValueError: the request names what there is not, or a prefix that does not compile.
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
        check_request(request, world.size)
        self.name = request.session
        self.task = request.task
        self.size = world.size
        self.lock = threading.Lock()
        self.film = film
        self._model = model
        self._autoreset = request.autoreset
        self._once = request.once
        self._matched = request.matched
        score = worlds.card(request.task.game).score
        self._scored = () if score is None else score.counted
        self._steps = Steps(request, world, film, counted, model, watcher)
        self._readings = self._steps.readings
        self.records = self._steps.episodes
        self._photographer = self._steps.photographer
        self._acting = Acting(self._steps)
        self._tallies = Tallies(lambda row: int(self.records.seed[row]))
        self._guards = self._new_guards(request.guards)
        self._resets = Resets(request, self._steps, self._acting, self._guards, model)
        self._leading = self._resets.leading
        self._tally = ChoiceTally()
        self._mistakes: dict[str, int] = {}  # of rewards, of the last policy's stages before this
        guards = request.guards if request.guard is None else []  # else not in its decisions
        self.stage: InterfaceStage | None = None
        self._own: OwnPolicy | None = None  # of the stage, where the session plays it itself
        self._rollouts: OwnRollouts | None = None  # of a training, likewise
        if request.interface is not None:
            self.stage = self._new_stage(request.interface, guards)
            if not request.autoreset:
                self._tally.begin(request.interface)
        self._training: GuardTraining | None = None
        with playing(self.task.game):
            self._prefix_steps = self._resets.reset(np.ones(world.size, bool), self.stage)
        if request.guard is not None:
            self._training = self._new_guard_training(request)
        with playing(self.task.game):
            self._steps.warm()

    def opened(self) -> Opened:
        """The session as a policy meets it."""
        stage, steps = self.stage, self._prefix_steps
        self._prefix_steps = 0
        if stage is None:
            features, mask = np.zeros((self.size, 0), np.float32), np.zeros((self.size, 0), bool)
            return Opened(fields=[], choices=[], features=features, mask=mask, prefix_steps=steps)
        turn = self._leading.stage or stage
        opened = Opened(
            fields=stage.features.fields,
            choices=stage.choices.names,
            features=turn.seen(self._readings).copy(),
            mask=turn.mask(self._readings),
            prefix_steps=steps,
            lead=self._leading.number,
        )
        return opened if self._training is None else self._training.opened(opened)

    def as_opened(self, request: OpenSession) -> OpenSession:
        """See `Hosted`: in this process all programs run."""
        return request

    def as_played(self, part: "PlayPart") -> "PlayPart":
        """See `Hosted`."""
        return part

    def take(
        self,
        interface: Interface,
        environments: Sequence[int] = (),
        begins: bool = False,
        guards: Sequence[Guard] = (),
    ) -> None:
        """A new stage begins where the session stands, in the named environments (none: in all);
        in the others it is over already. With ``begins`` a subtask begins with it. ``guards`` cut
        into its decisions.

        Raises:
            ValueError: the interface, ``environments`` or ``guards`` name what there is not.
        """
        rows = self._rows(environments)
        stage, ready = self._new_stage(interface, guards), self._new_guards(guards)
        if begins:
            self.records.begin_subtask(np.flatnonzero(rows), self._readings)
        self._log_mistakes()
        self._mistakes = {} if self._begins_policy(interface) else self._mistakes_now()
        self._tally.begin(interface)
        self.stage, self._guards, self._own = stage, ready, None
        self._rollouts = None
        stage.over[:] = self.records.over | ~rows
        self.records.forget_program(~stage.over)
        if self._photographer is not None:
            self._photographer.begin(~stage.over)
        self._readings.begin_stage(~stage.over)
        stage.rewards.begin(self._readings, ~stage.over)

    def step(self, choices: Ints) -> Stepped:
        """One decision (B,) for every environment whose stage is not over.

        Raises:
            ValueError: there is no interface, or an unknown choice.
            GameFault: the game failed.
        """
        stage = self.stage
        if stage is None:
            raise ValueError("the session has no interface yet: send env_server/interface first")
        if choices.shape != (self.size,) or choices.dtype.kind not in "iu":
            raise ValueError(f"choices are {self.size} integers, one for each environment")
        with playing(self.task.game):
            return self._decide(stage, choices)

    def play_on(self, request: PlayOn) -> PlayedOn:
        """The stage's policy plays on here: see `PlayOn`.

        Raises:
            ValueError: there is no interface or no actor, it does not fit, or the session resets
                by itself.
            GameFault: the game failed.
        """
        stage = self.stage
        if self._autoreset or stage is None:
            raise ValueError("a session plays the policy of an interface, without autoreset")
        if request.actor is not None:
            self._own = OwnPolicy(stage, request.actor, request.seed, self.size)
        if self._own is None:
            raise ValueError("the session has no policy of its own yet: send its actor first")
        with playing(self.task.game):
            return self._own.play(self._step_own, self.records.over, self._readings, request.single)

    def roll_out(self, request: RollOut) -> RolledOut:
        """Decisions of the policy that is trained here: see `RollOut`.

        Raises:
            ValueError: the session does not train a policy, or other policies lead to that; or the
                request does not fit it.
            GameFault: the game failed.
        """
        stage, training = self.stage, self._autoreset and not self._once
        if stage is None or not training or self._training is not None or self._leading.parts:
            raise ValueError(
                "a session plays rollouts only where it trains a policy, with autoreset: no guard, "
                "and none that other policies lead to"
            )
        if self._rollouts is None:
            self._rollouts = OwnRollouts(stage)
        self._rollouts.begin(request)
        with playing(self.task.game):
            return self._rollouts.play(
                request, lambda choices: self._decide(stage, choices), self._readings
            )

    def _decide(self, stage: InterfaceStage, choices: Ints) -> Stepped:
        if self._training is not None:
            return self._training.step(choices, stage.interface.gamma)
        if self._autoreset and not self._once:
            self._resets.foresee()
        episodes, leading = self.records, self._leading
        outcome = DecisionOutcome(self.size, stage.interface.gamma)
        rows, prefix_steps = np.zeros(0, np.int64), 0
        matched: Ints | None = None
        if (leader := leading.stage) is not None:
            prefix_steps = self._resets.step_leading_policy(leader, choices, stage)
        else:
            rows, matched = self._step_own(stage, choices, outcome)
        features = (leading.stage or stage).seen(self._readings)
        ended = Ended(rows, features[rows], episodes.reward[rows], episodes.steps[rows])
        scored = [episodes.gained(row, self._scored, self._readings) for row in rows.tolist()]
        if len(rows) and not self._once:
            prefix_steps = self._resets.reset(outcome.terminated | outcome.truncated, stage)
            features = (leading.stage or stage).seen(self._readings)
        mask = (leading.stage or stage).mask(self._readings)
        return msgspec.structs.replace(
            outcome.reply(features.copy(), mask, ended, prefix_steps),
            final_scored=scored if self._scored else [],
            lead=leading.number,
            matched=matched,
        )

    def _step_own(
        self, stage: InterfaceStage, choices: Ints, outcome: DecisionOutcome
    ) -> tuple[Ints, Ints | None]:
        """One decision in the session's own stage. Returns the rows whose episodes ended and reset,
        and which choices match what was done, if that is wanted."""
        episodes, of_stage = self.records, self._steps.of_stage
        before = stage.choices.possible(self._readings) if self._matched else None
        self._acting.carry_out(
            stage,
            choices,
            ~(stage.over | episodes.over),
            outcome,
            lambda running, dead: of_stage(stage, outcome, running, dead),
            self._guards,
            None if self._autoreset else self._tally,
        )
        ended = outcome.terminated | outcome.truncated
        matched = None if before is None else before.matching(self._steps.actions)
        if not self._autoreset or self._once:
            stage.over |= ended
        if self._autoreset:
            return np.flatnonzero(ended), matched
        for row in np.flatnonzero(ended & ~episodes.over).tolist():
            done = "did what it was for" if outcome.success[row] else "spent its steps"
            episodes.why[row] = f"the policy {done}"
        return np.zeros(0, np.int64), matched

    def run_program(
        self,
        program: Program,
        check: Callable[[], None] = lambda: None,
        environments: Sequence[int] = (),
        begins: bool = False,
        guards: Sequence[Guard] = (),
    ) -> tuple[int, list[ProgramReport]]:
        """Run a program to its end wherever the episode is not over, or only in the named
        ``environments``: primitive steps of all of them together, and reports. ``check`` is called
        now and then and may raise. With ``begins`` a subtask begins with it. The steps of
        ``guards``, which interrupt it, are among the program's.

        Raises:
            ValueError: the program or a guard does not compile, or the session resets by itself.
            GameFault: the game failed.
        """
        if self._autoreset:
            raise ValueError("a session with autoreset is for training: it runs no programs")
        to_run = compiled(program, self._steps.play.programs)
        ready = self._new_guards(guards)
        reports = Reports(program.name, self._steps.play, self._readings)
        named = self._rows(environments)
        with playing(self.task.game):
            if begins:
                self.records.begin_subtask(np.flatnonzero(named), self._readings)
            rows = named & ~self.records.over
            reports.begin(rows)
            if self._photographer is not None:
                self._photographer.begin(rows)
            of_episode = self._steps.of_episode
            steps = self._acting.play(
                to_run, program.max_steps, rows, of_episode, reports, check, guards=ready
            )
            self._steps.at_rest(rows)
        ready.tally_mistakes()
        for row in np.flatnonzero(rows & ~self.records.over).tolist():
            self.records.why[row] = reports.endings.get(row, "")
        for row, spent in reports.spent.items():
            self.records.spent[row] = spent
        return steps, reports.all()

    def episodes(self) -> list[Episode]:
        """The episodes as they stand."""
        return self.records.episodes(self._readings)

    def endings(self) -> list[str]:
        """What the players died of, and how the last program or policy ended in episodes that are
        not over; empty where there is nothing to report."""
        return list(self.records.why)

    def pictures(self) -> list[Picture]:
        """The pictures of the last stage, if the session takes any."""
        return [] if self._photographer is None else self._photographer.pictures()

    def choices(self) -> list[ChoiceUse]:
        """What the last policy chose; nothing of a training's."""
        return self._tally.uses()

    def mistakes(self) -> dict[str, int]:
        """What went wrong in the last policy's rewards that are code, in words, and how often."""
        return self._mistakes_now()

    def guards(self) -> list[GuardReport]:
        """What the guards of all stages did."""
        self._guards.tally_mistakes()
        return self._tallies.reports()

    def end_all_episodes(self) -> None:
        """Every episode is over, cut off where it stands."""
        everybody = np.ones(self.size, bool)
        self.records.end(everybody, HORIZON, self._readings)
        if self.stage is not None:
            self.stage.over[:] = True

    def close(self) -> None:
        """Give back the world and finish the film."""
        self._log_mistakes()
        if self.film is not None:
            self.film.close()
        self._steps.world.close()

    def _new_guard_training(self, request: OpenSession) -> GuardTraining:
        stage = self.stage
        if stage is None:
            raise ValueError("a guard is trained by an interface")

        def decider(number: int) -> Decider:
            lead = request.guarded[number]
            return self._new_decider(f"guarded stage {number}", lead.interface, lead.actor)

        def reset(rows: Bools) -> None:
            self._resets.reset(rows, None)

        return GuardTraining(
            request, stage, self._steps, self._acting, self._guards, reset, decider
        )

    def _new_guards(self, guards: Sequence[Guard]) -> Guards:
        programs = self._steps.play.programs
        return Guards(guards, programs, self._tallies, self.size, self._guard_decider)

    def _guard_decider(self, guard: Guard) -> Decider:
        return self._new_decider(f"guard {guard.name}", guard.interface, guard.actor)

    def _new_decider(self, name: str, interface: Interface | None, actor: Actor | None) -> Decider:
        """A policy that the session plays itself."""
        if interface is None:
            raise ValueError(f"{name} is a program or a policy's interface")
        steps = self._steps
        stage = InterfaceStage(interface, self.task, steps.play, steps.world, self._model)
        return Decider(name, stage, actor, steps)

    def _log_mistakes(self) -> None:
        """What rewards that are code, and conditions of guards, did wrong in the stage that is
        over."""
        self._guards.tally_mistakes()
        mistakes = {} if self.stage is None else self.stage.rewards.mistakes()
        for mistake, times in mistakes.items():
            LOG.warning("session %s: a reward was 0 %d times: %s", self.name, times, mistake)

    def _begins_policy(self, interface: Interface) -> bool:
        return self.stage is None or self.stage.interface != interface

    def _mistakes_now(self) -> dict[str, int]:
        now = Counter(self._mistakes)
        if self.stage is not None:
            now.update(self.stage.rewards.mistakes())
        return dict(now)

    def _rows(self, environments: Sequence[int]) -> Bools:
        rows = np.zeros(self.size, bool)
        for row in environments:
            if not 0 <= row < self.size:
                raise ValueError(f"environments are 0 to {self.size - 1}, not {row}")
            rows[row] = True
        return rows if environments else ~rows

    def _new_stage(self, interface: Interface, guards: Sequence[Guard]) -> InterfaceStage:
        stage = InterfaceStage(
            interface, self.task, self._steps.play, self._steps.world, self._model, guards
        )
        self._readings.expect(interface)
        return stage


def check_request(request: OpenSession, size: int) -> None:
    """Raises ValueError: the request is out of bounds, or contradicts itself."""
    seeds = request.seeds
    if seeds.count < 1:
        raise ValueError("a range of seeds has at least one seed")
    if not 0 <= seeds.first <= LARGEST - seeds.count:
        raise ValueError(
            f"seeds are 0 to {LARGEST:,}: a range of {seeds.count:,} cannot begin with "
            f"{seeds.first:,}"
        )
    batch = request.batch or size
    if batch > _MOST_IN_BATCH:
        raise ValueError(f"a batch has at most {_MOST_IN_BATCH:,} environments, not {batch:,}")
    if not 0 <= request.first <= batch - size:
        raise ValueError(
            f"environments {request.first} to {request.first + size - 1} are not among the "
            f"{batch} of a batch"
        )
    if request.task.horizon < 1:
        raise ValueError(f"a task's horizon is at least 1 step, not {request.task.horizon}")
    if request.autoreset and request.pictures is not None:
        raise ValueError("a session with autoreset is for training: it takes no pictures")
    if request.lead and not (request.autoreset and request.interface is not None):
        raise ValueError("what leads to a training needs autoreset, and an interface")
    if request.once and not request.autoreset:
        raise ValueError("one episode for each environment (once) needs autoreset")
