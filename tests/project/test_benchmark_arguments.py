"""What a benchmark is given: faults are found before anything is measured."""

import argparse
import json
from pathlib import Path

import pytest

from benchmarks.arguments import device, output_file, positive
from benchmarks.kept_rows import KeptRows
from benchmarks.options import nodes


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=positive)
    parser.add_argument("--json", type=output_file)
    parser.add_argument("--device", type=device)
    with pytest.raises(SystemExit, match="2"):
        parser.parse_args(arguments)
    return capsys.readouterr().err


def test_arguments_that_cannot_be_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "--count: it is at least 1, not 0" in refused(["--count", "0"], capsys)
    assert "--count: 'many' is no whole number" in refused(["--count", "many"], capsys)
    assert "there is no device called 'tpu'" in refused(["--device", "tpu"], capsys)
    nowhere = tmp_path / "missing" / "figures.json"
    sentence = f"--json: {nowhere} cannot be written: No such file or directory"
    assert sentence in refused(["--json", str(nowhere)], capsys)


def test_figures_that_are_there_are_left_until_new_ones_are_written(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    file.write_text("[1]")
    assert output_file(str(file)).read_text() == "[1]"


def test_rows_of_other_settings_are_refused(tmp_path: Path) -> None:
    file = output_file(str(tmp_path / "rows.json"))
    KeptRows(file, {"budget": 5}).add({"task": "log"})
    assert KeptRows(file, {"budget": 5}).rows == [{"task": "log", "settings": {"budget": 5}}]
    with pytest.raises(SystemExit, match=r"rows of other settings, .*5.*; here they are .*6"):
        KeptRows(file, {"budget": 6})
    for text in ("{", "[1]", "3"):
        file.write_text(text)
        with pytest.raises(SystemExit, match="is no file of kept rows"):
            KeptRows(file, {})
    file.write_text(json.dumps([{"task": "log"}]))  # of an earlier version
    with pytest.raises(SystemExit, match="other settings, None"):
        KeptRows(file, {})


def test_a_launch_that_is_refused_ends_the_benchmark_with_a_sentence(tmp_path: Path) -> None:
    with (
        pytest.raises(SystemExit, match="the launch ended with code 2: see above"),
        nodes(tmp_path, {"nonsense": 1}),
    ):
        pass
