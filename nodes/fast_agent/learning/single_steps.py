"""Policies that choose single steps alone, and never found what takes many identical ones in a
row: a block by hand takes 15 to 60 steps of digging."""

from collections.abc import Collection, Sequence

from messages.chat import MacroDraft, SpecAnswer, SpecQuestion

REPEATED = 15
"""Steps of a macro that repeats an action."""


def never_found(answer: SpecAnswer, question: SpecQuestion) -> list[str]:
    """A sentence where the last policy for this sub-action had no macros and never succeeded in its
    training, and this spec has none either; else nothing."""
    if answer.macros or not question.macros_allowed:
        return []
    trained = [each for each in question.tried if each.spec is not None and each.line.learning]
    if not trained:
        return []
    spec, learning = trained[-1].spec, trained[-1].line.learning
    if spec is None or learning is None or spec.interface.macros:
        return []
    if any(rate for _, rate in learning.curve):
        return []
    programs = (
        ", or name one of the programs that were tried, which is a macro with an empty `source`"
        if question.programs and question.programs_as_macros
        else ""
    )
    return [
        f"The last policy chose single steps alone and never succeeded in {learning.samples:,} "
        "samples, and this spec has no macros either: add one that repeats an action "
        f"{REPEATED} times, as in the example{programs}."
    ]


def keeping_up(
    actions: Sequence[str], kept_up: Collection[str], taken: Collection[str]
) -> list[MacroDraft]:
    """Macros that repeat those of the ``actions`` that take many steps. ``taken``: names that they
    cannot have."""
    drafts = [
        MacroDraft(
            name=f"{action}_{REPEATED}",
            source=(f"def action(obs):\n    for _ in range({REPEATED}):\n        {action}()\n"),
            purpose=f"keep at it: {action} {REPEATED} times",
            max_steps=REPEATED,
        )
        for action in actions
        if action in kept_up
    ]
    return [draft for draft in drafts if draft.name not in taken]
