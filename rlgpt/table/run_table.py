"""``rlgpt table NAME``: run what is missing of a table, and write it."""

import os
import shlex
from pathlib import Path

import msgspec

from nodes.common.running.exit_codes import FAILED
from rlgpt.cluster.cluster_joining import PAGE, check_ray
from rlgpt.cluster.found_cluster import find_cluster
from rlgpt.cluster.host_choice import RAY
from rlgpt.composing.composition import group_options
from rlgpt.refused import Refused, instead
from rlgpt.table import definition as tables
from rlgpt.table import markdown, plot, result, running_cells, score_plot
from rlgpt.table.cell_progress import TableProgress, print_line
from rlgpt.table.cells import Cell, expand, selection
from rlgpt.table.definition import Definition
from rlgpt.table.figures import rows
from rlgpt.table.result import CellResult
from rlgpt.table.room import GIB_A_CELL, cells_at, cells_here
from rlgpt.table.running_cells import CellRunner, ResultsLock, Stopped
from rlgpt.table.table_page import Page, difference, fingerprints
from rlgpt.table.usable_models import (
    refuse_if_no_model_takes,
    refuse_if_none_is_usable,
    unusable_models,
)

LOCAL = "local"
ENGINES = {LOCAL: running_cells.LOCAL, RAY: running_cells.CLUSTER}
"""The module that plays a launch, by engine."""
INTERVALS = (
    "Wilson, 95 %, successes pooled over seeds",
    "bootstrap over the episodes of each seed, 95 %, mean over seeds",
)
"""How the intervals of success rates, and of scores, are computed."""
_NAMED = 3  # cells in a line about many
_STOPPED = {
    False: "the same command goes on from here",
    True: "the same command runs all of them again; without --again only those without a result "
    "are run, and what was not replaced yet counts as it was",
}
"""What a table that was stopped does next, by whether it ran everything again."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """The command line besides the table's name."""

    only: list[str] = []
    overrides: list[str] = []
    engine: str = LOCAL  # what plays cells: this host, or the hosts of a cluster
    results: str = "results"
    jobs: int | None = None
    again: bool = False
    keep_going: bool = False
    show: bool = False
    quick: bool = False
    draw: int | None = None


def table(name: str, options: Options) -> int:
    """Run the cells that are missing, unless only to be shown, and write the table. Returns the
    exit code. Raises Refused."""
    if options.engine not in ENGINES:
        raise Refused(
            f"engine={options.engine}: there is no such engine{instead(options.engine, ENGINES)}"
        )
    if options.engine == RAY:
        check_ray()  # reading what is there, and what it was measured in, takes many seconds
    name, definition = tables.drawn(name, tables.read(name), options.draw)
    if options.quick:
        definition = tables.quick(definition)
    only = selection(options.only, definition)
    refuse_if_no_model_takes(options.overrides, only.get("llm", definition.llms))
    folder = Path(os.path.expanduser(options.results))
    results = folder / "quick" if options.quick else folder
    present, left_out = _present(definition)
    cells = expand(
        present,
        options.overrides,
        lambda cell: cell.file(results).exists() or (not options.show and cell.matches(only)),
    )
    writer = Writer(name, definition, results, cells, options)
    if options.show:
        others = _print_others([(cell, result.read(cell, results)) for cell in cells])
        if not writer.read():
            if others:
                raise Refused(
                    f"no result of {name} in {results} is of these settings ({others} of others); "
                    f"`{writer.command} --again` replaces what is there, --results DIR keeps both"
                )
            raise Refused(
                f"there is no result of {name} in {results} yet; `{writer.command}` runs it"
            )
        for path in writer.write():
            print(path)
        return 0
    chosen = [cell for cell in cells if cell.matches(only)]
    with ResultsLock(results):
        there = {} if options.again else {c.name: result.read(c, results) for c in chosen}
        missing = [cell for cell in chosen if there.get(cell.name) is None]
        unusable = unusable_models({cell.llm for cell in missing}, options.overrides)
        left_out += [f"llm={llm}: {why}" for llm, why in unusable.items()]
        for sentence in left_out:
            print_line(f"left out: {sentence}")
        _print_others([(cell, there.get(cell.name)) for cell in chosen])
        to_run = [cell for cell in missing if cell.llm not in unusable]
        code = _run(to_run, len(chosen) - len(missing), writer, results, options)
    refuse_if_none_is_usable(only.get("llm", ()), unusable)
    return code


def _print_others(found: list[tuple[Cell, CellResult | None]]) -> int:
    """Print how results of other settings differ, a line for those that differ in the same way.
    Returns how many there are."""
    alike: dict[str, list[str]] = {}
    for cell, known in found:
        if known is not None and (differs := result.differences(cell, known)):
            alike.setdefault(differs, []).append(cell.name)
    for differs, names in alike.items():
        some = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
        print_line(f"left out, since {differs}: {len(names)} of what is there ({some})")
    others = sum(map(len, alike.values()))
    if others:
        print_line("they are kept: --again runs them again, --results DIR keeps both")
    return others


