"""Policies that never found what takes many identical steps in a row: to dig a block by hand takes
15 to 60 of them, and a policy that explores by chance does not choose one so often."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from messages.chat import MacroDraft, SpecAnswer, SpecQuestion

REPEATED = 15
"""Steps of a macro that repeats an action."""


def never_found(
    answer: SpecAnswer,
    question: SpecQuestion,
    kept_up: Collection[str],
    sources: Mapping[str, str],
) -> list[str]:
    """A sentence where the last policy for this sub-action never succeeded in its training, and
    neither it had nor this one has a macro for an action that is to be ``kept_up``; else nothing.
    ``sources``: of macros without one, by name."""
    wanted = [name for name in answer.actions if name in kept_up]
    if not wanted or not question.macros_allowed:
        return []
    trained = [each for each in question.tried if each.spec is not None and each.line.learning]
    if not trained:
        return []
    spec, line = trained[-1].spec, trained[-1].line
    learning = line.learning
    # Without a critic nothing is known to have failed.
    if spec is None or learning is None or line.verdict.success:
        return []
    if any(rate for _, rate in learning.curve):
        return []
    before = [macro.source for macro in spec.interface.macros]
    now = [macro.source or sources.get(macro.name, "") for macro in answer.macros]
    if _mentions([*before, *now], wanted):
        return []
    names = " and ".join(f"`{name}`" for name in wanted)
    return [
        f"The last policy never succeeded in {learning.samples:,} samples. It took {names} in "
        "single steps alone, as this one would: add a macro that repeats it "
        f"{REPEATED} times, as in the example."
    ]


def keeping_up(
    actions: Sequence[str], kept_up: Collection[str], taken: Collection[str]
) -> list[MacroDraft]:
    """Macros that repeat those of the ``actions`` that are to be ``kept_up``. ``taken``: names that
    they cannot have."""
    drafts = [
        MacroDraft(
            name=f"{action}_{REPEATED}",
            source=f"def action(obs):\n    for _ in range({REPEATED}):\n        {action}()\n",
            purpose=f"keep at it: {action} {REPEATED} times",
            max_steps=REPEATED,
        )
        for action in actions
        if action in kept_up
    ]
    return [draft for draft in drafts if draft.name not in taken]


def _mentions(sources: Iterable[str], actions: Collection[str]) -> bool:
    called = re.compile(rf"\b(?:{'|'.join(map(re.escape, actions))})\b")
    return any(called.search(source) for source in sources)
