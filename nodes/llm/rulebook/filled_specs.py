"""Training specs of the rules, filled in: what a policy sees, may do and is rewarded for.

Besides the braces of a rule, a spec may name lists that follow from the way to its goal, each entry
of them in turn; the game's card names them (`RulebookRules.lists`).
"""

from collections.abc import Mapping, Sequence

import msgspec

from messages.world import Condition, RewardTerm
from nodes.common.checks.rule_file import Spec
from nodes.llm.rulebook.rules import NOTHING, Book


def spec(
    name: str, goal: Condition, inventory: Mapping[str, int] = NOTHING, book: Book | None = None
) -> Spec:
    """The spec of that name for a subtask with this success that begins with ``inventory``."""
    book = book or Book()
    known = book.rules.specs[name]
    lists = book.lists(goal, inventory)
    known = msgspec.structs.replace(
        known,
        actions=_listed(known.actions, lists),
        targets=_listed(known.targets, lists),
        rewards=_paid(known.rewards, lists),
    )
    return book.fill(known, goal, inventory)


def _listed(entries: Sequence[str], lists: Mapping[str, list[str]]) -> list[str]:
    found: list[str] = []
    for entry in entries:
        key = next((key for key in lists if f"{{{key}}}" in entry), None)
        if key is None:
            found.append(entry)
        else:
            found += [entry.replace(f"{{{key}}}", name) for name in lists[key]]
    return list(dict.fromkeys(found))


def _paid(terms: Sequence[RewardTerm], lists: Mapping[str, list[str]]) -> list[RewardTerm]:
    return [
        msgspec.structs.replace(term, name=name)
        for term in terms
        for name in _listed([term.name], lists)
    ]
