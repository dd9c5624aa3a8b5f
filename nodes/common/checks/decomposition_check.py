"""What is wrong with a decomposition, in sentences that the language model can act on."""

import itertools
from collections import Counter
from collections.abc import Collection, Sequence

import msgspec

from messages.chat import DecomposeAnswer, DecomposeQuestion
from messages.plan import GuardProposal, Method, SubAction, Subtask
from messages.world import DEFAULT_GAME, Condition
from nodes.common.checks.step_successes import ending_in, must_end, unseen, up_to
from nodes.common.goals.goal_ids import guard_slug, slug
from worlds import card


def problems_with(question: DecomposeQuestion, answer: DecomposeAnswer) -> list[str]:
    """The problems, as `decomposition_problems`, by what is open to the question. What follows
    the subtask's success is not looked at."""
    return decomposition_problems(
        question.subtask,
        _up_to_end(question, answer),
        question.methods,
        question.most_sub_actions,
        question.task.game,
        _useful(question, answer.guards),
        question.most_guards,
    )


def decomposition_problems(
    subtask: Subtask,
    sub_actions: list[SubAction],
    methods: Collection[Method] = ("code", "rl"),
    most: int | None = None,
    game: str = DEFAULT_GAME,
    guards: Sequence[GuardProposal] = (),
    most_guards: int = 0,
) -> list[str]:
    """Every problem at once; none means that the sub-actions and ``guards`` may be implemented.
    ``methods``: those that are open to this run; ``most``, ``most_guards``: how many sub-actions
    and guards there may be."""
    if not sub_actions:
        return ["The decomposition is empty: it needs at least one sub-action."]
    conditions = card(game).conditions
    problems: list[str] = []
    names = [sub_action.name.strip() for sub_action in sub_actions]
    problems += ["A sub-action has no name." for name in names if not name]
    # Goals are named after them: two that are spelt alike there would be taken for one.
    counts = Counter(slug(name) for name in names if name)
    for spelt, count in counts.items():
        if count > 1:
            alike = " and ".join(repr(name) for name in names if name and slug(name) == spelt)
            problems.append(
                f"{count} sub-actions are called {alike}: names must be unique, by their letters "
                "a-z and digits alone."
            )
    if most is not None and len(sub_actions) > most:
        problems.append(f"There are {len(sub_actions)} sub-actions; this run takes {most} at most.")
    for sub_action in sub_actions:
        if sub_action.method not in methods:
            problems.append(
                f"{sub_action.name!r} is to be done by {sub_action.method}; in this run there is "
                f"{' and '.join(methods)} only."
            )
        if wrong := unseen(sub_action.success, subtask.success, conditions):
            problems.append(f"The success of {sub_action.name!r} can't be seen: {wrong}.")
    last, goal = sub_actions[-1], subtask.success
    if not conditions.implies(last.success, goal):
        problems.append(
            f"The last sub-action ({last.name!r}) does not end in the subtask's success: "
            f"{must_end(goal)}"
        )
    problems += _guard_problems(guards, methods, most_guards)
    return problems + [
        f"The sub-action {name!r} and the guard {guard.name!r} would be taken for one: give the "
        "sub-action another name."
        for guard in guards
        for name in names
        if slug(name) == guard_slug(guard.name)
    ]


def up_to_success(question: DecomposeQuestion, answer: DecomposeAnswer) -> DecomposeAnswer:
    """The answer without sub-actions that follow one whose success is the subtask's: they would
    never run, and would take their share of the samples. An episode ends at the subtask's success,
    so the last one has no other: more of it could never be seen. Of two with that success ("find a
    tree" and "harvest log", each until there is a log) the first ends where the log's source is
    found, so that the other begins. Guards that repeat another one, or wait for that success, are
    left out."""
    return _of(question, answer, _up_to_end(question, answer))


def fixed(question: DecomposeQuestion, answer: DecomposeAnswer) -> DecomposeAnswer:
    """The answer without what goes on after the subtask's success, and without sub-actions whose
    success can't be seen or whose name is used again. The last one ends in the subtask's success:
    it can end in no other."""
    if not answer.sub_actions:
        return answer
    conditions = card(question.task.game).conditions
    *before, last = _up_to_end(question, answer)
    kept: dict[str, SubAction] = {}
    for sub_action in before:
        if not unseen(sub_action.success, question.subtask.success, conditions):
            kept.setdefault(slug(sub_action.name), sub_action)
    kept.pop(slug(last.name), None)
    return _of(question, answer, [*kept.values(), last])


def about_its_own(
    question: DecomposeQuestion, answer: DecomposeAnswer, copied: Sequence[SubAction]
) -> DecomposeAnswer:
    """The answer where the first of the ``copied`` sub-actions, which are about something else,
    finds what the subtask's success comes from ("find a chicken", for milk: "find a cow"), if no
    other does, and without the rest of them."""
    own = [each for each in answer.sub_actions if each not in copied]
    at_source = _at_source(question)
    if copied and at_source is not None and at_source not in [each.success for each in own]:
        first = copied[0]
        name, description = (
            text.replace(first.success.name, at_source.name)
            for text in (first.name, first.description)
        )
        found = SubAction(
            name=name, method=first.method, success=at_source, description=description
        )
        own.insert(answer.sub_actions.index(first), found)
    return msgspec.structs.replace(answer, sub_actions=own)


