"""The server of a table's model begins once that of the table before it has ended."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from nodes.llm.sharing import served_folder
from rlgpt.refused import Refused
from rlgpt.table import shared_models
from rlgpt.table.cells import Cell
from rlgpt.table.shared_models import SharedModels
from tests.launch_toys.launched import environment
from tests.launching.toy_table import make_toy_table
from tests.llm.test_llm_server import FAKE


@pytest.fixture
def cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cell:
    make_toy_table(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    weights = tmp_path / "weights"
    weights.mkdir()
    (weights / "config.json").write_text(json.dumps({"architectures": ["Toy"]}))
    overrides = [f"llm.path={weights}", "llm.arguments=[--load-format,dummy]"]
    overrides.append(f"llm.command=[{','.join(FAKE)}]")
    return Cell(
        launch="toy", task="log", method="fine", llm="local", seed=0, limits={},
        overrides=overrides,
    )  # fmt: skip


@pytest.fixture
def models(tmp_path: Path) -> Iterator[SharedModels]:
    found = SharedModels(tmp_path / "results")
    yield found
    found.close()


def test_a_model_whose_last_server_is_still_ending_is_waited_for(
    cell: Cell, models: SharedModels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "results" / ".served" / "local"
    last = served_folder.hold(folder)
    printed: list[str] = []

    def print_line(text: str) -> None:
        printed.append(text)
        if "waiting" in text:
            os.close(last)

    monkeypatch.setattr(shared_models, "print_line", print_line)
    (argument,) = models.arguments(cell)
    assert yaml.safe_load(argument.partition("=")[2]) == str(folder)
    assert printed == [
        "serving local for its cells",
        f"local is still served in {folder}: waiting for the end of that",
    ]
    assert served_folder.is_held(folder)


def test_a_server_that_does_not_end_fails_a_cell_but_not_those_after_its_end(
    cell: Cell, models: SharedModels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_models, "ENDED_WITHIN", 0.2)
    folder = tmp_path / "results" / ".served" / "local"
    last = served_folder.hold(folder)
    with pytest.raises(Refused, match=r"does not end: end it, or .*--results DIR"):
        models.arguments(cell)
    os.close(last)
    assert models.arguments(cell)
