"""The panel of times: what counts as the time of a training."""

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from rlgpt.dash.views import time_view
from rlgpt.dash.views.curve_view import CurveLine
from rlgpt.dash.views.time_view import times
from rlgpt.report.played_episodes import Kind

TAGS = ("episode/success_rate", "speed/steps_per_second")


def trained(began: float, ended: float) -> list[CurveLine]:
    """The curves of one policy, of a thousand samples."""
    shared = {"policy": "p", "points": 9, "first": 0, "last": 1000, "value": 60.0}
    return [CurveLine(tag=tag, began=began, ended=ended, **shared) for tag in TAGS]


def launched(run: Path, *times: tuple[float, float]) -> None:
    records = [{"began": a, "ready": a, "ended": b, "how": "interrupted"} for a, b in times]
    (run / "launches.json").write_text(json.dumps(records))


def part(found: dict[str, Any], name: str) -> float:
    return sum(each["seconds"] for each in found["parts"] if each["part"] == name)


def test_the_pause_of_a_training_that_was_interrupted_and_resumed_is_none_of_its_time(
    tmp_path: Path,
) -> None:
    launched(tmp_path, (1000.0, 1020.0), (50_000.0, 50_030.0))
    found = times(tmp_path, trained(1010.0, 50_010.0), 60_000.0)
    assert found["whole"] == 50.0
    assert part(found, "training") == pytest.approx(20.0)
    assert part(found, "rest") == pytest.approx(30.0)
    spans = [(span["began"], span["ended"]) for span in found["spans"]]
    assert spans == [(1010.0, 1020.0), (50_000.0, 50_010.0)]
    (speed,) = found["speeds"]
    assert (speed["seconds"], speed["mean"], speed["last"]) == (20.0, 50.0, 60.0)
    assert (speed["policy"], speed["samples"], found["all_speeds"]) == ("p", 1000, 1)


def test_a_training_without_a_launcher_is_shown_whole(tmp_path: Path) -> None:
    found = times(tmp_path, trained(1010.0, 1020.0), 60_000.0)
    assert part(found, "training") == pytest.approx(10.0)
    assert found["speeds"][0]["mean"] == pytest.approx(100.0)


def test_of_many_trainings_the_speeds_of_the_newest_are_shown(tmp_path: Path) -> None:
    lines = [line for began in range(30) for line in trained(float(began), began + 1.0)]
    found = times(tmp_path, lines, 60_000.0)
    assert (len(found["speeds"]), found["all_speeds"]) == (20, 30)
    assert found["speeds"][0]["mean"] == pytest.approx(1000.0)


def test_every_purpose_of_a_play_has_words_and_a_colour() -> None:
    page = Path(time_view.__file__).parents[1] / "static/panels/times.js"
    (places,) = re.findall(r"const PLACES = \{(.*?)\}", page.read_text())
    labels = time_view._LABELS
    assert set(re.findall(r"(\w+):", places)) == set(labels)
    assert set(get_args(Kind)) - {"validation"} <= set(labels)  # it is counted as a performance
