"""The figures of a table, computed from its cells: success rates pooled over seeds and seed by
seed, scores as means over seeds."""

import math
from statistics import mean
from typing import Literal

import msgspec

from rlgpt.report.acceptance import Acceptance
from rlgpt.table.definition import Definition
from rlgpt.table.intervals import wilson
from rlgpt.table.result import CellIteration, CellResult
from rlgpt.table.scored import Measured, measured, score_of


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One iteration of a row. Successes are counted only where the goal is one subtask; the chance
    of several is the product of their rates, and has no counts."""

    number: int
    rates: list[float]  # by seed
    successes: int | None
    episodes: int | None
    rate: float
    low: float  # Wilson's 95 % where there are counts, else the smallest of the seeds
    high: float
    paper: float | None
    cut: int = 0  # seeds of which an evaluation that counts in it lacks episodes


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One task by one method with one language model; all its seeds that are there."""

    task: str
    method: str
    llm: str
    seeds: list[int]
    rates: list[float]  # by seed
    successes: int
    episodes: int
    rate: float | None  # pooled; None: no cell is there
    low: float  # Wilson's 95 % of the pooled successes
    high: float
    mean: float | None  # over seeds
    least: float | None
    most: float | None
    best: float | None  # of a goal with one subtask: each seed's best iteration, not the last
    paper: float | None
    samples: int | None  # mean of a cell, all primitive steps
    training: int | None  # the same without evaluation
    tokens: int | None  # mean of a cell
    # Mean of a cell, and the sums of those cells; left out where no cell has counted them.
    questions: int | msgspec.UnsetType = msgspec.UNSET
    acceptance: Acceptance | msgspec.UnsetType = msgspec.UNSET
    wall_s: float | None  # mean of a cell
    dead_loops: int  # cells in which an outer loop ended in a dead loop
    cut: int  # cells whose samples were not enough for all episodes
    unplayed: int  # cells whose goal produced nothing playable
    milestones: dict[str, int]
    steps: list[Step]  # by iteration, where the table is by iteration
    trained: Measured | None = None  # by score: the episodes of the first trainings
    trained_samples: int | None = None  # of those episodes, mean of a cell
    evaluated: Measured | None = None  # by score: those on unseen seeds


def rows(definition: Definition, results: list[CellResult]) -> list[Row]:
    """A row for each task, method and language model of the table, in its order."""
    return [
        _row(
            definition,
            task,
            method,
            llm,
            [r for r in results if (r.task, r.method, r.llm) == (task, method, llm)],
        )
        for task in definition.tasks
        for method in definition.methods
        for llm in definition.llms
    ]


def _row(definition: Definition, task: str, method: str, llm: str, cells: list[CellResult]) -> Row:
    cells = sorted(cells, key=lambda cell: cell.seed)
    done, count = sum(c.successes for c in cells), sum(c.episodes for c in cells)
    low, high = wilson(done, count)
    rates = [cell.success_rate for cell in cells]
    tokens = [c.tokens.prompt + c.tokens.answer for c in cells if c.tokens is not None]
    counted = [cell.questions for cell in cells if cell.questions is not None]
    items = dict.fromkeys(item for cell in cells for item in cell.milestones)
    return Row(
        task=task,
        method=method,
        llm=llm,
        seeds=[cell.seed for cell in cells],
        rates=rates,
        successes=done,
        episodes=count,
        rate=done / count if count else None,
        low=low,
        high=high,
        mean=mean(rates) if rates else None,
        least=min(rates, default=None),
        most=max(rates, default=None),
        best=_best(cells),
        paper=definition.paper.get(task, {}).get(method),
        samples=_mean([cell.samples.total for cell in cells]),
        training=_mean([cell.samples.training + cell.samples.trial for cell in cells]),
        tokens=_mean(tokens),
        questions=_mean([each.asked + each.again for each in counted]) or msgspec.UNSET,
        acceptance=_together(counted),
        wall_s=mean(cell.wall_s for cell in cells) if cells else None,
        dead_loops=sum(cell.dead_loop for cell in cells),
        cut=sum(cell.cut for cell in cells),
        unplayed=sum(not cell.performed for cell in cells),
        milestones={item: sum(c.milestones.get(item, 0) for c in cells) for item in items},
        steps=_steps(definition, task, method, cells) if definition.by == "iteration" else [],
        trained=_measured(cells, "training") if definition.by == "score" else None,
        trained_samples=_counted_samples(cells) if definition.by == "score" else None,
        evaluated=_measured(cells, "evaluation") if definition.by == "score" else None,
    )


