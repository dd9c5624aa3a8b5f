"""What earlier iterations have to do with a sub-action: verdicts, implementations, reuse."""

from collections.abc import Iterator, Sequence

from messages.plan import Iteration, Line, Stage, SubAction, Tried
from messages.world import Guard


def lines_of(sub_action: SubAction, history: Sequence[Iteration]) -> list[Line]:
    """A sub-action's verdicts so far, oldest first."""
    return [line for _, _, line in _same(sub_action, history)]


def tried(sub_action: SubAction, history: Sequence[Iteration]) -> list[Tried]:
    """What was implemented for it so far, oldest first. What was kept from an iteration before
    comes once, with the evaluation that it took part in last."""
    found: list[Tried] = []
    for iteration, place, line in _same(sub_action, history):
        stage = iteration.stages[place] if place < len(iteration.stages) else None
        program, spec = (stage.program, stage.spec) if stage is not None else (None, None)
        found = [
            each
            for each in found
            if stage is None or (each.program, each.spec, each.line) != (program, spec, line)
        ]
        found.append(
            Tried(
                iteration=iteration.number,
                line=line,
                program=program,
                spec=spec,
                unseen=iteration.unseen,
                weakest=iteration.unseen is not None and iteration.unseen.weakest == place,
            )
        )
    return found


def earlier_success(
    sub_action: SubAction,
    before: Sequence[Stage],
    guards: Sequence[Guard],
    history: Sequence[Iteration],
) -> tuple[Stage, Line] | None:
    """The latest stage that did this sub-action, after the same stages and with the same guards,
    and its verdict line. None where it lost most of what an evaluation lost: its tryout was lucky,
    and the same again would lose the same."""
    for iteration, place, lucky in _successes(sub_action, history):
        stage = iteration.stages[place]
        if iteration.stages[:place] == list(before) and stage.guards == list(guards):
            return None if lucky else (stage, iteration.lines[place])
    return None


def success_elsewhere(sub_action: SubAction, history: Sequence[Iteration]) -> Stage | None:
    """The latest stage that did this sub-action, whatever ran before it and with whatever guards:
    it is to be tried out. None where its tryout was lucky, as above."""
    for iteration, place, lucky in _successes(sub_action, history):
        return None if lucky else iteration.stages[place]
    return None


def _successes(
    sub_action: SubAction, history: Sequence[Iteration]
) -> Iterator[tuple[Iteration, int, bool]]:
    """Where this very sub-action succeeded, the latest first, and whether that was luck: most of
    what the evaluation lost was lost in it."""
    for iteration in reversed(history):
        weakest = iteration.unseen.weakest if iteration.unseen is not None else None
        for place, (stage, line) in enumerate(zip(iteration.stages, iteration.lines, strict=False)):
            if (
                line.verdict.success
                and stage.sub_action.name == sub_action.name
                and stage.sub_action.method == sub_action.method
                and stage.sub_action.success == sub_action.success
            ):
                whole = all(each.verdict.success for each in iteration.lines)
                yield iteration, place, whole and place == weakest


def _same(
    sub_action: SubAction, history: Sequence[Iteration]
) -> Iterator[tuple[Iteration, int, Line]]:
    """A sub-action is the same by its aim or, where an iteration has none of that aim, by its name:
    another name changes nothing. Of several of that aim the one of that name is it, else the
    last."""
    for iteration in history:
        lines = list(enumerate(iteration.lines))
        aimed = [place for place, each in lines if each.sub_action.success == sub_action.success]
        named = [place for place, each in lines if _name(each) == sub_action.name]
        both = [place for place in aimed if place in named]
        for place in (both or aimed or named)[-1:]:
            yield iteration, place, iteration.lines[place]


def _name(line: Line) -> str:
    return line.sub_action.name
