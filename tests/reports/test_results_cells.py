"""Every result of results/ lies where the tables look for it."""

from pathlib import Path

import msgspec

from rlgpt.table.cells import Cell
from rlgpt.table.result import CellResult

RESULTS = Path(__file__).parents[2] / "results"


def test_each_result_is_in_the_file_of_its_own_cell() -> None:
    paths = [path for path in RESULTS.rglob("seed-*.json") if not path.name.startswith(".")]
    assert paths
    misplaced = {}
    for path in paths:
        result = msgspec.json.decode(path.read_bytes(), type=CellResult)
        cell = Cell(
            launch="cell",
            task=result.task,
            method=result.method,
            llm=result.llm,
            seed=result.seed,
            limits=result.limits,
            overrides=[],
        )
        if cell.file(RESULTS) != path:
            misplaced[str(path)] = str(cell.file(RESULTS))
    assert not misplaced
