"""Validating a plan that was practised: the whole goal is performed on validation seeds. Where it
falls short, the subtasks that lost the most are practised further, as long as iterations and
samples last, and what a validation did worse with is taken back."""

from messages.plan import Iteration, Lost, Performed
from messages.world import Aim
from nodes.common.goals.budget import for_practice, least_again, longest_evaluation
from nodes.planner.iteration_choice import lost_to_time, merit, quicker
from nodes.planner.losses import losses, reached, to_practise
from nodes.planner.planning_node import EarlierPlan
from nodes.planner.practice import Practice
from nodes.planner.progress import Choice, PractisedSubtask, Progress
from worlds import card


class Validation:
    def __init__(self, progress: Progress, practice: Practice) -> None:
        self._progress = progress
        self._practice = practice
        # The iterations that each validation was performed with, in the order of its plan.
        self._choices: list[Choice] = []
        # Of plans that a validation did worse with.
        self._left_out: dict[Aim, PractisedSubtask] = {}
        self._best = 0  # index of the best validation, on a tie the last

    def run(self, wanted: float) -> str:
        """Validate and practise further, until the rate is reached or nothing new is to be had.
        Returns why the rate was not reached, or nothing."""
        progress = self._progress
        longest = longest_evaluation(progress.task, progress.config)
        while (left := progress.left_to_validate) >= longest:
            number = len(progress.validations)
            played = progress.perform(f"{progress.goal.id}/validate-{number}", left, number)
            progress.validations.append(played)
            self._choices.append(progress.choice())
            self._keep_the_better()
            enough, reason = reached(played, wanted)
            if enough:
                return ""
            if why := self._go_on(wanted):
                return f"Before, on validation seeds: {reason} {why}"
        if progress.validations:
            return ""
        return "Too few samples were left for a validation or for further practice."

    def _keep_the_better(self) -> None:
        """Take back what has changed since the best validation, if the last went worse."""
        progress = self._progress
        played = progress.validations
        if merit(played[-1]) >= merit(played[self._best]):
            self._best = len(played) - 1
            return
        now = progress.choice()
        best = self._choices[self._best]
        for aim, number in best.items():
            subtask = progress.practised[aim]
            if now[aim] != number and (before := subtask.numbered(number)) is not None:
                progress.planner.log.info(
                    "%s: iteration %d of %s is taken again, as the validation went worse with %d",
                    progress.goal.id, number, subtask.subtask.name, now[aim],
                )  # fmt: skip
                subtask.set_aside.add(now[aim])
                progress.choose(subtask, before)
        if list(now) != list(best):
            progress.planner.log.info(
                "%s: the plan before is taken again, as the validation went worse with the new one",
                progress.goal.id,
            )
            added = now.keys() - best.keys()
            self._left_out |= {aim: progress.practised[aim] for aim in added}
            progress.perform_in_order(list(best))

    def _go_on(self, wanted: float) -> str:
        """Choose quicker iterations where time is short, or practise further what lost the most.
        Returns why there is nothing new to perform, if so."""
        progress = self._progress
        best = progress.validations[self._best]
        lost = losses(best)
        if not lost:
            return "No subtask is known at which it was lost."
        left = progress.left_to_validate
        if left >= longest_evaluation(progress.task, progress.config) and self._quicken(best):
            return ""
        practice = for_practice(left, progress.task, progress.config)
        if practice < least_again(progress.task, progress.config):
            return "The samples that are left are not enough to practise further and perform again."
        before = progress.choice()
        until = progress.spent + practice
        if best is progress.validations[-1]:
            self._ask_again(lost, until)
        reasons = self._practice.further(to_practise(lost, best, wanted), until)
        if progress.choice() == before:
            return f"Practising further brought nothing better: {' '.join(reasons)}".strip()
        return ""

    def _quicken(self, validation: Performed) -> bool:
        """Where the steps were used up, choose the quickest iteration of each subtask. Returns
        whether that combination is new."""
        progress = self._progress
        if not lost_to_time(validation):
            return False
        found: list[tuple[PractisedSubtask, Iteration]] = []
        for subtask in progress.practised.values():
            chosen = subtask.numbered(progress.chosen[subtask.subtask.name])
            if chosen is None:
                continue
            other = quicker(chosen, subtask.iterations, subtask.set_aside, progress.task.horizon)
            if other is not None:
                found.append((subtask, other))
        quickest = {subtask.subtask.success.aim: other.number for subtask, other in found}
        now = progress.choice()
        if now | quickest in [*self._choices, now]:
            return False
        for subtask, other in found:
            progress.choose(subtask, other)
        return True

    def _ask_again(self, lost: list[Lost], until: int) -> None:
        """Ask for the plan again, with what was lost; practise what is new in it."""
        progress = self._progress
        id = f"{progress.goal.id}/after-{len(progress.validations)}"
        practised = [each.subtask for each in progress.practised.values()]
        performed = EarlierPlan(practised=practised, performed=lost)
        again, wrong = progress.planned_again(id, progress.task, performed)
        order = [each.success.aim for each in again]
        if wrong or all(aim in progress.practised or aim in self._left_out for aim in order):
            return
        for aim in order:
            if aim in self._left_out:  # it is practised, and the rest of the plan is another
                progress.practised[aim] = self._left_out.pop(aim)
        begun = card(progress.task.game).planning.begun(progress.task)
        if failed := self._practice.first(again, begun, lambda: until):
            progress.planner.log.info("%s: not all of the new plan: %s", progress.goal.id, failed)
        # In the order of the new plan; what is not in it comes first.
        others = [aim for aim in progress.practised if aim not in order]
        planned = [aim for aim in order if aim in progress.practised]
        progress.perform_in_order([*others, *planned])
