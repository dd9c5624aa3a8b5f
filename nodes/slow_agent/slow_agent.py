"""The slow agent node: splits a subtask into sub-actions and learns from how they went."""

import time
from dataclasses import dataclass, field
from statistics import median_low

import msgspec

from messages.bounds import NotNegative, Positive
from messages.bus import GoalHandle
from messages.chat import DecomposeAnswer, DecomposeQuestion
from messages.plan import (
    ACHIEVE,
    EVALUATE,
    IMPLEMENT,
    ITERATIONS,
    MAKE_GUARD,
    AchieveSubtask,
    Evaluate,
    Evaluated,
    Further,
    GuardLine,
    Implement,
    Implemented,
    Iteration,
    Limits,
    Line,
    MakeGuard,
    Method,
    Samples,
    Stage,
    SubAction,
    SubtaskReport,
)
from messages.world import Episode, Guard, GuardReport, Task
from models.outcomes import unseen
from nodes.common.checks.decomposition_check import fixed, problems_with, up_to_success
from nodes.common.goals.budget import BUDGETS, Budgeted, for_practice, least, least_again
from nodes.common.goals.goal_ids import slug
from nodes.common.questions.asking import NoAnswer, ask
from nodes.common.questions.repairing import RepairAttempt, ask_with_repairs
from nodes.common.storage.node_memory import Memory
from nodes.node import Node
from nodes.slow_agent.guard_lines import earlier_guard, is_due, with_reports
from nodes.slow_agent.remembering import (
    earlier_success,
    lines_of,
    success_elsewhere,
    tried,
)
from nodes.slow_agent.stopping import (
    chosen,
    further,
    reached,
    reached_in_words,
    spent,
    stop_reason,
)

Achieving = GoalHandle[AchieveSubtask, Iteration]


@dataclass
class _Round:
    """What an iteration has gathered so far."""

    began: float  # seconds since 1970
    stages: list[Stage] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    training: int = 0
    trial: int = 0
    guards: list[Guard] = field(default_factory=list)
    guard_lines: list[GuardLine] = field(default_factory=list)
    reports: list[GuardReport] = field(default_factory=list)  # of tryouts

    def count(self, samples: Samples, reports: list[GuardReport]) -> None:
        self.training += samples.training
        self.trial += samples.trial
        self.reports += reports


class _Stopped(msgspec.Struct, frozen=True, kw_only=True):
    """The loop has stopped, and this policy is trained further."""

    reason: str
    more: Further


