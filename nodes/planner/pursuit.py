"""One goal on its way: its subtasks practised one after another, each from where the plan expects
it to begin, and the whole performed on validation seeds. Where that falls short, the subtasks that
lost the most are practised further, as long as iterations and samples last; what a validation did
worse with is taken back. What stands in the end is performed on seeds that decided nothing."""

from collections.abc import Callable, Mapping
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
from nodes.common.checks.plan_check import shortfalls
from nodes.common.goals.budget import (
    counted,
    evaluation_episodes,
    for_practice,
    least,
    least_again,
    longest_evaluation,
    too_few,
)
from nodes.common.goals.goal_ids import slug
from nodes.common.questions.asking import NoAnswer
from nodes.planner.iteration_choice import chosen_iteration, lost_to_time, merit, quicker
from nodes.planner.losses import losses, to_practise, wanted_of_goal, wanted_of_subtask
from nodes.planner.planning_node import EarlierPlan, PlanningNode, Pursuing
from worlds import card

Choice = dict[Aim, int]
"""A subtask and the number of the iteration that is chosen for it."""


_NOT_VALIDATED = "Too few samples were left for a validation or for further practice."


@dataclass
class _Subtask:
    """A subtask that was practised."""

    subtask: Subtask
    start: dict[str, int]
    id: str  # of its first practice
    iterations: list[Iteration] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    rounds: int = 0  # of practice after validations
    set_aside: set[int] = field(default_factory=set)  # iterations that validations did worse with

    def numbered(self, number: int | None) -> Iteration | None:
        return next((each for each in self.iterations if each.number == number), None)


