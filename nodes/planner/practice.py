"""Practising the subtasks of a plan: each for the first time from where the plan expects it to
begin, and those that lost episodes of a performance further."""

from collections.abc import Callable, Sequence

import msgspec

from messages.plan import Lost, Subtask, SubtaskReport
from messages.world import Aim
from nodes.common.checks.plan_check import shortfalls
from nodes.common.goals.budget import counted, least, least_again
from nodes.common.goals.goal_ids import slug
from nodes.planner.iteration_choice import chosen_iteration
from nodes.planner.planning_node import EarlierPlan
from nodes.planner.progress import PractisedSubtask, Progress
from worlds import card


class Practice:
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        # Subtasks that never worked, each with how much it was to bring, and why.
        self._failed: dict[tuple[Aim, int], str] = {}
        self._begun: list[str] = []  # the names of all, those that failed too

    def first(
        self,
        plan: Sequence[Subtask],
        held: dict[str, int],
        budget: Callable[[], int],
        single: bool = False,
    ) -> str:
        """Practise what is not practised yet of a plan that begins with ``held`` in the inventory.
        ``budget`` is the number of samples that may be spent by the end of it, which the limits may
        change meanwhile; ``single``: the plan is one subtask, the goal itself. Returns why that
        failed, or nothing."""
        progress = self._progress
        planning, rest = card(progress.task.game).planning, list(plan)
        while rest:
            progress.goal.check()
            subtask, start = rest.pop(0), held
            if rest:  # a goal that is not planned may be one that the rules know no way to
                held = planning.expected([subtask], held, later=rest)
            if subtask.success.aim in progress.practised:
                continue
            if failed := self._failed.get((subtask.success.aim, subtask.success.quantity)):
                return failed
            subtask = self._with_own_name(subtask)
            done = len(progress.practised)
            to_come = [s for s in rest if s.success.aim not in progress.practised]
            progress.subtasks[done:] = [subtask, *to_come]
            progress.publish_plan(done)
            # Samples left by one go to the next; none may use up the others' share.
            samples = (budget() - progress.spent) // (1 + len(to_come))
            if samples < least(progress.task):
                return self._too_few(subtask, samples, budget())
            id = f"{progress.goal.id}/{len(self._begun)}-{slug(subtask.name)}"
            known = PractisedSubtask(subtask, start, id)
            self._begun.append(subtask.name)
            others = len(to_come) * least_again(progress.task, progress.config)
            if failed := self._begin(known, samples, single, budget, others):
                self._failed[subtask.success.aim, subtask.success.quantity] = failed
                return failed
            chosen = known.numbered(progress.chosen[subtask.name])
            left = dict(chosen.left) if chosen is not None else {}
            if left:  # the inventories that were counted do not say where the player was
                left |= {place: held[place] for place in planning.places if held.get(place, 0)}
            if left and (problems := shortfalls(progress.task, rest, left)):
                rest, held = self._plan_again(done, left, problems, rest, held)
        return ""

    def further(self, lost: Sequence[Lost], until: int) -> list[str]:
        """Practise further the subtasks that lost these episodes, until so many samples are spent
        in all. Returns why each of them stopped."""
        progress = self._progress
        reasons: list[str] = []
        known = {each.success.aim: each for each in lost}
        to_practise = [
            (progress.practised[aim], each)
            for aim, each in known.items()
            if aim in progress.practised
        ]
        for place, (subtask, each) in enumerate(to_practise):
            progress.goal.check()
            name = subtask.subtask.name
            if counted(subtask.iterations) >= progress.limits.iterations:
                reasons.append(f"{name}: the iterations are spent ({progress.limits.iterations}).")
                continue
            samples = (until - progress.spent) // (len(to_practise) - place)
            if samples < least_again(progress.task, progress.config):
                reasons.append(f"{name}: the samples are spent.")
                continue
            achieved = self._again(subtask, samples, each)
            chosen = chosen_iteration(achieved, subtask.iterations, subtask.set_aside)
            if chosen is not None and chosen.success_rate > 0:
                progress.choose(subtask, chosen)
            reasons.append(f"{name}: {achieved.reason}")
        return reasons

    def _too_few(self, subtask: Subtask, share: int, budget: int) -> str:
        """Why a subtask cannot be begun with its ``share`` of the samples."""
        samples, spent = self._progress.limits.samples, self._progress.spent
        kept = samples - budget
        for_performance = f" and {kept:,} are kept back for the performance" if kept else ""
        return (
            f"{subtask.name}: {max(0, share):,} samples are its share, and trying and evaluating "
            f"one episode may take {least(self._progress.task):,}. Of all {samples:,}, {spent:,} "
            f"are spent{for_performance}: raise limits.samples."
        )

    def _with_own_name(self, subtask: Subtask) -> Subtask:
        """A subtask of a new plan may have the name of another one that was practised, or failed,
        and what is kept of subtasks is kept by name."""
        name, number = subtask.name, 2
        while name in self._begun:
            name, number = f"{subtask.name} ({number})", number + 1
        return msgspec.structs.replace(subtask, name=name)

    def _begin(
        self,
        known: PractisedSubtask,
        samples: int,
        single: bool,
        budget: Callable[[], int],
        others: int,
    ) -> str:
        """Practise a subtask for the first time. Returns why that failed, or nothing. If it never
        succeeded and its share is spent, it gets the rest of ``budget`` except what the ``others``
        need; otherwise the goal ends here and their shares stay unused."""
        progress, name = self._progress, known.subtask.name
        achieved = progress.achieve(known, known.id, samples)
        while not single and self._starved(known, achieved, samples):
            samples = budget() - progress.spent - others
            if samples < least_again(progress.task, progress.config):
                break
            achieved = self._again(known, samples)
        chosen = known.numbered(achieved.chosen)
        if not single:
            chosen = chosen_iteration(achieved, known.iterations)
        if chosen is not None:
            progress.choose(known, chosen)
        if single and not achieved.success:
            return f"{name}: {achieved.reason}"
        if chosen is None:
            return f"{name}: no iteration of it could be evaluated. {achieved.reason}"
        if chosen.success_rate == 0:
            why = "no iteration of it worked in any episode of its evaluation"
            return f"{name}: {why}. {achieved.reason}"
        progress.practised[known.subtask.success.aim] = known
        return ""

    def _again(
        self, known: PractisedSubtask, samples: int, lost: Lost | None = None
    ) -> SubtaskReport:
        known.rounds += 1
        return self._progress.achieve(known, f"{known.id}/again-{known.rounds}", samples, lost)

    def _starved(self, known: PractisedSubtask, achieved: SubtaskReport, samples: int) -> bool:
        """Whether a subtask that never worked stopped because its samples were spent."""
        if any(each.success_rate > 0 for each in known.iterations):
            return False
        left = samples - sum(each.samples.total for each in achieved.iterations if not each.further)
        more = least_again(self._progress.task, self._progress.config)
        return left < more and counted(known.iterations) < self._progress.limits.iterations

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
        progress = self._progress
        reasons = " ".join(problems)
        progress.planner.log.info(
            "%s: the rest of the plan is invalid: %s", progress.goal.id, reasons
        )
        from_here = card(progress.task.game).planning.task_from(progress.task, left)
        refused = EarlierPlan(refused=rest, problems=problems)
        again, wrong = progress.planned_again(
            f"{progress.goal.id}/again-{done}", from_here, refused
        )
        return (rest, held) if wrong else (again, left)