def _measured(cells: list[CellResult], what: Literal["training", "evaluation"]) -> Measured | None:
    """The measurements of all seeds that have such episodes; None where none has."""
    known = [cell for cell in cells if cell.scored is not None and getattr(cell.scored, what)]
    score = score_of(known[0].game) if known else None
    if score is None:
        return None
    every = [(cell.scored.counted, getattr(cell.scored, what)) for cell in known if cell.scored]
    return measured(score, every)


def _counted_samples(cells: list[CellResult]) -> int | None:
    return _mean([cell.scored.training_samples for cell in cells if cell.scored is not None])


def _best(cells: list[CellResult]) -> float | None:
    if not cells or any(len(_subtasks(cell)) != 1 for cell in cells):
        return None
    return mean(max((t.success_rate for t in cell.iterations), default=0.0) for cell in cells)


def _mean(values: list[int]) -> int | None:
    return round(mean(values)) if values else None


def _together(counted: list[Acceptance]) -> Acceptance | msgspec.UnsetType:
    if not counted:
        return msgspec.UNSET
    return Acceptance(
        asked=sum(each.asked for each in counted),
        again=sum(each.again for each in counted),
        accepted=sum(each.accepted for each in counted),
    )


def _steps(definition: Definition, task: str, method: str, cells: list[CellResult]) -> list[Step]:
    paper = definition.paper_iterations.get(task, {}).get(method, {})
    if not cells:
        return [_paper_step(number, rate) for number, rate in paper.items()]
    last = max((turn.number for cell in cells for turn in _asked(cell)), default=0)
    last = max(last, *(int(cell.limits.get("iterations", 1)) - 1 for cell in cells))
    return [_step(number, cells, paper.get(number)) for number in range(last + 1)]


def _paper_step(number: int, rate: float) -> Step:
    return Step(
        number=number, rates=[], successes=None, episodes=None, rate=0, low=0, high=0, paper=rate
    )


def _step(number: int, cells: list[CellResult], paper: float | None) -> Step:
    rates = [chance(cell, number) for cell in cells]
    counts = [_counts(cell, number) for cell in cells]
    done = count = None
    low, high = min(rates), max(rates)
    if all(each is not None for each in counts):
        done = sum(each[0] for each in counts if each is not None)
        count = sum(each[1] for each in counts if each is not None)
        low, high = wilson(done, count)
    return Step(
        number=number,
        rates=rates,
        successes=done,
        episodes=count,
        rate=done / count if done is not None and count else mean(rates),
        low=low,
        high=high,
        paper=paper,
        cut=sum(_cut(cell, number) for cell in cells),
    )


def _cut(cell: CellResult, number: int) -> bool:
    """Whether a rate that `chance` takes is of fewer episodes than the others."""
    last = {turn.subtask: turn for turn in _asked(cell) if turn.number <= number}
    return any(turn.cut for turn in last.values())


def chance(cell: CellResult, number: int) -> float:
    """How likely the goal is after iteration ``number`` of every outer loop: its last rate where it
    is one subtask; else the product of the subtasks' last rates, those never begun counting 0. The
    best rates so far would rise by chance alone. A loop that stopped earlier keeps what it had.
    What was trained further after a loop is no iteration of it."""
    subtasks = _subtasks(cell)
    if not subtasks:
        return 0.0
    last = {turn.subtask: turn for turn in _asked(cell) if turn.number <= number}
    return math.prod(last[each].success_rate if each in last else 0.0 for each in subtasks)


def _counts(cell: CellResult, number: int) -> tuple[int, int] | None:
    if len(_subtasks(cell)) != 1:
        return None
    turns = [turn for turn in _asked(cell) if turn.number <= number]
    if not turns or not turns[-1].episodes:
        return 0, cell.episodes
    return turns[-1].successes, turns[-1].episodes


def _asked(cell: CellResult) -> list[CellIteration]:
    return [turn for turn in cell.iterations if not turn.further]


def _subtasks(cell: CellResult) -> list[str]:
    """Those of the plan, also those that were never begun."""
    begun = (turn.subtask for turn in cell.iterations)
    return list(dict.fromkeys([*cell.plan, *begun]))
