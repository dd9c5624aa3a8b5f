"""Questions over many goals, answered by the rulebook. No world is needed for plans, decompositions
and programs: their answers follow from the rules alone."""

import random
from collections.abc import Callable, Iterator

import msgspec

from messages.chat import (
    DecomposeAnswer,
    DecomposeQuestion,
    PlanQuestion,
    ProgramAnswer,
    ProgramAttempt,
    ProgramQuestion,
    Question,
    SpecQuestion,
    TriedNote,
)
from messages.plan import Iteration, Line, Samples, Stage, SubAction, Subtask
from messages.program import Program
from messages.verdict import Verdict
from messages.world import Condition, Task
from nodes.common.checks.answer_check import answer_problems
from nodes.common.checks.rule_file import NoRule
from nodes.common.goals.goal_ids import slug
from nodes.llm.examples.example import Example, example
from nodes.llm.lessons.mistakes import with_a_mistake, with_names
from nodes.llm.lessons.quotes import single_quoted
from nodes.llm.lessons.refused_answers import refused_decomposition, refused_plan
from nodes.llm.lessons.tryouts import tried_in_vain
from nodes.llm.rulebook import rulebook_backend
from voxeldojo.rules import BIOMES, ITEMS
from worlds import card
from worlds.card import Unreachable

Lesson = tuple[Question, msgspec.Struct]
"""A question and the answer that is taught."""
SOURCE = "rulebook"
PLANNING = card("minecraft").planning
LONGEST, SHORT = 12, 8
"""Subtasks of a plan that is taught: longer ones take more tokens than they teach."""
_STATIONS = ("crafting_table", "furnace")
_QUANTITIES = (1, 1, 2, 2, 3, 4, 5, 6, 8)
"""Quantities of the goal. More than one for most: products are what a small model gets wrong."""
_FELL_SHORT = (
    "it worked in {n} of 20 episodes; {rest} reached the horizon",
    "it worked in {n} of 20 episodes; {rest} ended when the program came to its end",
)
_LEFT = (0, 1, 2)
_REFUSED = 0.3
"""Share of the programs that are taught as the repaired form of one that was refused."""
_IN_VAIN = 0.2  # of the programs, as the one after another that fell short
_REFUSED_STEPS = 0.3  # the same of plans and decompositions
_MOST_ITERATIONS = 4
_MOST_GUARDS = 6  # that may be proposed, as the slow agent asks where nothing else is set
_ASKED = (
    "Get {n} {thing}.",
    "Obtain {n} {thing}.",
    "Have {n} {thing}.",
    "{n} {thing}, please.",
    "Harvest {n} {thing} in the {place}.",
    "Get {n} {thing} from the {place}, by whatever way there is.",
)
_ASKED_OTHERWISE = {
    "killed": "Hunt {n} {thing}.",
    "used": "Get a {thing} and use it.",
    "placed": "Put {n} {thing} down.",
    "nearby": "Put a {thing} down and stand beside it.",
}


def goals() -> list[Condition]:
    """Every goal that the rules lead to within ``LONGEST`` subtasks: an item each, and the stations
    that are put down."""
    wanted = [Condition(kind="have", name=item.name) for item in ITEMS]
    wanted += [Condition(kind="nearby", name=station) for station in _STATIONS]
    return [each for each in wanted if 1 <= _length(each) <= LONGEST]


def other_goals() -> list[Condition]:
    """What the other families of MineDojo's tasks ask for: mobs killed, items used, and blocks put
    down, as far as the rules lead there; the last ones within ``SHORT`` subtasks."""
    tasks = card("minecraft").goals
    assert tasks is not None
    wanted = [
        msgspec.structs.replace(tasks.task(name).success, quantity=1)
        for kind in ("combat", "techtree")
        for name in tasks.names(kind)
    ]
    wanted = list(dict.fromkeys(wanted))
    found = [each for each in wanted if 1 <= _length(each) <= LONGEST]
    placed = [Condition(kind="placed", name=item.name) for item in ITEMS]
    conditions = card("minecraft").conditions
    return found + [
        each for each in placed if not conditions.problem(each) and 1 <= _length(each) <= SHORT
    ]


