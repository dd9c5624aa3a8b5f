"""Which decomposition comes next: what failed goes on to its next method, what worked is kept."""

from collections.abc import Sequence

from messages.plan import Iteration, SubAction
from messages.world import Condition
from nodes.common.checks.rule_file import Approach, Step


class DecompositionChoice:
    """Which of the splits of a subtask, and which method of each of its steps."""

    def __init__(self, approach: Approach) -> None:
        self._splits = approach.splits
        self._split = 0
        self._methods = [0] * len(self.steps)

    @property
    def steps(self) -> list[Step]:
        return self._splits[self._split]

    def sub_actions(self, goal: Condition) -> list[SubAction]:
        return [
            SubAction(
                name=step.name,
                method=step.methods[method],
                success=goal if step.success == "goal" else step.success,
                description=step.description,
            )
            for step, method in zip(self.steps, self._methods, strict=True)
        ]

    def change_what_failed(self, iteration: Iteration) -> None:
        """Change what failed in this iteration, if there is another way to do it.

        Only the first failure counts: what came after it never had a fair start. Where every
        sub-action worked on its own but the whole did not, the one is at fault in which most of
        the unseen episodes were lost, or the last where that was not seen.
        """
        worked = {line.sub_action.name: line.verdict.success for line in iteration.lines}
        names = [step.name for step in self.steps]
        weakest = iteration.unseen.weakest if iteration.unseen is not None else None
        at_fault = len(names) - 1 if weakest is None else min(weakest, len(names) - 1)
        failed = next((i for i, name in enumerate(names) if not worked.get(name)), at_fault)
        if self._methods[failed] + 1 < len(self.steps[failed].methods):
            self._methods[failed] += 1
        elif self._split + 1 < len(self._splits):
            self._split += 1
            self._methods = [0] * len(self.steps)


def choice_after(approach: Approach, history: Sequence[Iteration]) -> DecompositionChoice:
    """What is tried after these iterations, which all fell short."""
    choice = DecompositionChoice(approach)
    for iteration in history:
        choice.change_what_failed(iteration)
    return choice