class Pursuit:
    def __init__(
        self,
        planner: PlanningNode,
        goal: Pursuing,
        task: Task,
    ) -> None:
        """``task``: the goal's, with a success that can be seen to hold."""
        self._planner = planner
        self._goal = goal
        self.task = task
        self.subtasks: list[Subtask] = []
        self.iterations: list[Iteration] = []
        self.stopped: dict[str, str] = {}
        self.chosen: dict[str, int] = {}
        self.validations: list[Performed] = []
        self.performance: Performed | None = None
        self._steps = 0  # practices and performances so far
        self._choices: list[Choice] = []  # of each validation, what stood in it
        self._best = 0  # index of the best validation, on a tie the last
        self._practised: dict[Aim, _Subtask] = {}
        # Subtasks that never worked, each with how much it was to bring, and why.
        self._failed: dict[tuple[Aim, int], str] = {}

    @property
    def limits(self) -> Limits:
        """Those that count now. They may be set at any time, and are read once for each step: what
        was decided by them is decided again after a restart, and has to come out the same."""
        step = f"{self._goal.id}/limits-{self._steps}"
        return self._planner.limits_at(step, self._goal.request.limits)

    @property
    def _wanted(self) -> float:
        """The rate that each subtask of the present plan is to reach: a new plan may be longer."""
        episodes = evaluation_episodes(self._config)
        return wanted_of_subtask(self.limits, len(self.subtasks), episodes)

    @property
    def _config(self) -> Mapping[str, Any]:
        return self._planner.config

    def run(self) -> GoalReport:
        goal, task, limits = self._goal, self.task, self.limits
        try:
            self.subtasks, problems = self._planner.plan(goal.id, task)
        except NoAnswer as error:
            return self._report(False, f"There is no plan: {error}")
        if problems:
            return self._report(False, f"No valid plan was given: {' '.join(problems)}")
        if problem := too_few(limits.samples, task):
            return self._report(False, problem)
        single = len(self.subtasks) == 1

        def practice() -> int:
            samples = self.limits.samples  # they may be set while a subtask is practised
            return samples if single else for_practice(samples, task, self._config)

        rest, held = list(self.subtasks), card(task.game).planning.begun(task)
        self.subtasks.clear()  # from here on: those practised, in order, and those to come
        if failed := self._practise(rest, held, practice, single):
            return self._report(False, failed)
        self._planner.publish_plan(goal, self.subtasks, len(self.subtasks))
        if single:
            return self._report(True, "All subtasks were achieved.")
        return self._perform()

    # ---- practice

    def _practise(
        self, rest: list[Subtask], held: dict[str, int], practice: Callable[[], int], single: bool
    ) -> str:
        """Practise what is not practised yet. Returns why that failed, or nothing."""
        planning = card(self.task.game).planning
        while rest:
            self._goal.check()
            subtask = self._with_own_name(rest.pop(0))
            start = held
            if rest:  # a goal that is not planned may be one that the rules know no way to
                held = planning.expected([subtask], held, later=rest)
            if subtask.success.aim in self._practised:
                continue
            if failed := self._failed.get((subtask.success.aim, subtask.success.quantity)):
                return failed
            done = len(self._practised)
            to_come = [s for s in rest if s.success.aim not in self._practised]
            self.subtasks[done:] = [subtask, *to_come]
            self._planner.publish_plan(self._goal, self.subtasks, done)
            # Samples left by one go to the next; none may use up the others' share.
            samples = (practice() - self._spent()) // (1 + len(to_come))
            if samples < least(self.task):
                return self._too_few(subtask, samples, practice())
            known = _Subtask(subtask, start, f"{self._goal.id}/{done}-{slug(subtask.name)}")
            others = len(to_come) * least_again(self.task, self._config)
            if failed := self._begin(known, samples, single, practice, others):
                self._failed[subtask.success.aim, subtask.success.quantity] = failed
                return failed
            stands = known.numbered(self.chosen[subtask.name])
            left = dict(stands.left) if stands is not None else {}
            if left:  # the inventories that were counted do not say where the player was
                left |= {place: held[place] for place in planning.places if held.get(place, 0)}
            if left and (problems := shortfalls(self.task, rest, left)):
                rest, held = self._plan_again(done, left, problems, rest, held)
        return ""

    def _too_few(self, subtask: Subtask, share: int, practice: int) -> str:
        """Why a subtask cannot be begun with its ``share`` of the samples."""
        samples = self.limits.samples
        kept = samples - practice
        for_performance = f" and {kept:,} are kept back for the performance" if kept else ""
        return (
            f"{subtask.name}: {max(0, share):,} samples are its share, and trying and evaluating "
            f"one episode may take {least(self.task):,}. Of all {samples:,}, {self._spent():,} are "
            f"spent{for_performance}: raise limits.samples."
        )

    def _with_own_name(self, subtask: Subtask) -> Subtask:
        """A subtask of a new plan may have the name of another one that was practised, and what is
        kept of subtasks is kept by name."""
        others = {
            each.subtask.name for key, each in self._practised.items() if key != subtask.success.aim
        }
        name, number = subtask.name, 2
        while name in others:
            name, number = f"{subtask.name} ({number})", number + 1
        return msgspec.structs.replace(subtask, name=name)

    def _begin(
        self,
        known: _Subtask,
        samples: int,
        single: bool,
        practice: Callable[[], int],
        others: int,
    ) -> str:
        """Practise a subtask for the first time. Returns why that failed, or nothing. If it never
        succeeded and its share is spent, it gets the rest of ``practice`` except what the
        ``others`` need; otherwise the goal ends here and their shares stay unused."""
        name = known.subtask.name
        achieved = self._achieve(known, known.id, samples)
        while not single and self._starved(known, achieved, samples):
            samples = practice() - self._spent() - others
            if samples < least_again(self.task, self._config):
                break
            known.rounds += 1
            achieved = self._achieve(known, f"{known.id}/again-{known.rounds}", samples)
        stands = known.numbered(achieved.chosen)
        if not single:
            stands = chosen_iteration(achieved, known.iterations)
        if stands is not None:
            self.chosen[name] = stands.number
        if single and not achieved.success:
            return f"{name}: {achieved.reason}"
        if stands is None:
            return f"{name}: no iteration of it could be evaluated. {achieved.reason}"
        if stands.success_rate == 0:
            why = "no iteration of it worked in any episode of its evaluation"
            return f"{name}: {why}. {achieved.reason}"
        known.stages = stands.stages
        self._practised[known.subtask.success.aim] = known
        return ""

    def _starved(self, known: _Subtask, achieved: SubtaskReport, samples: int) -> bool:
        """Whether a subtask that never worked stopped because its samples were spent."""
        if any(each.success_rate > 0 for each in known.iterations):
            return False
        left = samples - sum(each.samples.total for each in achieved.iterations if not each.further)
        more = least_again(self.task, self._config)
        return left < more and counted(known.iterations) < self.limits.iterations

    def _achieve(
        self, known: _Subtask, id: str, samples: int, performed: Lost | None = None
    ) -> SubtaskReport:
        limits = msgspec.structs.replace(
            self.limits, samples=samples, success_rate=self._wanted, goal_rate=None
        )
        begun = card(self.task.game).planning.task_from(self.task, known.start)
        request = AchieveSubtask(
            task=msgspec.structs.replace(begun, inventory=self.task.inventory),
            subtask=known.subtask,
            start=begun.inventory,
            limits=limits,
            history=list(known.iterations),
            performed=performed,
            # So that a plan can still be validated.
            reserve=longest_evaluation(self.task, self._config) if len(self.subtasks) > 1 else 0,
        )
        achieved = self._planner.achieve(self._goal, id, request)
        self._steps += 1
        known.iterations.extend(achieved.iterations)
        self.iterations.extend(achieved.iterations)
        self.stopped[known.subtask.name] = achieved.reason
        return achieved

    def _plan_again(
        self,
        done: int,
        left: dict[str, int],
        problems: list[str],
        rest: list[Subtask],
        held: dict[str, int],
    ) -> tuple[list[Subtask], dict[str, int]]:
        """The rest of the plan from what a subtask really left, and that inventory; the old rest
        and what it expected where there is no valid new plan."""
        reasons = " ".join(problems)
        self._planner.log.info("%s: the rest of the plan is invalid: %s", self._goal.id, reasons)
        from_here = card(self.task.game).planning.task_from(self.task, left)
        id = f"{self._goal.id}/again-{done}"
        refused = EarlierPlan(refused=rest, problems=problems)
        again, wrong = self._planned_again(id, from_here, refused)
        return (rest, held) if wrong else (again, left)

    def _planned_again(
        self, id: str, task: Task, earlier: EarlierPlan
    ) -> tuple[list[Subtask], list[str]]:
        """A new plan, and what is wrong with it. Where there is no answer there is none, and the
        goal goes on with the old one, also after a restart: there may be an answer by then, and
        what was practised for the old plan would be lost."""
        memory, name = self._planner.memory, f"{id}/unanswered"
        if (unanswered := memory.find(name, str)) is not None:
            return [], [unanswered]
        try:
            return self._planner.plan(id, task, earlier)
        except NoAnswer as error:
            self._planner.log.warning("%s: there is no new plan: %s", self._goal.id, error)
            return [], [memory.keep(name, str(error))]

    # ---- performances

    def _perform(self) -> GoalReport:
        wanted = wanted_of_goal(self.limits)
        why = self._validate(wanted)
        left = self.limits.samples - self._spent()
        performance = self.performance = self._perform_once(f"{self._goal.id}/perform", left)
        success, reason = _judged(performance, wanted)
        return self._report(success, reason if success else f"{reason} {why}".strip())

    def _validate(self, wanted: float) -> str:
        """Perform on validation seeds and practise further, until the rate is reached or nothing
        new is to be had; why nothing is, if so."""
        while (left := self._before_the_last()) >= longest_evaluation(self.task, self._config):
            number = len(self.validations)
            validation = self._perform_once(f"{self._goal.id}/validate-{number}", left, number)
            self.validations.append(validation)
            self._choices.append(self._choice())
            self._keep_the_better()
            reached, reason = _judged(validation, wanted)
            if reached:
                return ""
            if why := self._go_on(wanted):
                return f"Before, on validation seeds: {reason} {why}"
        return "" if self.validations else _NOT_VALIDATED

    def _before_the_last(self) -> int:
        """The samples that are left before the last performance, of which all is kept back."""
        kept = longest_evaluation(self.task, self._config)
        return self.limits.samples - self._spent() - kept

    def _perform_once(self, id: str, samples: int, validation: int | None = None) -> Performed:
        request = Perform(
            task=self.task,
            subtasks=[
                Practised(subtask=each.subtask, stages=each.stages)
                for each in self._practised.values()
            ],
            samples=samples,
            validation=validation,
        )
        goal = self._goal
        played = self._planner.run_goal(PERFORM, id, request, cancelled=lambda: goal.withdrawn)
        self._steps += 1
        return played

    def _choice(self) -> Choice:
        return {key: self.chosen[each.subtask.name] for key, each in self._practised.items()}

    def _keep_the_better(self) -> None:
        """Take back what has changed since the best validation, if the last went worse."""
        last = self.validations[-1]
        if merit(last) >= merit(self.validations[self._best]):
            self._best = len(self.validations) - 1
            return
        now = self._choice()
        for key, number in self._choices[self._best].items():
            subtask = self._practised[key]
            if now[key] != number and (before := subtask.numbered(number)) is not None:
                self._planner.log.info(
                    "%s: iteration %d of %s stands again, the validation went worse with %d",
                    self._goal.id, number, subtask.subtask.name, now[key],
                )  # fmt: skip
                subtask.set_aside.add(now[key])
                self._stand(subtask, before)

    def _stand(self, subtask: _Subtask, iteration: Iteration) -> None:
        self.chosen[subtask.subtask.name] = iteration.number
        subtask.stages = iteration.stages

    def _go_on(self, wanted: float) -> str:
        """Have what is quicker stand where time is short, or practise further what lost the most;
        why there is nothing new to perform, if so."""
        number, config = len(self.validations), self._config
        validation = self.validations[self._best]
        lost = losses(validation)
        if not lost:
            return "No subtask is known at which it was lost."
        left = self._before_the_last()
        if left >= longest_evaluation(self.task, config) and self._quicken(validation):
            return ""
        practice = for_practice(left, self.task, config)
        if practice < least_again(self.task, config):
            return "The samples that are left are not enough to practise further and perform again."
        before = self._choice()
        until = self._spent() + practice
        if self._best == number - 1:
            self._ask_again(number, lost, until)
        reasons = self._further(to_practise(lost, validation, wanted), until)
        if self._choice() == before:
            return f"Practising further brought nothing better: {' '.join(reasons)}".strip()
        return ""

    def _quicken(self, validation: Performed) -> bool:
        """Where the steps were used up, choose the quickest iteration of each subtask. Returns
        whether that combination is new."""
        if not lost_to_time(validation):
            return False
        found: list[tuple[_Subtask, Iteration]] = []
        for subtask in self._practised.values():
            stands = subtask.numbered(self.chosen[subtask.subtask.name])
            if stands is None:
                continue
            other = quicker(stands, subtask.iterations, subtask.set_aside, self.task.horizon)
            if other is not None:
                found.append((subtask, other))
        quickest = {subtask.subtask.success.aim: other.number for subtask, other in found}
        if self._choice() | quickest in [*self._choices, self._choice()]:
            return False
        for subtask, other in found:
            self._stand(subtask, other)
        return True

    def _ask_again(self, number: int, lost: list[Lost], until: int) -> None:
        """Ask for the plan again, with what was lost; practise what is new in it."""
        id = f"{self._goal.id}/after-{number}"
        practised = [each.subtask for each in self._practised.values()]
        performed = EarlierPlan(practised=practised, performed=lost)
        again, wrong = self._planned_again(id, self.task, performed)
        if wrong or all(each.success.aim in self._practised for each in again):
            return
        begun = card(self.task.game).planning.begun(self.task)
        if failed := self._practise(list(again), begun, lambda: until, single=False):
            self._planner.log.info("%s: not all of the new plan: %s", self._goal.id, failed)
        self._order_by(again)
        self.subtasks[:] = [each.subtask for each in self._practised.values()]
        self._planner.publish_plan(self._goal, self.subtasks, len(self.subtasks))

    def _order_by(self, plan: list[Subtask]) -> None:
        """Have what was practised in the order of a new plan; what is not in it comes first."""
        order = [each.success.aim for each in plan]
        others = [key for key in self._practised if key not in order]
        planned = [key for key in order if key in self._practised]
        self._practised = {key: self._practised[key] for key in [*others, *planned]}

    def _further(self, lost: list[Lost], until: int) -> list[str]:
        """Practise these further; why nothing was gained, where nothing was."""
        reasons: list[str] = []
        known = {each.success.aim: each for each in lost}
        open_to = [
            (self._practised[key], each) for key, each in known.items() if key in self._practised
        ]
        for place, (subtask, each) in enumerate(open_to):
            self._goal.check()
            name = subtask.subtask.name
            if counted(subtask.iterations) >= self.limits.iterations:
                reasons.append(f"{name}: the iterations are spent ({self.limits.iterations}).")
                continue
            samples = (until - self._spent()) // (len(open_to) - place)
            if samples < least_again(self.task, self._config):
                reasons.append(f"{name}: the samples are spent.")
                continue
            subtask.rounds += 1
            achieved = self._achieve(subtask, f"{subtask.id}/again-{subtask.rounds}", samples, each)
            stands = chosen_iteration(achieved, subtask.iterations, subtask.set_aside)
            if stands is not None and stands.success_rate > 0:
                self._stand(subtask, stands)
            reasons.append(f"{name}: {achieved.reason}")
        return reasons

    def _report(self, success: bool, reason: str) -> GoalReport:
        self._planner.log.info("%s: %s", self._goal.id, reason)
        return GoalReport(
            task=self.task,
            subtasks=self.subtasks,
            iterations=self.iterations,
            success=success,
            reason=reason,
            performance=self.performance,
            stopped=self.stopped,
            chosen=self.chosen,
            validations=self.validations,
        )

    def _spent(self) -> int:
        """Primitive steps so far, those of validations counted."""
        practised = sum(iteration.samples.total for iteration in self.iterations)
        return practised + sum(validation.steps for validation in self.validations)


def _judged(performance: Performed, wanted: float) -> tuple[bool, str]:
    """Whether the goal was reached, and how often."""
    rate, count = performance.success_rate, len(performance.episodes)
    cut = " The samples were not enough for the other episodes." if performance.cut else ""
    return (
        rate >= wanted and not performance.cut,
        f"The whole goal was reached in {round(rate * count)} of {count} episodes from its own "
        f"start ({rate:.2f}, wanted: {wanted:.2f}).{cut}",
    )