def _run(to_run: list[Cell], kept: int, writer: "Writer", results: Path, options: Options) -> int:
    room = _cluster_room() if to_run and options.engine == RAY else cells_here()
    jobs = options.jobs or room
    print_line(
        f"{writer.name}: {len(to_run)} to run, {kept} there already, {jobs} side by side; "
        f"results in {results}"
    )
    if options.again:
        _forget_broken(to_run, results)
    known = writer.read()  # a broken cell ends the command here, not hours later
    progress = TableProgress(to_run, jobs, [] if options.again else known)
    module = ENGINES[options.engine]
    runner = CellRunner(results, jobs, options.keep_going, progress, writer.update, module)
    try:
        runner.play(to_run, options.again)
    except Stopped as stopped:
        writer.write_if_any()
        print_line(f"stopped; finished cells are kept, and {_STOPPED[options.again]}")
        return 128 + stopped.number
    for path in writer.write_if_any():
        print_line(f"written: {path}")
    if runner.failures:
        names = "; ".join(f"{cell.name}: {sentence}" for cell, sentence in runner.failures)
        raise Refused(f"{len(runner.failures)} of {len(to_run)} cells failed: {names}", code=FAILED)
    return 0


def _forget_broken(cells: list[Cell], results: Path) -> None:
    """Remove the files that are no cells where cells are to be: the table is written after each
    cell, and would refuse those that are still to be replaced."""
    for cell in cells:
        file = cell.file(results)
        try:
            result.read(cell, results)
        except Refused as refused:
            print_line(f"replaced: {refused.sentence}")
            file.unlink(missing_ok=True)


class Writer:
    """Writes a table from the cells that are there."""

    def __init__(
        self, name: str, definition: Definition, results: Path, cells: list[Cell], options: Options
    ) -> None:
        self.name = name
        self._definition = definition
        self._results = results
        self._cells = cells
        self.command = _command(name.removesuffix(f"-{options.draw}"), options)

    def read(self) -> list[CellResult]:
        """The table's own cells that are there. Raises Refused for a broken one."""
        found = [(cell, result.read(cell, self._results)) for cell in self._cells]
        return [each for cell, each in found if each and not result.differences(cell, each)]

    def update(self, _: CellResult) -> None:
        """A cell was finished: the table as far as it is filled."""
        self.write()

    def write_if_any(self) -> list[Path]:
        return self.write() if self.read() else []

    def write(self) -> list[Path]:
        """Write the table as Markdown, JSON and SVG; returns the paths. Raises Refused."""
        found = [result.with_plain_texts(each) for each in self.read()]
        definition = self._definition
        page = Page(
            name=self.name,
            definition=definition,
            wanted=len(definition.tasks)
            * len(definition.methods)
            * len(definition.llms)
            * len(definition.seeds),
            results=found,
            rows=rows(definition, found),
            command=self.command,
        )
        by_score = definition.by == "score"
        written = {
            "md": markdown.render(page).encode(),
            "json": msgspec.json.format(msgspec.json.encode(_data(page))) + b"\n",
            "svg": (score_plot if by_score else plot).render(page).encode(),
        }
        folder = self._results / "tables"
        for suffix, content in written.items():
            result.write_file(folder / f"{self.name}.{suffix}", content)
        return [folder / f"{self.name}.{suffix}" for suffix in written]


def _data(page: Page) -> dict[str, object]:
    return {
        "format": 1,
        "table": page.name,
        "title": page.definition.title,
        "caption": page.definition.caption,
        "difference": difference(page.results),
        "intervals": INTERVALS[page.definition.by == "score"],
        "command": page.command,
        "cells": len(page.results),
        "cells_wanted": page.wanted,
        "fingerprints": {mark or "": n for mark, n in fingerprints(page.results)},
        "rows": page.rows,
        "paper_also": page.definition.paper_also,
        "paper_samples": page.definition.paper_samples,
        "published": page.definition.published,
    }


def _present(definition: Definition) -> tuple[Definition, list[str]]:
    """The table without the methods that there are no files of, and a sentence for each."""
    there = group_options("method")
    missing = [method for method in definition.methods if method not in there]
    present = msgspec.structs.replace(
        definition, methods=[method for method in definition.methods if method in there]
    )
    return present, [f"method={each}: there is no launch/method/{each}.yaml" for each in missing]


def _cluster_room() -> int:
    """How many cells a cluster has room for. Raises Refused."""
    found = find_cluster()
    room = sum(cells_at(host.cpus, host.memory) for host in found.hosts)
    if not room:
        raise Refused(
            f"no host of the cluster has room for a cell, which takes a CPU and {GIB_A_CELL} GiB "
            f"of memory ({PAGE})"
        )
    return room


def _command(name: str, options: Options) -> str:
    drawn = ["--draw", str(options.draw)] if options.draw is not None else []
    quick = ["--quick"] if options.quick else []
    words = ["rlgpt", "table", name, *drawn, *quick, *options.overrides]
    if options.results != "results":
        words += [f"--results={options.results}"]
    return shlex.join(words)
