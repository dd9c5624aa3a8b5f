"""A table as a page: the figures beside the paper's, every row in full, and how to read them."""

from collections.abc import Callable

import msgspec

from nodes.common.running.counted import counted
from rlgpt.report.words import count, duration
from rlgpt.table import by_kind
from rlgpt.table.cells import DEFAULT_LLM
from rlgpt.table.figures import Row, Step
from rlgpt.table.markdown_rows import table_of
from rlgpt.table.result import CellResult
from rlgpt.table.score_page import scores
from rlgpt.table.table_page import Page, difference, fingerprints
from rlgpt.table.table_tasks import is_id

INTERVALS = (
    "Brackets are 95 % intervals by Wilson's score for the successes pooled over seeds. Episodes "
    "of one seed share what was learned in it, so if the seeds differ much, the real uncertainty "
    "is larger: see also the range over seeds. A rate of one seed says nothing about other seeds."
)


def render(page: Page) -> str:
    """The whole page, as Markdown."""
    definition = page.definition
    parts = [
        f"# {definition.title}",
        f"{definition.caption}",
        _how_far(page),
        _several_worlds(page),
        difference(page.results),
        f"![{definition.title}]({page.name}.svg)",
        *_figures(page),
        *_verdicts(page),
        *by_kind.sections(page),
        "## Every row",
        _every_row(page),
        *_milestones(page),
        _footnotes(page),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _figures(page: Page) -> list[str]:
    by = page.definition.by
    if by == "score":
        return scores(page)
    figures = _iterations(page) if by == "iteration" else _side_by_side(page)
    return [figures, f"{INTERVALS} `-`: no cell is there yet."]


def _how_far(page: Page) -> str:
    there = len(page.results)
    if there >= page.wanted:
        return f"Complete: all {page.wanted} cells are there."
    return (
        f"**Partial: {there} of {page.wanted} cells are there.** A figure of fewer than "
        f"{counted(len(page.definition.seeds), 'seed')} says so; `{page.command}` runs the rest."
    )


def _several_worlds(page: Page) -> str:
    known = [mark for mark, _ in fingerprints(page.results) if mark is not None]
    if len(known) < 2:
        return ""
    return (
        f"**Its cells are of {len(known)} different worlds**, as their fingerprints show (at the "
        "end of this page): the world was changed between them. Compare none across "
        "worlds; `--again` runs cells again."
    )


def _side_by_side(page: Page) -> str:
    definition = page.definition
    by_llm = definition.by == "llm"
    columns = page.llms if by_llm else definition.methods
    first = ["task"] if not by_llm or len(definition.methods) == 1 else ["task", "method"]
    table = [[*first, *columns]]
    groups = dict.fromkeys((row.task, row.method if by_llm else row.llm) for row in page.rows)
    for task, other in groups:
        cells = [
            _cell(row, len(definition.seeds))
            for row in page.rows
            if row.task == task and (row.method if by_llm else row.llm) == other
            if row.llm in page.llms
        ]
        table.append([task, *([other] if len(first) == 2 else []), *cells])
    text = table_of(table)
    if unmet := [llm for llm in definition.llms if llm not in page.llms]:
        text += f"\n\nNo cell is there of {', '.join(unmet)}."
    if definition.paper_also:
        also = [["in the paper alone", "success", "environment samples"]]
        also += [[m.name, f"{m.success:g}", m.samples or "-"] for m in definition.paper_also]
        text += "\n\n" + table_of(also)
    return text


def _cell(row: Row, seeds: int) -> str:
    paper = "" if row.paper is None else f"<br>paper {row.paper:.2f}"
    if row.rate is None:
        return f"-{paper}"
    few = "" if len(row.seeds) >= seeds else f" ({counted(len(row.seeds), 'seed')})"
    few += f" (cut: {row.episodes} episodes)" if row.cut else ""
    return f"**{row.rate:.2f}** [{row.low:.2f}, {row.high:.2f}]{few}{paper}"


def _iterations(page: Page) -> str:
    wanted = len(page.definition.seeds)
    last = max((step.number for row in page.rows for step in row.steps), default=0)
    table = [["task", "method", *(f"iteration {n}" for n in range(last + 1)), "at the end"]]
    for row in page.rows:
        steps = {step.number: step for step in row.steps}
        turns = [_step(steps.get(number)) for number in range(last + 1)]
        table.append([row.task, row.method, *turns, _cell(row, wanted)])
    return table_of(table) + (
        "\n\nAn outer loop that stopped earlier keeps its last rate. Where the goal is one "
        "subtask, a rate is that of its evaluation. Where it has several, no iteration plays the "
        "whole goal, and the figure is the product of their last rates, each from the start "
        "that the plan expects, with its range over seeds; *at the end* is the whole goal as it "
        "was played, where a subtask is tried again, so it may well be higher."
    )


def _step(step: Step | None) -> str:
    if step is None:
        return "-"
    paper = "" if step.paper is None else f"<br>paper {step.paper:.2f}"
    if not step.rates:
        return f"-{paper}"
    if step.successes is None:
        cut = " (cut)" if step.cut else ""
        return f"{step.rate:.2f} ({step.low:.2f} to {step.high:.2f}){cut}{paper}"
    cut = f" (cut: {step.episodes} episodes)" if step.cut else ""
    return f"**{step.rate:.2f}** [{step.low:.2f}, {step.high:.2f}]{cut}{paper}"


def _verdicts(page: Page) -> list[str]:
    """How the first method stands to the paper, and to the others here."""
    own = page.definition.methods[0]
    if page.definition.by != "method":
        return []
    ours = {row.task: row for row in page.rows if row.method == own and row.rate is not None}
    sentences: list[str] = []
    known = [row for row in ours.values() if row.paper is not None]
    if known:
        reached = [row for row in known if row.rate is not None and row.rate >= (row.paper or 0)]
        sentences.append(
            f"`{own}` is at or above the paper's rate in {len(reached)} of the {len(known)} tasks "
            f"that have both{_except(known, reached)}."
        )
    met = {
        task: [r for r in page.rows if r.task == task and r.method != own and r.rate is not None]
        for task in ours
    }
    met = {task: others for task, others in met.items() if others}
    if met:
        best = [
            ours[task]
            for task, others in met.items()
            if all((ours[task].rate or 0) > (other.rate or 0) for other in others)
        ]
        sentences.append(
            f"It is above every other method that was run in {len(best)} of the {len(met)} tasks "
            f"in which any was{_except([ours[task] for task in met], best)}."
        )
    return [" ".join(sentences)] if sentences else []


def _except(all_rows: list[Row], good: list[Row]) -> str:
    missed = [row.task for row in all_rows if row not in good]
    return f" (not {', '.join(missed)})" if missed and good else ""


Column = tuple[str, Callable[[Row], str]]


def _every_row(page: Page) -> str:
    several = len(page.definition.llms) > 1
    by_model = any(row.llm != DEFAULT_LLM for row in page.rows if row.rate is not None)
    columns: list[Column] = [
        ("task", lambda row: row.task),
        ("method", lambda row: row.method),
        *([("llm", lambda row: row.llm)] if several else []),
        ("seeds", lambda row: ", ".join(str(seed) for seed in row.seeds)),
        ("successes", lambda row: f"{row.successes}/{row.episodes}"),
        ("rate", lambda row: f"{row.rate:.2f} [{row.low:.2f}, {row.high:.2f}]"),
        ("mean over seeds", lambda row: f"{row.mean:.2f}"),
        ("range", lambda row: f"{row.least:.2f} to {row.most:.2f}"),
        ("best iteration", lambda row: _rate(row.best)),
        ("paper", lambda row: _rate(row.paper)),
        ("samples", lambda row: _count(row.samples)),
        ("to learn", lambda row: _count(row.training)),
        ("dead loops", lambda row: f"{row.dead_loops}/{len(row.seeds)}"),
        ("tokens", lambda row: _count(row.tokens)),
        *([("questions", _questions), ("accepted at first", _accepted)] if by_model else []),
        ("wall time", lambda row: "-" if row.wall_s is None else duration(row.wall_s)),
    ]
    cells = [[cell(row) for _, cell in columns] for row in page.rows if row.rate is not None]
    table = table_of([[head for head, _ in columns], *cells])
    return f"{table}\n\n{_note_on_rows(page, by_model)}"


def _note_on_rows(page: Page, by_model: bool) -> str:
    unplayed = [f"{r.task} by {r.method} ({r.unplayed})" for r in page.rows if r.unplayed]
    note = (
        "Best iteration: where the goal is one subtask, `rate` is of the "
        "iteration that its outer loop chose by tryouts, and this is the best one of each seed, "
        "chosen by these very episodes. Samples, those spent to learn "
        "(training and tryouts), tokens and wall time are means of a cell; a coded action of k "
        "steps counts k. Dead loops: cells in which an outer loop ended in one. Wall times are of "
        "whatever else the machine was doing."
    )
    if by_model:
        note += (
            " Questions: a mean of a cell, too, those included that were put again with what was "
            "wrong with the answer. Accepted at first: of all others, over the seeds, those whose "
            "first answer was taken. `-`: cells of before that was counted."
        )
    if unplayed:
        note += (
            " Cells in which there was nothing to play count as failed in every episode: "
            f"{', '.join(unplayed)}."
        )
    if cut := [f"{r.task} by {r.method} ({r.cut})" for r in page.rows if r.cut]:
        note += (
            " Cut: the samples of these cells were not enough for all episodes of their goal; "
            f"those that were played are counted, and no others: {', '.join(cut)}."
        )
    return note


def _questions(row: Row) -> str:
    if isinstance(row.acceptance, msgspec.UnsetType) or isinstance(
        row.questions, msgspec.UnsetType
    ):
        return "-"
    return _count(row.questions)


def _accepted(row: Row) -> str:
    known = row.acceptance
    if isinstance(known, msgspec.UnsetType) or isinstance(row.questions, msgspec.UnsetType):
        return "-"
    return f"{known.accepted}/{known.asked}"


def _rate(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.2f}"


def _count(number: int | None) -> str:
    return "-" if number is None else count(number)


def _milestones(page: Page) -> list[str]:
    """How far a single long goal came, or each of those by id."""
    tasks = page.definition.tasks
    alone = len(tasks) == 1
    if page.definition.by != "method" or not (alone or any(is_id(task) for task in tasks)):
        return []
    lines = [
        f"* {'' if alone else f'{row.task} by '}`{row.method}`: "
        + ", ".join(f"{item} {number}" for item, number in row.milestones.items())
        + f" (of {row.episodes} episodes)"
        for row in page.rows
        if row.milestones
    ]
    return ["## Items obtained on the way", "\n".join(lines)] if lines else []


def _footnotes(page: Page) -> str:
    commits = sorted({_commit(result) for result in page.results})
    versions = sorted({result.version for result in page.results})
    limits = {
        ", ".join(f"{key} {value}" for key, value in result.limits.items() if key != "samples")
        for result in page.results
    }
    # An override may have changed what the table asks for.
    counts = sorted({result.episodes for result in page.results}) or [page.definition.episodes]
    episodes = " or ".join(str(number) for number in counts)
    samples = page.definition.paper_samples
    paper = ", ".join(f"{method} {number}" for method, number in samples.items())
    lines = [
        f"Command: `{page.command}`; cells of rlgpt {', '.join(versions)}, commits "
        f"{', '.join(commits)}.",
        f"Limits of a cell: {'; '.join(sorted(limits))}; {_most_samples(page)}. Evaluated in "
        f"{episodes} episodes on seeds that nothing was trained or tried on.",
        _seeds_that_decided(page),
        _worlds(page),
        f"Environment samples in the paper: {paper}." if paper else "",
    ]
    return "  \n".join(line for line in lines if line)


def _seeds_that_decided(page: Page) -> str:
    """How many cells were performed on seeds by which iterations had been chosen."""
    count = sum(r.performed and len(r.plan) > 1 and not r.fresh_seeds for r in page.results)
    if not count:
        return ""
    return (
        f"Of goals with several subtasks {counted(count, 'cell')} (before 2026-11-29) were "
        "performed on the seeds of their evaluations, which also decided when a loop stopped; "
        "their figures may be a little too high."
    )


def _most_samples(page: Page) -> str:
    """What a cell of each task may take, its evaluations and performance included."""
    parts = {r.task: f"{r.task} {r.limits.get('samples', '?')}" for r in page.results}
    return f"samples by task: {', '.join(parts.values())}"


def _worlds(page: Page) -> str:
    marks = fingerprints(page.results)
    if not any(mark for mark, _ in marks):
        return ""
    parts = ", ".join(f"{mark or 'not noted'} ({counted(count, 'cell')})" for mark, count in marks)
    kinds = " and ".join(dict.fromkeys(r.world for r in page.results))
    return f"Fingerprint of the {kinds} world: {marks[0][0] if len(marks) == 1 else parts}."


def _commit(result: CellResult) -> str:
    """Short; marked where files had been changed."""
    if result.commit is None:
        return "not known"
    return result.commit[:10] + ("-dirty" if result.commit.endswith("-dirty") else "")
