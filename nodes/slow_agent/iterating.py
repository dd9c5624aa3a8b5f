"""One iteration of the outer loop: its sub-actions are implemented, its guards made, and its stages
evaluated."""

import time
from statistics import median_low

import msgspec

from messages.bus import GoalHandle
from messages.chat import DecomposeAnswer
from messages.interface import Action, Feedback, Goal, Result
from messages.plan import (
    EVALUATE,
    IMPLEMENT,
    MAKE_GUARD,
    AchieveSubtask,
    Evaluate,
    Evaluated,
    Further,
    GuardLine,
    GuardProposal,
    Implement,
    Implemented,
    Iteration,
    Line,
    MakeGuard,
    Samples,
    Stage,
    SubAction,
    to_play,
)
from messages.world import Episode, Guard, GuardReport, Task
from models.outcomes import unseen
from nodes.common.goals.goal_ids import guard_slug, slug
from nodes.common.storage.node_memory import Memory
from nodes.node import Node
from nodes.slow_agent.guard_lines import earlier_guard, earlier_lines, is_due, with_reports
from nodes.slow_agent.remembering import (
    earlier_success,
    lines_of,
    success_elsewhere,
    tried,
)

_NONE_LEFT = "No episode had a step left for what follows."
_LEFT_OUT = "It was left out: what follows began in its place."

Achieving = GoalHandle[AchieveSubtask, Iteration]


def begin(memory: Memory, id: str) -> float:
    """When the iteration of that id began, in seconds since 1970: now, unless it did before."""
    return memory.first(f"{id}/began", time.time())


def has_begun(memory: Memory, id: str) -> bool:
    return memory.find(f"{id}/began", float) is not None


def iteration_id(goal: Achieving, number: int) -> str:
    return f"{goal.id}/iteration-{number}"