def _of(
    question: DecomposeQuestion, answer: DecomposeAnswer, sub_actions: Sequence[SubAction]
) -> DecomposeAnswer:
    """The answer with these sub-actions, which end in the subtask's success, and useful guards."""
    steps = ending_in(question.subtask.success, sub_actions)
    guards = _useful(question, answer.guards)
    return msgspec.structs.replace(answer, sub_actions=steps, guards=guards)


def _up_to_end(question: DecomposeQuestion, answer: DecomposeAnswer) -> list[SubAction]:
    implies = card(question.task.game).conditions.implies
    sub_actions = _found_first(question, _faced(question, answer.sub_actions))
    return _told_apart(up_to(question.subtask.success, sub_actions, implies))


def _told_apart(sub_actions: Sequence[SubAction]) -> list[SubAction]:
    """The sub-actions, those with the name of an earlier one that ends in something else with a
    number behind it: small models call two of them "log"."""
    found: list[SubAction] = []
    taken = {slug(each.name) for each in sub_actions}
    for each in sub_actions:
        aims = [other.success for other in found if slug(other.name) == slug(each.name)]
        if slug(each.name) and aims and each.success not in aims:
            numbered = (f"{each.name.strip()} {number}" for number in itertools.count(2))
            name = next(name for name in numbered if slug(name) not in taken)
            taken.add(slug(name))
            each = msgspec.structs.replace(each, name=name)
        found.append(each)
    return found


def _at_source(question: DecomposeQuestion) -> Condition | None:
    """What holds when one is at what the subtask's success comes from, if it can be faced."""
    game = card(question.task.game)
    source = game.planning.source(question.subtask.success, question.task.inventory)
    facing = Condition(kind="facing", name=source)
    return facing if source and not game.conditions.problem(facing) else None


def _faced(question: DecomposeQuestion, sub_actions: Sequence[SubAction]) -> Sequence[SubAction]:
    """The sub-actions, where the first that ends in what can't be, about the subtask's success or
    what that comes from ("have a sheep", which is no item; "facing a log", which is no block), ends
    facing what it comes from, if none does."""
    at_source, problem = _at_source(question), card(question.task.game).conditions.problem
    if at_source is None or at_source in [each.success for each in sub_actions]:
        return sub_actions
    about = {slug(at_source.name), slug(question.subtask.success.name)}
    for index, each in enumerate(sub_actions[:-1]):
        if slug(each.success.name) in about and problem(each.success):
            found = msgspec.structs.replace(each, success=at_source)
            return [*sub_actions[:index], found, *sub_actions[index + 1 :]]
    return sub_actions


def _found_first(
    question: DecomposeQuestion, sub_actions: Sequence[SubAction]
) -> Sequence[SubAction]:
    """The sub-actions, where two have the subtask's success, with the first of them ending where
    what that comes from is found, if none before it does."""
    implies, goal = card(question.task.game).conditions.implies, question.subtask.success
    same = [each for each in sub_actions if implies(each.success, goal)]
    if len(same) < 2 or (at_source := _at_source(question)) is None:
        return sub_actions
    until, last = sub_actions.index(same[0]), same[-1]
    if at_source in [each.success for each in sub_actions[:until]]:
        return sub_actions
    if question.most_sub_actions is not None and until + 2 > question.most_sub_actions:
        return sub_actions
    first = msgspec.structs.replace(same[0], success=at_source)
    return [*sub_actions[:until], first, last]


def _useful(question: DecomposeQuestion, guards: Sequence[GuardProposal]) -> list[GuardProposal]:
    """The guards without those that do, in the same situation, the same as one before, which takes
    over first, and without those that wait for the subtask's success, which ends the episode."""
    success = slug(card(question.task.game).conditions.words(question.subtask.success))
    found: dict[tuple[str, str, str], GuardProposal] = {}
    for guard in guards:
        if success not in slug(guard.when):
            found.setdefault((guard.method, slug(guard.when), slug(guard.description)), guard)
    return list(found.values())


def _guard_problems(
    guards: Sequence[GuardProposal], methods: Collection[Method], most: int
) -> list[str]:
    problems: list[str] = []
    if len(guards) > most:
        few = (
            f"this run takes {most} at most"
            if most
            else "this run takes none: leave `guards` empty"
        )
        problems.append(f"There are {len(guards)} guards; {few}.")
    counts = Counter(slug(guard.name) for guard in guards if guard.name.strip())
    problems += ["A guard has no name." for guard in guards if not guard.name.strip()]
    problems += [
        f"{count} guards are called {spelt!r}: names must be unique, by their letters a-z and "
        "digits alone."
        for spelt, count in counts.items()
        if count > 1
    ]
    for guard in guards:
        if guard.method not in methods:
            problems.append(
                f"The guard {guard.name!r} is to be done by {guard.method}; in this run there is "
                f"{' and '.join(methods)} only."
            )
        if not guard.when.strip():
            problems.append(f"The guard {guard.name!r} does not state when it is to take over.")
    return problems
