"""The pages of results/tables show the cells of results/, as `rlgpt table NAME --show` writes
them: a table that runs cells leaves other tables that share them as they were."""

import re
import shutil
from pathlib import Path

import pytest

from rlgpt.table.run_table import Options, table

RESULTS = Path(__file__).parents[2] / "results"
PAGES = sorted(path.stem for path in (RESULTS / "tables").glob("*.md"))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_the_cells_that_are_there(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = tmp_path / "results"
    shutil.copytree(RESULTS, copied, ignore=shutil.ignore_patterns("tables"))
    drawn = re.fullmatch(r"(sample)-(\d+)", page)
    name, draw = (drawn[1], int(drawn[2])) if drawn else (page, None)
    monkeypatch.chdir(tmp_path)  # the page names the folder where it is not ./results
    table(name, Options(show=True, draw=draw))
    for kind in ("md", "json", "svg"):
        written = (copied / "tables" / f"{page}.{kind}").read_text()
        command = f"rlgpt table {name} --show" + ("" if draw is None else f" --draw {draw}")
        assert written == (RESULTS / "tables" / f"{page}.{kind}").read_text(), f"run {command}"


def test_there_are_pages() -> None:
    assert {"minedojo10", "diamond", "suite"} <= set(PAGES)