class Iterating:
    """An iteration under way, and what it has gathered so far.

    Args:
        node: the slow agent, which asks the fast agent.
        memory: the node's; the iteration is kept there when it has ended.
        goal: the subtask.
        history: the iterations before it.
    """

    def __init__(
        self, node: Node, memory: Memory, goal: Achieving, history: list[Iteration]
    ) -> None:
        self._node = node
        self._memory = memory
        self._goal = goal
        self._history = history
        self._number = len(history)
        self._id = iteration_id(goal, self._number)
        self._began = begin(memory, self._id)
        # The task as the subtask has it: its success, not the whole goal's, ends an episode, which
        # begins with what the plan expects there.
        request = goal.request
        self._task: Task = msgspec.structs.replace(
            request.task, success=request.subtask.success, inventory=request.start
        )
        self._stages: list[Stage] = []
        self._lines: list[Line] = []
        self._training = self._trial = 0
        self._guards: list[Guard] = []
        self._guard_lines: list[GuardLine] = []
        self._reports: list[GuardReport] = []  # of tryouts

    def implement(self, decomposition: DecomposeAnswer, practice: int) -> bool:
        """Implement the sub-actions in their order. Those that came to nothing are left out, and
        what follows begins in their place: after them nothing could be learned. ``practice``:
        samples for all of them and the guards to train. Returns whether the last one, which alone
        can end in the subtask's success, has a stage."""
        # Guards that an earlier iteration trained need no samples.
        to_train = [
            each
            for each in decomposition.guards
            if each.method == "rl" and earlier_guard(each, self._history) is None
        ]
        for at, sub_action in enumerate(decomposition.sub_actions):
            earlier = earlier_success(sub_action, self._stages, self._guards, self._history)
            if earlier is None:
                # Samples left by one go to the next; none may use up the others' share.
                parts = len(decomposition.sub_actions) - at + len(to_train)
                made = self._implement(sub_action, (practice - self._spent) // parts)
                earlier = made.stage, made.line
            self._take(*earlier, last=sub_action is decomposition.sub_actions[-1])
        return len(self._stages) == len(self._lines)

    def train_further(self, more: Further, practice: int) -> bool:
        """Have ``more``'s stage again, with its policy trained further, after the stages that it
        had before it. Returns whether there is one."""
        before = next(each for each in reversed(self._history) if more.stage in each.stages[-1:])
        self._stages, self._lines = before.stages[:-1], before.lines[:-1]
        self._guards = more.stage.guards
        # Its guards were compared in tryouts of that iteration.
        self._guard_lines = [
            msgspec.structs.replace(line, report=None, tried=None) for line in before.guards
        ]
        made = self._implement(more.stage.sub_action, practice, more)
        self._take(made.stage, made.line, last=True)
        return made.stage is not None

    def make_guards(self, decomposition: DecomposeAnswer, practice: int | None = None) -> None:
        """Make the guards, those excepted that an earlier iteration had without a mistake: by code
        before the sub-actions; by rl when there are stages to be trained in, within what is left of
        ``practice``."""
        order = [slug(each.name) for each in decomposition.guards]
        due = [
            each
            for each in decomposition.guards
            if is_due(each, practice is not None, self._history)
        ]
        for number, proposal in enumerate(due):
            place = _place(order, proposal, self._guards)
            made = earlier_guard(proposal, self._history)
            if made is None:
                left = None if practice is None else practice - self._spent
                share = None if left is None else left // (len(due) - number)
                made = self._make_guard(proposal, decomposition.sub_actions, place, share)
            guard, line = made
            self._guard_lines.append(line)
            if guard is not None:
                self._guards.insert(place, guard)
                guards = list(self._guards)
                self._stages = [
                    msgspec.structs.replace(stage, guards=guards) for stage in self._stages
                ]

    def end(self, left: int | None, further: bool = False) -> Iteration:
        """The iteration as it ends, with the evaluation of its stages out of ``left`` primitive
        steps; None: not all stages are there to be evaluated."""
        evaluated = Evaluated(success_rate=0.0, episodes=[], steps=0)
        if left is not None:
            evaluated = self._evaluate(left - self._spent)
        iteration = Iteration(
            subtask=self._goal.request.subtask.name,
            number=self._number,
            lines=self._lines,
            stages=self._stages,
            success_rate=evaluated.success_rate,
            episodes=len(evaluated.episodes),
            samples=Samples(training=self._training, trial=self._trial, evaluation=evaluated.steps),
            seconds=max(time.time() - self._began, 0.0),
            video=evaluated.video,
            left=left_over(evaluated.episodes),
            cut=evaluated.cut,
            unseen=unseen(evaluated),
            guards=with_reports(self._guard_lines, [*self._reports, *evaluated.guards]),
            further=further,
        )
        return self._memory.keep(self._id, iteration)

    # ---- inside

    @property
    def _spent(self) -> int:
        return self._training + self._trial

    def _count(self, samples: Samples, reports: list[GuardReport]) -> None:
        self._training += samples.training
        self._trial += samples.trial
        self._reports += reports

    def _take(self, stage: Stage | None, line: Line, last: bool) -> None:
        """Take in how a sub-action went. Before the last one, a sub-action that has no stage, or
        after which no episode went on, is left out."""
        kept_so = stage is not None and stage.left_out  # by an earlier iteration
        if not last and not kept_so and (stage is None or line.none_left):
            stage = stage or Stage(sub_action=line.sub_action, guards=self._guards)
            stage = msgspec.structs.replace(stage, left_out=True)
            why = [line.verdict.reason, _NONE_LEFT if line.none_left else "", _LEFT_OUT]
            reason = " ".join(each for each in why if each)
            verdict = msgspec.structs.replace(line.verdict, reason=reason)
            line = msgspec.structs.replace(line, verdict=verdict)
        self._lines.append(line)
        if stage is not None:
            self._stages.append(stage)

    def _implement(
        self, sub_action: SubAction, samples: int, further: Further | None = None
    ) -> Implemented:
        history = self._history
        request = Implement(
            task=self._task,
            sub_action=sub_action,
            before=to_play(self._stages),
            samples=samples,
            history=lines_of(sub_action, history),
            tried=tried(sub_action, history),
            earlier=None if further else success_elsewhere(sub_action, history),
            further=further,
            performed=self._goal.request.performed,
            guards=self._guards,
        )
        implemented = self._have_done(IMPLEMENT, slug(sub_action.name), request)
        self._count(implemented.samples, implemented.guards)
        return implemented

    def _make_guard(
        self,
        proposal: GuardProposal,
        sub_actions: list[SubAction],
        place: int,
        samples: int | None,
    ) -> tuple[Guard | None, GuardLine]:
        request = MakeGuard(
            task=self._task,
            proposal=proposal,
            sub_actions=sub_actions,
            history=earlier_lines(proposal, self._history),
            stages=to_play(self._stages),
            place=place,
            samples=samples,
        )
        made = self._have_done(MAKE_GUARD, guard_slug(proposal.name), request)
        self._count(made.samples, made.reports)
        return made.guard, made.line

    def _evaluate(self, samples: int) -> Evaluated:
        request = Evaluate(task=self._task, stages=list(self._stages), samples=samples)
        return self._have_done(EVALUATE, "evaluate", request)

    def _have_done(
        self, action: Action[Goal, Feedback, Result], name: str, request: Goal
    ) -> Result:
        """Have the fast agent reach a goal of this iteration, for as long as the subtask is
        wanted."""
        return self._node.run_goal(
            action, f"{self._id}/{name}", request, cancelled=lambda: self._goal.withdrawn
        )


def _place(order: list[str], proposal: GuardProposal, guards: list[Guard]) -> int:
    """Where a guard belongs among those made so far, in the ``order`` in which all are proposed."""
    own = order.index(slug(proposal.name))
    return sum(order.index(guard.name) < own for guard in guards)


def left_over(episodes: list[Episode]) -> dict[str, int]:
    """What the successful episodes had in the end: of each item the lower median. Empty where none
    succeeded."""
    ends = [episode.after.inventory for episode in episodes if episode.success]
    items = dict.fromkeys(item for end in ends for item in end)
    usual = {item: median_low([end.get(item, 0) for end in ends]) for item in items}
    return {item: quantity for item, quantity in usual.items() if quantity}