def _length(goal: Condition) -> int:
    """Subtasks of its plan; 0: the rules do not lead there."""
    try:
        return len(PLANNING.plan_for(goal, {}))
    except Unreachable:
        return 0


def tasks(goal: Condition, chance: random.Random) -> Iterator[Task]:
    """An endless iterator of tasks with this goal, of different quantity, biome and inventory."""
    while True:
        few = 1 if goal.kind in ("nearby", "used") else chance.choice(_QUANTITIES)
        biome = chance.choice(BIOMES).name
        success = msgspec.structs.replace(goal, quantity=few)
        yield Task(
            id=f"{goal.kind}_{goal.name}_{few}",
            prompt=_asked(success, biome, chance),
            success=success,
            biome=biome,
            inventory=_begun(success, chance),
            horizon=chance.choice((1000, 3000, 5000, 10000)),
        )


def _asked(success: Condition, biome: str, chance: random.Random) -> str:
    thing = success.name.replace("_", " ")
    if success.kind in _ASKED_OTHERWISE:
        return _ASKED_OTHERWISE[success.kind].format(n=success.quantity, thing=thing)
    place = biome.replace("_", " ")
    return chance.choice(_ASKED).format(n=success.quantity, thing=thing, place=place)


def _begun(success: Condition, chance: random.Random) -> dict[str, int]:
    """What one may have after some of the plan, or nothing."""
    if chance.random() < 0.5:
        return {}
    steps = PLANNING.plan_for(success, {})
    done = steps[: chance.randrange(len(steps))]
    try:
        return PLANNING.expected(done, {})
    except Unreachable:
        return {}


def plans(task: Task, chance: random.Random) -> Iterator[Lesson]:
    question = PlanQuestion(task=task, inventory=task.inventory)
    answer = rulebook_backend.plan(question)
    refused = refused_plan(question, answer, chance) if chance.random() < _REFUSED_STEPS else None
    yield refused or question, answer


def decompositions(task: Task, chance: random.Random) -> Iterator[Lesson]:
    """One subtask of the task's plan, as it is reached, after none to two failed iterations."""
    drawn = _drawn_step(task, chance)
    if drawn is None:
        return
    begun = PLANNING.practised_from(task, drawn[1])
    *_, (question, answer) = _decomposed(begun, drawn[0], chance.choice((1, 1, 2, 3)), chance)
    if chance.random() < _REFUSED_STEPS:
        question = refused_decomposition(question, answer, chance) or question
    yield question, answer


def _decomposed(
    task: Task, subtask: Subtask, times: int, chance: random.Random
) -> Iterator[tuple[DecomposeQuestion, DecomposeAnswer]]:
    """A subtask that is split so many times, each time after the iterations before fell short;
    fewer times where the rules have nothing else to try: to do the same again is not taught."""
    history: list[Iteration] = []
    before: list[SubAction] = []
    for number in range(times):
        question = DecomposeQuestion(
            task=task, subtask=subtask, history=history, most_guards=_MOST_GUARDS
        )
        answer = rulebook_backend.decompose(question)
        if answer.sub_actions == before:
            return
        yield question, answer
        before = answer.sub_actions
        history = [*history, _failed(subtask, answer.sub_actions, number, chance)]


def _drawn_step(task: Task, chance: random.Random) -> tuple[Subtask, dict[str, int]] | None:
    """One subtask of the task's plan, and the inventory that it begins with; None where the rules
    do not lead so far."""
    steps = PLANNING.plan_for(task.success, task.inventory)
    if not steps:
        return None
    at = chance.randrange(len(steps))
    try:
        return steps[at], PLANNING.expected(steps[:at], task.inventory, steps[at:])
    except Unreachable:
        return None


