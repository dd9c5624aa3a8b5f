"""How far a goal has come: its plan, the subtasks that were practised with the iteration chosen for
each, and what all of it has cost. Practice and validation both read and change it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from messages.plan import (
    PERFORM,
    AchieveSubtask,
    GoalReport,
    Iteration,
    Limits,
    Lost,
    Perform,
    Performed,
    Practised,
    Stage,
    Subtask,
    SubtaskReport,
)
from messages.world import Aim, Task
from nodes.common.goals.budget import evaluation_episodes, longest_evaluation
from nodes.common.questions.asking import NoAnswer
from nodes.planner.losses import wanted_of_subtask
from nodes.planner.planning_node import EarlierPlan, PlanningNode, Pursuing
from worlds import card

Choice = dict[Aim, int]
"""A subtask and the number of the iteration that is chosen for it."""


@dataclass
class PractisedSubtask:
    """A subtask that is practised."""

    subtask: Subtask
    start: dict[str, int]
    id: str  # of its first practice
    iterations: list[Iteration] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)  # of the chosen iteration
    rounds: int = 0  # of practice after the first
    set_aside: set[int] = field(default_factory=set)  # iterations that validations did worse with

    def numbered(self, number: int | None) -> Iteration | None:
        return next((each for each in self.iterations if each.number == number), None)


class Progress:
    """How far one goal has come. ``task`` is the goal's, with a success that can be seen to
    hold."""

    def __init__(self, planner: PlanningNode, goal: Pursuing, task: Task) -> None:
        self.planner = planner
        self.goal = goal
        self.task = task
        self.subtasks: list[Subtask] = []
        self.iterations: list[Iteration] = []
        self.stopped: dict[str, str] = {}
        self.chosen: dict[str, int] = {}  # name of a subtask -> number of an iteration
        self.validations: list[Performed] = []
        self.practised: dict[Aim, PractisedSubtask] = {}
        self._steps = 0  # practices and performances

    @property
    def limits(self) -> Limits:
        """Those that count now. They may be set at any time, and are read once for each step: what
        was decided by them is decided again after a restart, and has to come out the same."""
        step = f"{self.goal.id}/limits-{self._steps}"
        return self.planner.limits_at(step, self.goal.request.limits)

    @property
    def config(self) -> Mapping[str, Any]:
        return self.planner.config

    @property
    def spent(self) -> int:
        """Primitive steps so far, those of validations counted."""
        practised = sum(iteration.samples.total for iteration in self.iterations)
        return practised + sum(validation.steps for validation in self.validations)

    @property
    def left_to_validate(self) -> int:
        """The samples that are left before the performance, all of whose samples are kept back."""
        return self.limits.samples - self.spent - longest_evaluation(self.task, self.config)

    def publish_plan(self, current: int | None = None) -> None:
        """Publish the plan, of which subtask ``current`` is practised; None: none is any more."""
        at = len(self.subtasks) if current is None else current
        self.planner.publish_plan(self.goal, self.subtasks, at)

    def achieve(
        self, known: PractisedSubtask, id: str, samples: int, performed: Lost | None = None
    ) -> SubtaskReport:
        """Have a subtask practised with so many samples, and note its iterations."""
        # A new plan may be longer, so the rate is that of the present one.
        rate = wanted_of_subtask(self.limits, len(self.subtasks), evaluation_episodes(self.config))
        begun = card(self.task.game).planning.practised_from(self.task, known.start)
        request = AchieveSubtask(
            task=msgspec.structs.replace(begun, inventory=self.task.inventory),
            subtask=known.subtask,
            start=begun.inventory,
            limits=msgspec.structs.replace(
                self.limits, samples=samples, success_rate=rate, goal_rate=None
            ),
            history=list(known.iterations),
            performed=performed,
            # So that a plan can still be validated.
            reserve=longest_evaluation(self.task, self.config) if len(self.subtasks) > 1 else 0,
        )
        achieved = self.planner.achieve(self.goal, id, request)
        self._steps += 1
        known.iterations.extend(achieved.iterations)
        self.iterations.extend(achieved.iterations)
        self.stopped[known.subtask.name] = achieved.reason
        return achieved

    def perform(self, id: str, samples: int, validation: int | None = None) -> Performed:
        """Have the whole goal performed: on seeds of the numbered validation, or (None) on those
        that decide nothing."""
        request = Perform(
            task=self.task,
            subtasks=[
                Practised(subtask=each.subtask, stages=each.stages)
                for each in self.practised.values()
            ],
            samples=samples,
            validation=validation,
        )
        goal = self.goal
        played = self.planner.run_goal(PERFORM, id, request, cancelled=lambda: goal.withdrawn)
        self._steps += 1
        return played

    def planned_again(
        self, id: str, task: Task, earlier: EarlierPlan
    ) -> tuple[list[Subtask], list[str]]:
        """A new plan, and what is wrong with it. Where there is no answer there is none, and the
        goal goes on with the old one, also after a restart: there may be an answer by then, and
        what was practised for the old plan would be lost."""
        memory, name = self.planner.memory, f"{id}/unanswered"
        if (unanswered := memory.find(name, str)) is not None:
            return [], [unanswered]
        try:
            return self.planner.plan(id, task, earlier)
        except NoAnswer as error:
            self.planner.log.warning("%s: there is no new plan: %s", self.goal.id, error)
            return [], [memory.keep(name, str(error))]

    def choose(self, known: PractisedSubtask, iteration: Iteration) -> None:
        """Have this iteration's stages play the subtask in performances."""
        self.chosen[known.subtask.name] = iteration.number
        known.stages = iteration.stages

    def choice(self) -> Choice:
        return {key: self.chosen[each.subtask.name] for key, each in self.practised.items()}

    def perform_in_order(self, aims: Sequence[Aim]) -> None:
        """Have these practised subtasks make up the plan from now on, and no others."""
        self.practised = {aim: self.practised[aim] for aim in aims}
        self.subtasks[:] = [each.subtask for each in self.practised.values()]
        self.publish_plan()

    def report(
        self, success: bool, reason: str, performance: Performed | None = None
    ) -> GoalReport:
        self.planner.log.info("%s: %s", self.goal.id, reason)
        return GoalReport(
            task=self.task,
            subtasks=self.subtasks,
            iterations=self.iterations,
            success=success,
            reason=reason,
            performance=performance,
            stopped=self.stopped,
            chosen=self.chosen,
            validations=self.validations,
        )
