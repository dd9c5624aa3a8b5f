"""The goals of a subtask's iterations. A subtask that is practised again, as after a performance
that lost episodes at it, has a further goal for that, below its own, and its iterations are counted
on."""

from pathlib import Path

from messages.plan import ACHIEVE, AchieveSubtask
from rlgpt.report import stores


class PractisedGoals:
    """Of all subtasks of a goal, as the slow agent was sent them; none where its folder is not
    here."""

    def __init__(self, run: Path, goal: str) -> None:
        # By subtask: the goals, the oldest first, each with the number of its first iteration.
        self._goals: dict[str, list[tuple[int, str]]] = {}
        for id, request in stores.requests_below(run, ACHIEVE, goal, AchieveSubtask):
            known = self._goals.setdefault(request.subtask.name, [])
            known.append((len(request.history), id))

    def of_subtask(self, subtask: str, otherwise: str) -> str:
        """Its own goal, which all that is done for it is below; ``otherwise`` if none is known."""
        return next((goal for _, goal in self._goals.get(subtask, [])), otherwise)

    def of_iteration(self, subtask: str, number: int, otherwise: str) -> str:
        """The goal that all that is done in an iteration is below. ``otherwise``: of the subtask,
        if none is known."""
        begun = [goal for first, goal in self._goals.get(subtask, []) if first <= number]
        return f"{begun[-1] if begun else otherwise}/iteration-{number}"