def _drawn_task(task: Task, chance: random.Random) -> tuple[Subtask, Task] | None:
    """One subtask of the task's plan, and the task that it is by itself; None as above."""
    drawn = _drawn_step(task, chance)
    if drawn is None:
        return None
    subtask, start = drawn
    begun = PLANNING.practised_from(task, start)
    return subtask, msgspec.structs.replace(begun, success=subtask.success)


def _failed(
    subtask: Subtask, sub_actions: list[SubAction], number: int, chance: random.Random
) -> Iteration:
    """An iteration whose last sub-action, or one before it, fell short."""
    at = len(sub_actions) - 1 if chance.random() < 0.7 else chance.randrange(len(sub_actions))
    worked = chance.randrange(0, 14)
    reason = chance.choice(_FELL_SHORT).format(n=worked, rest=20 - worked)
    lines = [
        Line(
            sub_action=each,
            attempts=1,
            verdict=Verdict(
                success=index < at,
                success_rate=1.0 if index < at else worked / 20,
                reason="it worked in 20 of 20 episodes" if index < at else reason,
                episodes=20,
            ),
        )
        for index, each in enumerate(sub_actions[: at + 1])
    ]
    return Iteration(
        subtask=subtask.name,
        number=number,
        lines=lines,
        stages=[],
        success_rate=chance.randrange(0, max(1, worked)) / 20,
        episodes=30,
        samples=Samples(),
        seconds=0.0,
    )


def programs(task: Task, chance: random.Random) -> Iterator[Lesson]:
    """A program for a coded sub-action of the task, which is here a subtask of its own: the first
    one, or the one after a program that was refused for a name or fell short when it was tried."""
    drawn = _drawn_task(task, chance)
    if drawn is None:
        return
    subtask, alone = drawn
    decomposition = rulebook_backend.decompose(DecomposeQuestion(task=alone, subtask=subtask))
    before: list[Stage] = []
    for sub_action in decomposition.sub_actions:
        if sub_action.method != "code":
            return
        question = ProgramQuestion(
            task=alone, sub_action=sub_action, before=before, left=chance.choice(_LEFT)
        )
        answer = _quoted(rulebook_backend.program(question))
        how = chance.random()
        if how < _REFUSED:
            yield _repaired(question, answer, chance)
        elif how < _REFUSED + _IN_VAIN:
            yield _better(question, answer, task, chance)
        else:
            yield question, _named(answer)
        before = [*before, _coded(sub_action, answer.source)]


def _repaired(question: ProgramQuestion, answer: ProgramAnswer, chance: random.Random) -> Lesson:
    """The question after a program with a mistake, where one can be made."""
    refused = with_a_mistake(answer.source, card("minecraft").language, chance)
    if refused is None:
        return question, _named(answer)
    attempt, why = refused
    return msgspec.structs.replace(question, attempts=[attempt]), _named(answer, f"{why} ")


def _better(
    question: ProgramQuestion, answer: ProgramAnswer, task: Task, chance: random.Random
) -> Lesson:
    """The question after a program that fell short: the stock's first one, where it has another, or
    one for another step of the task, which small models write as well."""
    tried = msgspec.structs.replace(question, attempts=[ProgramAttempt(source=answer.source)])
    next_one = _quoted(rulebook_backend.program(tried))
    if next_one.source != answer.source and chance.random() < 0.5:
        return tried_in_vain(question, answer.source, chance), _named(next_one, "In another way. ")
    wrong = _of_another_step(task, chance)
    if wrong is None or wrong == answer.source:
        return question, _named(answer)
    return tried_in_vain(question, wrong, chance), _named(answer, "That was for something else. ")


def _of_another_step(task: Task, chance: random.Random) -> str | None:
    """A program for another step of the task's plan; None where it has none."""
    drawn = _drawn_task(task, chance)
    if drawn is None:
        return None
    subtask, alone = drawn
    asked = DecomposeQuestion(task=alone, subtask=subtask)
    first = rulebook_backend.decompose(asked).sub_actions[0]
    try:
        answer = rulebook_backend.program(ProgramQuestion(task=alone, sub_action=first))
    except NoRule:  # it is learned
        return None
    return single_quoted(answer.source)


