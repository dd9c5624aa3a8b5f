"""The programs that were tried for a subtask, with how they did: what a policy may choose from, and
begin as a clone of.

Those that a goal was shown are remembered under its id, so that one that is started again asks
and trains as it did before.
"""

import math
import re
import threading
from collections.abc import Sequence

import msgspec

from messages.chat import TriedNote
from messages.plan import SubAction
from messages.program import Program
from messages.verdict import Verdict
from messages.world import Condition, Episode
from models.outcomes import holds
from nodes.common.goals.goal_ids import slug
from nodes.common.storage.node_memory import Memory
from nodes.fast_agent.implementing import Implementing

MOST = 8
"""Programs that a language model is shown: the best."""
_ENOUGH = 5  # successful episodes that show how long a program may take
_SHORTEST = 100  # primitive steps that a program has before a policy in any case


class TriedProgram(msgspec.Struct, frozen=True, kw_only=True):
    """A program and its tryout; its ``name`` is an identifier that no other has. ``took``:
    primitive steps that nine in ten of its successful episodes took at most, with those of stages
    that were played before it; None: too few succeeded to tell. Without a critic there are no
    ``episodes``: it was not judged."""

    name: str
    program: Program
    sub_action: SubAction
    rate: float
    episodes: int
    reason: str
    took: int | None = None

    @property
    def note(self) -> TriedNote:
        return TriedNote(
            name=self.name,
            sub_action=self.sub_action.name,
            success=self.sub_action.success,
            rate=self.rate,
            episodes=self.episodes,
            reason=self.reason,
            source=self.program.source,
        )


class TriedPrograms:
    """From any thread: the node may work on several goals side by side."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._lock = threading.Lock()  # from a list that is read to the longer one that is kept

    def remember(
        self, goal: Implementing, program: Program, verdict: Verdict, episodes: Sequence[Episode]
    ) -> None:
        """A program was tried out for the goal's sub-action; its first tryout counts."""
        with self._lock:
            known = self._all(goal)
            sub_action = goal.request.sub_action
            for each in known:
                same_aim = each.sub_action.success == sub_action.success
                if same_aim and each.program.source == program.source:
                    return
            tried = TriedProgram(
                name=_name(sub_action.name, [each.name for each in known]),
                program=program,
                sub_action=sub_action,
                rate=verdict.success_rate,
                episodes=verdict.episodes,
                took=_took(goal, episodes),
                reason=verdict.reason,
            )
            self._memory.keep(_subtask(goal), [*known, tried])

    def of(self, goal: Implementing) -> list[TriedProgram]:
        """The tried programs of the goal's subtask, the best first, as they were when the goal
        began: of all its sub-actions, for a policy may have to do the work of several."""
        name = f"{goal.id}/tried"
        if (known := self._memory.find(name, list[TriedProgram])) is not None:
            return known
        found = sorted(self._all(goal), key=lambda tried: (-tried.rate, tried.name))
        shown = found[:MOST]
        # Where others are better, the best with the sub-action's own aim is shown all the same: it
        # is what a policy has to beat.
        rival = best_of(found, goal.request.sub_action.success)
        if rival is not None and rival not in shown:
            shown[-1] = rival
        return self._memory.keep(name, shown)

    def as_prefix(self, goal: Implementing, program: Program) -> Program:
        """The program as the resets of a training run it before a policy: for no longer than twice
        what nine in ten of its successful episodes took. Beyond that are few but failures, which
        would take most of the samples."""
        known = [each for each in self._all(goal) if each.program.source == program.source]
        took = max((each.took or program.max_steps for each in known), default=None)
        if took is None:
            return program
        steps = min(program.max_steps, max(_SHORTEST, 2 * took))
        return msgspec.structs.replace(program, max_steps=steps)

    def _all(self, goal: Implementing) -> list[TriedProgram]:
        return self._memory.find(_subtask(goal), list[TriedProgram]) or []


def _took(goal: Implementing, episodes: Sequence[Episode]) -> int | None:
    aim, game = goal.request.sub_action.success, goal.request.task.game
    steps = sorted(each.steps for each in episodes if holds(aim, each, game))
    return steps[math.ceil(0.9 * len(steps)) - 1] if len(steps) >= _ENOUGH else None


def best_of(tried: Sequence[TriedProgram], aim: Condition) -> TriedProgram | None:
    """The best of those that were to bring about ``aim``, if one ever did."""
    found = [each for each in tried if each.sub_action.success == aim and each.rate > 0]
    return max(found, key=lambda each: each.rate, default=None)


def _subtask(goal: Implementing) -> str:
    task = goal.request.task
    key = [task.id, task.success, sorted(task.inventory.items())]
    return f"programs/{msgspec.json.encode(key).decode()}"


def _name(sub_action: str, taken: Sequence[str]) -> str:
    """``find a tree`` -> ``find_a_tree_1``, or the next number that is free."""
    words = re.sub(r"\W", "_", slug(sub_action))
    words = words if words.isidentifier() else f"do_{words}"
    number = 1 + sum(name.rpartition("_")[0] == words for name in taken)
    return f"{words}_{number}"