class SlowAgent(Node):
    """Splits a subtask into sub-actions, decides for each between code and rl, and tries again with
    the verdicts: the outer loop."""

    name = "slow_agent"

    class Parameters(Budgeted, kw_only=True, forbid_unknown_fields=True):
        repairs: NotNegative = 3  # how often an invalid decomposition is requested again
        methods: tuple[Method, ...] = ("code", "rl")  # that sub-actions may be implemented by
        most_sub_actions: Positive | None = None  # 1: nothing is split
        most_guards: NotNegative = 6  # 0: nothing interrupts a sub-action
        # Is the policy that stands trained further, in one more iteration, where the loop stops
        # short of the rate and samples are left?
        further: bool = True

    parameters: Parameters
    live = frozenset({"repairs", *BUDGETS})

    def setup(self) -> None:
        self.memory = Memory(self.folder / "memory.sqlite")
        self.advertise(ITERATIONS)
        self.serve_action(ACHIEVE, self.achieve)

    def achieve(self, goal: Achieving) -> SubtaskReport:
        task = goal.request.task
        iterations = list(goal.request.history)
        known = len(iterations)
        enough = least(task), least_again(task, self.config)
        while True:
            goal.check()
            number, limits = len(iterations), self._limits(goal)
            id = _id(goal, number)
            # What was begun before a restart is ended, whatever is allowed by now.
            stopped = self.memory.find(f"{id}/further", _Stopped)
            if stopped is not None:
                reason = stopped.reason
                break
            reason = stop_reason(iterations, limits, *enough, known)
            if reason is not None and self.memory.find(f"{id}/began", float) is None:
                break
            try:
                decomposition, problems = self._decompose(goal, number, iterations)
            except NoAnswer as error:
                reason = f"There is no decomposition: {error}"
                break
            if problems:
                reason = f"No valid decomposition was given: {' '.join(problems)}"
                break
            self._add(goal, iterations, self._iterate(goal, number, decomposition, iterations))
        self.log.info("%s: %s", goal.id, reason)
        if stopped is None:
            stopped = self._more(goal, iterations, limits, enough[1], reason)
        if stopped is not None:
            last = self._train_further(goal, len(iterations), stopped.more, iterations)
            reason = _with_further(reason, last, chosen(iterations, limits), limits)
            self._add(goal, iterations, last)
            self.log.info("%s: %s", goal.id, reason)
        stands = chosen(iterations, limits)
        return SubtaskReport(
            iterations=iterations[known:],
            success=stands is not None and reached(stands, limits),
            reason=reason,
            chosen=stands and stands.number,
        )

    def _add(self, goal: Achieving, iterations: list[Iteration], iteration: Iteration) -> None:
        iterations.append(iteration)
        self.publish(ITERATIONS, iteration)
        goal.feedback(iteration)

    def _more(
        self,
        goal: Achieving,
        iterations: list[Iteration],
        limits: Limits,
        again: int,
        reason: str,
    ) -> _Stopped | None:
        """What is trained further after the loop has stopped for this reason, if anything is.
        Remembered, so that after a restart it goes on with that, whatever was set or can be asked
        by then."""
        if not self.parameters.further:
            return None
        known = len(goal.request.history)
        more = further(iterations, limits, again + goal.request.reserve, known)
        if more is None:
            return None
        name = f"{_id(goal, len(iterations))}/further"
        return self.memory.keep(name, _Stopped(reason=reason, more=more))

    def _limits(self, goal: Achieving) -> Limits:
        return self.parameters.limits(goal.request.limits)

    def _decompose(
        self, goal: Achieving, number: int, history: list[Iteration]
    ) -> tuple[DecomposeAnswer, list[str]]:
        """The sub-actions and guards, and what is still wrong with them after the last repair, when
        they are taken `fixed` if that leaves nothing wrong."""

        def ask_and_check(
            question: DecomposeQuestion, attempt: RepairAttempt
        ) -> tuple[DecomposeAnswer, list[str]]:
            answer = ask(self, attempt.id, question, DecomposeAnswer)
            problems = problems_with(question, answer)
            if problems:
                self.log.info("%s: the decomposition is invalid: %s", goal.id, " ".join(problems))
            return answer, problems

        question = DecomposeQuestion(
            task=msgspec.structs.replace(goal.request.task, inventory=goal.request.start),
            subtask=goal.request.subtask,
            history=history,
            performed=goal.request.performed,
            methods=self.parameters.methods,
            most_sub_actions=self.parameters.most_sub_actions,
            most_guards=self.parameters.most_guards,
        )
        answer, problems = ask_with_repairs(
            self.memory,
            f"{_id(goal, number)}/decompose",
            question,
            self.parameters.repairs,
            ask_and_check,
            lambda answer: answer.sub_actions,
        )
        if not problems:
            return up_to_success(question, answer), []
        usable = fixed(question, answer)
        if problems_with(question, usable):
            return answer, problems
        names = ", ".join(repr(each.name) for each in usable.sub_actions)
        self.log.warning("%s: of the sub-actions these are taken: %s", goal.id, names)
        return usable, []

    def _iterate(
        self,
        goal: Achieving,
        number: int,
        decomposition: DecomposeAnswer,
        history: list[Iteration],
    ) -> Iteration:
        id = _id(goal, number)
        if (finished := self.memory.find(id, Iteration)) is not None:
            return finished
        done = _Round(began=self._iteration_began(id))
        self._guards(goal, id, decomposition, history, done, trained=False)
        left, practice = self._left(goal, history)
        self._implement_all(goal, id, decomposition, history, done, practice)
        whole = len(done.stages) == len(decomposition.sub_actions)
        if whole:
            self._guards(goal, id, decomposition, history, done, trained=True, practice=practice)
        return self._ended(goal, number, done, left if whole else None)

    def _train_further(
        self, goal: Achieving, number: int, more: Further, history: list[Iteration]
    ) -> Iteration:
        """One more iteration, for which nothing is asked: that of ``more``'s stage again, with its
        policy trained further."""
        id = _id(goal, number)
        if (finished := self.memory.find(id, Iteration)) is not None:
            return finished
        done = _Round(began=self._iteration_began(id))
        before = next(each for each in reversed(history) if more.stage in each.stages[-1:])
        done.stages, done.lines = before.stages[:-1], before.lines[:-1]
        done.guards = more.stage.guards
        # Its guards were compared in tryouts of that iteration.
        done.guard_lines = [
            msgspec.structs.replace(line, report=None, tried=None) for line in before.guards
        ]
        left, practice = self._left(goal, history, goal.request.reserve)
        made = self._implement(goal, id, more.stage.sub_action, done, history, practice, more)
        done.count(made.samples, made.guards)
        done.lines.append(made.line)
        if made.stage is not None:
            done.stages.append(made.stage)
        return self._ended(goal, number, done, left if made.stage else None, further=True)

    def _iteration_began(self, id: str) -> float:
        """When this iteration began, before a restart if there was one; in seconds since 1970."""
        return self.memory.first(f"{id}/began", time.time())

    def _left(self, goal: Achieving, history: list[Iteration], reserve: int = 0) -> tuple[int, int]:
        """Primitive steps that a next iteration may take, and those of them for practice."""
        samples = self._limits(goal).samples - reserve
        left = samples - spent(history[len(goal.request.history) :])
        return left, for_practice(left, goal.request.task, self.config)

    def _ended(
        self,
        goal: Achieving,
        number: int,
        done: _Round,
        left: int | None,
        further: bool = False,
    ) -> Iteration:
        """The iteration as it ends, with the evaluation of its stages out of ``left`` primitive
        steps; None: not all stages are there to be evaluated."""
        id = _id(goal, number)
        evaluated = Evaluated(success_rate=0.0, episodes=[], steps=0)
        if left is not None:
            left -= done.training + done.trial
            evaluated = self._evaluate(goal, id, done.stages, left)
        iteration = Iteration(
            subtask=goal.request.subtask.name,
            number=number,
            lines=done.lines,
            stages=done.stages,
            success_rate=evaluated.success_rate,
            episodes=len(evaluated.episodes),
            samples=Samples(training=done.training, trial=done.trial, evaluation=evaluated.steps),
            seconds=max(time.time() - done.began, 0.0),
            video=evaluated.video,
            left=left_over(evaluated.episodes),
            cut=evaluated.cut,
            unseen=unseen(evaluated),
            guards=with_reports(done.guard_lines, [*done.reports, *evaluated.guards]),
            further=further,
        )
        return self.memory.keep(id, iteration)

    def _implement_all(
        self,
        goal: Achieving,
        id: str,
        decomposition: DecomposeAnswer,
        history: list[Iteration],
        done: _Round,
        practice: int,
    ) -> None:
        """Implement the sub-actions in their order, until one has no stage: what comes after it
        would start from a state that is never reached. ``practice``: samples for all of them and
        the guards to train."""
        # Guards that an earlier iteration trained need no samples.
        to_train = [
            each
            for each in decomposition.guards
            if each.method == "rl" and earlier_guard(each, history) is None
        ]
        for at, sub_action in enumerate(decomposition.sub_actions):
            earlier = earlier_success(sub_action, done.stages, done.guards, history)
            if earlier is not None:
                stage, line = earlier
            else:
                # Samples left by one go to the next; none may use up the others' share.
                parts = len(decomposition.sub_actions) - at + len(to_train)
                share = (practice - done.training - done.trial) // parts
                implemented = self._implement(goal, id, sub_action, done, history, share)
                done.count(implemented.samples, implemented.guards)
                stage, line = implemented.stage, implemented.line
            done.lines.append(line)
            if stage is None:
                return
            done.stages.append(stage)

    def _implement(
        self,
        goal: Achieving,
        id: str,
        sub_action: SubAction,
        done: _Round,
        history: list[Iteration],
        samples: int,
        further: Further | None = None,
    ) -> Implemented:
        request = Implement(
            task=_own_task(goal.request),
            sub_action=sub_action,
            before=list(done.stages),
            samples=samples,
            history=lines_of(sub_action, history),
            tried=tried(sub_action, history),
            earlier=None if further else success_elsewhere(sub_action, history),
            further=further,
            performed=goal.request.performed,
            guards=done.guards,
        )
        return self.run_goal(
            IMPLEMENT,
            f"{id}/{slug(sub_action.name)}",
            request,
            cancelled=lambda: goal.withdrawn,
        )

    def _guards(
        self,
        goal: Achieving,
        id: str,
        decomposition: DecomposeAnswer,
        history: list[Iteration],
        done: _Round,
        trained: bool,
        practice: int = 0,
    ) -> None:
        """Make the guards, those excepted that an earlier iteration had without a mistake: by code
        before the sub-actions, by rl when there are stages to be ``trained`` in, within what is
        left of ``practice``."""
        order = [slug(each.name) for each in decomposition.guards]
        waiting = [each for each in decomposition.guards if is_due(each, trained, history)]
        for number, proposal in enumerate(waiting):
            earlier = [
                line
                for iteration in history
                for line in iteration.guards
                if slug(line.proposal.name) == slug(proposal.name)
            ]
            place = sum(
                order.index(guard.name) < order.index(slug(proposal.name)) for guard in done.guards
            )
            known = earlier_guard(proposal, history)
            if known is None:
                request = MakeGuard(
                    task=_own_task(goal.request),
                    proposal=proposal,
                    sub_actions=decomposition.sub_actions,
                    history=earlier,
                    stages=done.stages,
                    place=place,
                    samples=(practice - done.training - done.trial) // (len(waiting) - number)
                    if trained
                    else None,
                )
                made = self.run_goal(
                    MAKE_GUARD,
                    f"{id}/guard-{slug(proposal.name)}",
                    request,
                    cancelled=lambda: goal.withdrawn,
                )
                done.count(made.samples, made.reports)
                known = made.guard, made.line
            guard, line = known
            done.guard_lines.append(line)
            if guard is not None:
                done.guards.insert(place, guard)
                guards = list(done.guards)
                done.stages = [
                    msgspec.structs.replace(stage, guards=guards) for stage in done.stages
                ]

    def _evaluate(self, goal: Achieving, id: str, stages: list[Stage], samples: int) -> Evaluated:
        return self.run_goal(
            EVALUATE,
            f"{id}/evaluate",
            Evaluate(task=_own_task(goal.request), stages=list(stages), samples=samples),
            cancelled=lambda: goal.withdrawn,
        )