def _quoted(answer: ProgramAnswer) -> ProgramAnswer:
    return msgspec.structs.replace(answer, source=single_quoted(answer.source))


def _named(answer: ProgramAnswer, why: str = "") -> ProgramAnswer:
    """The answer with why it is another one, and with the names that it is about."""
    thoughts = with_names(answer.thoughts, answer.source)
    return msgspec.structs.replace(answer, thoughts=f"{why}{thoughts}")


def _coded(sub_action: SubAction, source: str) -> Stage:
    name = sub_action.name.replace(" ", "_")
    return Stage(sub_action=sub_action, program=Program(name=name, source=source))


def specs(task: Task, chance: random.Random) -> Iterator[Lesson]:
    """A training spec for a sub-action that is learned, after the programs for it fell short."""
    drawn = _drawn_task(task, chance)
    if drawn is None:
        return
    subtask, alone = drawn
    for question, answer in _decomposed(alone, subtask, _MOST_ITERATIONS, chance):
        before: list[Stage] = []
        for sub_action in answer.sub_actions:
            if sub_action.method == "rl":
                yield _spec(alone, sub_action, before, question.history)
                return
            coding = ProgramQuestion(task=alone, sub_action=sub_action, before=before)
            before.append(
                _coded(sub_action, single_quoted(rulebook_backend.program(coding).source))
            )


def _spec(
    task: Task, sub_action: SubAction, before: list[Stage], iterations: list[Iteration]
) -> Lesson:
    choices = card("minecraft").specs
    lines = [line for each in iterations for line in each.lines]
    tried = [_tried(line) for line in lines if line.sub_action.method == "code"]
    question = SpecQuestion(
        task=task,
        sub_action=sub_action,
        before=before,
        history=lines,
        observations=list(choices.features),
        actions=list(choices.actions),
        programs=sorted(tried, key=lambda note: -note.rate),
    )
    answer = rulebook_backend.spec(question)
    macros = [
        msgspec.structs.replace(each, source=single_quoted(each.source)) for each in answer.macros
    ]
    return question, msgspec.structs.replace(answer, macros=macros)


def _tried(line: Line) -> TriedNote:
    return TriedNote(
        name=f"{slug(line.sub_action.name).replace('-', '_')}_1",
        sub_action=line.sub_action.name,
        success=line.sub_action.success,
        rate=line.verdict.success_rate,
        episodes=line.verdict.episodes,
        reason=line.verdict.reason,
    )


_MAKERS: dict[str, Callable[[Task, random.Random], Iterator[Lesson]]] = {
    "PlanQuestion": plans,
    "DecomposeQuestion": decompositions,
    "ProgramQuestion": programs,
    "SpecQuestion": specs,
}
KINDS = tuple(_MAKERS)


def taught(kind: str, goal: Condition, chance: random.Random, count: int) -> list[Example]:
    """At most ``count`` distinct examples of a kind (the type of the question) about a goal."""
    found: dict[str, Example] = {}
    asked = tasks(goal, chance)
    for _ in range(6 * count):
        task = next(asked)
        try:
            made = [_checked(*lesson, goal) for lesson in _MAKERS[kind](task, chance)]
        except (NoRule, Unreachable):
            continue
        for each in made:
            if each is not None:
                found.setdefault(each.user, each)
        if len(found) >= count:
            break
    return list(found.values())[:count]


def _checked(question: Question, answer: msgspec.Struct, goal: Condition) -> Example | None:
    """None where the rulebook's answer would be refused: a limit of its own, not to be taught."""
    text = msgspec.json.encode(answer).decode()
    if answer_problems(question, text):
        return None
    return example(question, text, goal.name, SOURCE)
