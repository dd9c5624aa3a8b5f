"""Which goals are taught and which are held out, and how many questions of each kind."""

import random
from collections.abc import Callable
from functools import cache

import msgspec

from messages.chat import PlanAnswer
from messages.world import Condition
from nodes.llm.examples.example import Example, with_quantities
from nodes.llm.lessons.taught import goals, other_goals, taught
from worlds.minecraft.card.planning import ALIKE

HELD_OUT = frozenset(
    {
        *("log", "stick", "crafting_table", "furnace", "wooden_pickaxe", "stone_pickaxe"),
        *("milk_bucket", "wool", "beef", "mutton", "bed", "diamond"),
    }
)
"""Goals of the paper's tables. Plans to other goals have them as subtasks, but no lesson is about
how one of them is reached, so that the tables measure something."""
_NEAR_TO_THEM = frozenset({"cow", "sheep", "shears", "bucket"})
"""Items of other families that would be most of the way to one of them: the cow is the beef."""
_EVERY = 8  # of the other goals one in so many is held out, too


@cache
def split() -> tuple[list[Condition], list[Condition]]:
    """(taught, held out): the same goals whatever a training's seed, so that weights that were
    trained several times have never seen what they are tested on."""
    all_goals = goals()
    rest = [goal for goal in all_goals if not _held_out(goal.name)]
    random.Random(0).shuffle(rest)
    held = [goal for goal in all_goals if _held_out(goal.name)] + rest[::_EVERY]
    names = {goal.name for goal in held}
    others = [goal for goal in other_goals() if goal.name not in names | _NEAR_TO_THEM]
    return [goal for goal in rest if goal.name not in names] + others, held


def lessons(
    counts: dict[str, int],
    seed: int,
    quantities: float = 0.0,
    subtasks: int = 1,
    held_out: bool = False,
) -> list[Example]:
    """Examples about goals that are taught, so many of each kind, the goals one after another.
    ``quantities``: the share of the questions for a plan that state them; ``subtasks``: of a plan,
    at least; ``held_out``: also about a step to such a goal that is itself held out, such as the
    log for a boat."""

    def is_wanted(example: Example) -> bool:
        return not _shorter(example, subtasks) and (held_out or not held_out_of(example))

    return _made(split()[0], counts, random.Random(seed), quantities, is_wanted)


def questions(counts: dict[str, int], seed: int, quantities: bool = False) -> list[Example]:
    """Examples about goals that are held out, with the rulebook's answers to compare with."""
    return _made(split()[1], counts, random.Random(seed + 1), quantities)


def to_show(counts: dict[str, int], seed: int) -> list[Example]:
    """Examples to show beside a question: like lessons, but none is about a step to a goal of the
    paper's tables either, since the step would be the whole answer where it is the goal."""
    made = lessons(counts, seed, held_out=True)
    return [each for each in made if not _held_out(_asked_for(each))]


def held_out_goals() -> set[str]:
    """The names of all goals that are held out."""
    return {goal.name for goal in split()[1]} | HELD_OUT


def held_out_of(example: Example) -> str:
    """The goal that is held out and that an example is about, as its task, a subtask or a
    sub-action; "" where it is about none."""
    names = held_out_goals()
    return next((name for name in goals_of(example) if name in names or _held_out(name)), "")


def goals_of(example: Example) -> list[str]:
    """The names of what an example is about: its task, then its subtask and its sub-action, if it
    has them."""
    asking = msgspec.json.decode(example.question, type=_Asking)
    parts = (asking.task, asking.subtask, asking.sub_action)
    return [part.success.name for part in parts if part is not None]


def _held_out(name: str) -> bool:
    """A goal of the paper's tables, or what recipes take for it: the trunk of another tree."""
    return ALIKE.get(name, name) in HELD_OUT


class _Aim(msgspec.Struct):
    success: Condition


class _Asking(msgspec.Struct):
    """What of a question says what is to be done."""

    task: _Aim
    subtask: _Aim | None = None
    sub_action: _Aim | None = None


def _asked_for(example: Example) -> str:
    asking = msgspec.json.decode(example.question, type=_Asking)
    return (asking.sub_action or asking.subtask or asking.task).success.name


def _made(
    about: list[Condition],
    counts: dict[str, int],
    chance: random.Random,
    quantities: float,
    is_wanted: Callable[[Example], bool] = lambda example: True,
) -> list[Example]:
    found: list[Example] = []
    for kind, count in counts.items():
        some: list[Example] = []
        while len(some) < count:
            before = len(some)
            for goal in chance.sample(about, len(about)):
                if len(some) < count:
                    made = taught(kind, goal, chance, 1)
                    some += [each for each in made if is_wanted(each)]
            if len(some) == before:
                break
        found += some
    return [with_quantities(each) if chance.random() < quantities else each for each in found]


def _shorter(example: Example, subtasks: int) -> bool:
    """Whether it is a plan of fewer subtasks."""
    if example.kind != "PlanQuestion":
        return False
    return len(msgspec.json.decode(example.answer, type=PlanAnswer).subtasks) < subtasks