def _id(goal: Achieving, number: int) -> str:
    return f"{goal.id}/iteration-{number}"


def _with_further(reason: str, last: Iteration, before: Iteration | None, limits: Limits) -> str:
    """Why the loop stopped, after its ``last`` iteration trained further what stood ``before``."""
    if reached(last, limits):
        return f"{reason} Then its policy was trained further. {reached_in_words(last, limits)}"
    if not last.episodes:
        return f"{reason} Its policy could not be trained further: {last.lines[-1].verdict.reason}"
    rate = 0.0 if before is None else before.tried_out
    return (
        f"{reason} Then its policy was trained further: success in tryouts went from {rate:.2f} to "
        f"{last.tried_out:.2f}."
    )


def left_over(episodes: list[Episode]) -> dict[str, int]:
    """What the successful episodes had in the end: of each item the lower median. Empty where none
    succeeded."""
    ends = [episode.after.inventory for episode in episodes if episode.success]
    items = dict.fromkeys(item for end in ends for item in end)
    usual = {item: median_low([end.get(item, 0) for end in ends]) for item in items}
    return {item: quantity for item, quantity in usual.items() if quantity}


def _own_task(request: AchieveSubtask) -> Task:
    """The task as the subtask has it: its success, not the whole goal's, ends an episode, which
    begins with what the plan expects there."""
    return msgspec.structs.replace(
        request.task, success=request.subtask.success, inventory=request.start
    )
