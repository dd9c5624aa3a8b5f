"""What a table of tasks by id says besides its rows: means by kind of task, how the first method
stands to each of the others, and the budgets of the publications."""

from statistics import mean

from rlgpt.table.figures import Row
from rlgpt.table.markdown_rows import table_of
from rlgpt.table.table_page import Page
from rlgpt.table.table_tasks import is_id, kind_of


def sections(page: Page) -> list[str]:
    """Empty for a table whose tasks are files."""
    ids = [task for task in page.definition.tasks if is_id(task)]
    if page.definition.by != "method" or not ids:
        return []
    rows = [row for row in page.rows if row.task in ids and row.rate is not None]
    parts = ["## By kind of task", _means(page, rows), *_against(page, rows)]
    if published := page.definition.published:
        parts.append("Budgets of the publications: " + _listed(published) + ".")
    return parts


def _means(page: Page, rows: list[Row]) -> str:
    """Of tasks, each counted once, whatever its episodes."""
    methods = page.definition.methods
    kinds = list(dict.fromkeys(kind_of(task) for task in page.definition.tasks if is_id(task)))
    table = [["kind", *methods]]
    for kind in [*kinds, "all"]:
        cells: list[str] = []
        for method in methods:
            own = [row for row in rows if row.method == method]
            rates = [row.rate for row in own if kind in ("all", kind_of(row.task))]
            known = [rate for rate in rates if rate is not None]
            cells.append(f"{mean(known):.2f} ({len(known)})" if known else "-")
        table.append([kind, *cells])
    return f"{table_of(table)}\n\nMeans of tasks; in brackets is how many have been run."


def _against(page: Page, rows: list[Row]) -> list[str]:
    first, *others = page.definition.methods
    by_cell = {(row.task, row.method): row for row in rows}
    sentences: list[str] = []
    for other in others:
        pairs = [
            (by_cell[task, first], by_cell[task, other])
            for task in page.definition.tasks
            if (task, first) in by_cell and (task, other) in by_cell
        ]
        if not pairs:
            continue
        above = [pair for pair in pairs if (pair[0].rate or 0) > (pair[1].rate or 0)]
        below = [pair for pair in pairs if (pair[0].rate or 0) < (pair[1].rate or 0)]
        apart = [ours.task for ours, theirs in above if ours.low > theirs.high]
        behind = [ours.task for ours, theirs in below if ours.high < theirs.low]
        sentences.append(
            f"`{first}` is above `{other}` in {len(above)} of {len(pairs)} tasks, with intervals "
            f"apart in {len(apart)}{_named(apart)}; below it in {len(below)}, apart in "
            f"{len(behind)}{_named(behind)}."
        )
    return ["  \n".join(sentences)] if sentences else []


def _named(tasks: list[str]) -> str:
    return f" ({', '.join(tasks)})" if tasks else ""


def _listed(published: dict[str, str]) -> str:
    return "; ".join(f"`{method}`: {budget}" for method, budget in published.items())
