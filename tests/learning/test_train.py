"""rlgpt train: a policy by a spec file, with the real env server and learner."""

import json
import os
import shutil
import signal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from rlgpt.refused import Refused
from rlgpt.single_runs import train_alone
from tests.launch_toys.launched import CHECKOUT, eventually, launched, printed, refused
from worlds import card

EXAMPLE = CHECKOUT / "docs" / "examples" / "train"
SMALL = ("learner.environments=4", "learner.minibatch=64", "learner.hidden=32", "+world.area=64")
LAUGHS = "".join(
    [
        "a: &a [1]\n",
        *(f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in pairwise("abcdefgh")),
    ]
)
BUDGET = 24_000  # samples; four environments take some ten seconds for them
HAVE = {"kind": "have", "name": "stone"}


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """The example, with a small budget, which still outlasts a command typed beside it."""
    shutil.copytree(EXAMPLE, tmp_path / "mine")
    path = tmp_path / "mine" / "harvest_log.yaml"
    values = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**values, "budget": BUDGET, "stop_at": 1.0}))
    return path


def test_the_example_spec_is_trained_interrupted_and_resumed(spec: Path) -> None:
    place = spec.parent.parent
    run = place / "it"
    arguments = ("train", "mine/harvest_log.yaml", "run=it", *SMALL)
    with launched(*arguments, cwd=place, run=run) as launch:
        launch.wait_for("learner: ")
        live = json.loads(printed("profile", "it", "--json", cwd=place))
        assert live["running"]
        assert launch.stop(signal.SIGINT) == 130
        assert "report: it/report.html" in launch.text
    assert json.loads((run / "summary.json").read_text())["state"]["kind"] == "interrupted"
    with launched("resume", "it", cwd=place, run=run) as again:
        assert again.ended() == 0, again.text
        assert "of the recent training episodes after" in again.text
        assert "policy  it/learner/train+harvest-log/checkpoint.pt" in again.text
    assert (run / "learner" / "train+harvest-log" / "checkpoint.pt").is_file()
    summary = json.loads((run / "summary.json").read_text())
    assert summary["state"]["kind"] in ("reached", "not_reached")
    assert summary["task"]["id"] == "harvest_log"
    assert summary["samples"]["training"] >= BUDGET
    assert summary["episodes"]["training"] > 0
    assert summary["goals"][0]["action"] == "learner/train"
    shown = printed("runs", str(place), cwd=place)
    assert "harvest_log" in shown
    _the_time_is_accounted_for(place)


def _the_time_is_accounted_for(place: Path) -> None:
    found = json.loads(printed("profile", "it", "--json", cwd=place))
    assert not found["running"]
    parts = {part["part"]: part["seconds"] for part in found["parts"]}
    assert {"starting", "world", "features", "programs", "network", "update"} <= parts.keys()
    assert sum(parts.values()) == pytest.approx(found["wall_seconds"], abs=0.02)
    (training,) = found["trainings"]
    assert training["policy"] == "train/harvest-log"
    assert sum(p["seconds"] for p in training["parts"]) == pytest.approx(
        training["seconds"], abs=0.02
    )
    learner = found["nodes"]["learner"]
    assert sum(learner.values()) == pytest.approx(training["seconds"], abs=0.1)
    page = (place / "it" / "report.html").read_text()
    assert "Where the time went" in page
    assert json.loads((place / "it" / "summary.json").read_text())["time"]
    table = printed("profile", "it", "--nodes", "--calls", cwd=place)
    assert "training train/harvest-log" in table
    assert "env_server/roll_out" in table


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"macros": [{"file": "fly.py"}]}, "the spec is invalid: Macro fly does not compile"),
        ({"budget": 100}, "the spec is invalid: The budget of 100 samples is less than one"),
    ],
)
def test_a_spec_that_the_nodes_refuse_ends_the_training_with_code_2(
    spec: Path, change: dict[str, object], words: str
) -> None:
    values = yaml.safe_load(spec.read_text())
    spec.with_name("fly.py").write_text("import os\n\n\ndef action(obs):\n    return obs\n")
    spec.write_text(yaml.safe_dump({**values, **change}))
    place = spec.parent.parent
    arguments = ("train", "mine/harvest_log.yaml", "run=it", SMALL[3])
    with launched(*arguments, cwd=place, run=place / "it") as launch:
        assert launch.ended() == 2
        assert words in launch.text
        assert "Traceback" not in launch.text
    eventually(lambda: (place / "it" / "summary.json").is_file())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"observatons": ["compass"]}, "there is no `observatons`; did you mean `observations`?"),
        ({"rewards": None}, "`rewards`: expected"),
        (
            {"rewards": [{"kind": "succes", "weight": 1}]},
            "no reward `succes`; did you mean `success`?",
        ),
        ({"rewards": [{"kind": "success", "wait": 1}]}, "there is no `wait` in `rewards[0]`"),
        ({"horizon": 0}, "`horizon`: expected"),
        ({"gamma": 0.9}, "there is no `gamma`"),
        ({"task": "harvest_lgo"}, "there is no task `harvest_lgo`; did you mean `harvest_log`?"),
        (
            {"task": {"id": "a", "prompt": "a", "game": "quarry", "success": HAVE}},
            "harvest_log.yaml: task.game: there is no game 'quarry'; there are minecraft",
        ),
        ({"macros": [{"file": "fly.py"}]}, "fly.py cannot be read: No such file"),
        ({"macros": [{"file": "../dig.py"}]}, "the program ../dig.py is outside the spec's folder"),
        ({"prefix": [{"file": "/etc/passwd"}]}, "/etc/passwd is outside the spec's folder; put it"),
        ({"macros": [{"file": "a/../../dig.py"}]}, "is outside the spec's folder"),
        ({"macros": [{"file": "linked.py"}]}, "linked.py is a link to /etc/passwd, outside the"),
        ({"prefix": [{"file": "folder/passwd"}]}, "is a link to /etc/passwd, outside the spec's"),
        ({"macros": [{"file": "loop.py"}]}, "loop.py cannot be read: Too many levels of symbolic"),
        ({"macros": [{"file": "a\0b.py"}]}, "cannot be read: embedded null byte"),
        ({"macros": [{"file": "dig.py"}] * 2}, "Two macros are called 'dig'."),
        ({"actions": ["fly"]}, "There is no action called 'fly'"),
        ({"targets": ["unobtainium"]}, "there is no block or mob called 'unobtainium'"),
        ({"rewards": [{"kind": "step", "weight": float("nan")}]}, "is not a finite number"),
    ],
)
def test_a_spec_that_is_wrong_is_refused(spec: Path, change: dict[str, object], words: str) -> None:
    values = yaml.safe_load(spec.read_text())
    spec.write_text(yaml.safe_dump({**values, **change}))
    for name, target in (("linked.py", "/etc/passwd"), ("folder", "/etc"), ("loop.py", "loop.py")):
        (spec.parent / name).symlink_to(target)
    assert words in refused("train", str(spec), cwd=spec.parent)
    assert not (spec.parent / "runs").exists()


def test_an_inline_task_is_played_in_a_world_of_its_game_and_changed_in_the_spec_alone(
    spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = {"id": "sapling", "prompt": "Collect a sapling.", "game": "crafter"}
    task |= {"success": {"kind": "have", "name": "sapling"}}
    values: dict[str, object] = {"task": task, "horizon": 100, "budget": 10_000}
    values |= {"observations": ["vitals"], "rewards": [{"kind": "success", "weight": 1.0}]}
    spec.write_text(yaml.safe_dump({**values, "actions": card("crafter").specs.actions[:2]}))
    composed: list[dict[str, Any]] = []
    monkeypatch.setattr(train_alone, "launch_composed", lambda data, *_: composed.append(data) or 0)
    assert train_alone.train(str(spec), ["run=it"], []) == 0
    (data,) = composed
    assert data["world"]["kind"] == data["training"]["task"]["game"] == "crafter"
    for override in ("task.horizon=5", "+task.world.daylight=1", "~task.biome"):
        with pytest.raises(Refused) as refused_:
            train_alone.train(str(spec), [override], [])
        words = f"`{override.lstrip('~')}`: the task is written out in the spec; set it in"
        assert words in refused_.value.sentence


def test_files_that_are_no_spec_are_refused(spec: Path) -> None:
    assert "cannot be read: No such file" in refused("train", "none.yaml", cwd=spec.parent)
    assert "the task is the spec's" in refused("train", str(spec), "task=bed", cwd=spec.parent)
    os.mkfifo(spec.parent / "pipe")
    for name in ("pipe", "/dev/zero"):
        said = refused("train", name, cwd=spec.parent)
        assert f"{name} is no file but a pipe or a device" in said
    for broken, said in {
        "horizon: 2020-99-99": "is not valid YAML: month must be in 1..12",
        f"horizon: {'9' * 5000}": "is not valid YAML: Exceeds the limit",
        "? [a, b]\n: 1": "is not valid YAML: line 1: found unhashable key",
        LAUGHS: "its YAML aliases (*name) make more than 10,000 values of it",
        "a: &a [*a]": "its YAML aliases (*name) make more than",
        "2026-01-01: 1": "the key `2026-01-01` is a date, where a name has to be: put it in quotes",
        "task: {id: x, inventory: {5: 3}}": "the key `5` in `task.inventory` is a number, where",
        "null: 1": "the key `None` is nothing, where a name has to be",
        "horizon: 9\nrewards: []\nhorizon: 8": "line 3: `horizon` is there twice",
        "rewards: [{kind: step, kind: code}]": "line 1: `kind` is there twice",
        "#" * 1_000_001: "has 1,000,001 bytes, and at most 1,000,000 are read: is it the file?",
    }.items():
        spec.write_text(broken)
        assert said in refused("train", str(spec), cwd=spec.parent)
    spec.write_text("task: [")
    assert "is not valid YAML: line 1" in refused("train", str(spec), cwd=spec.parent)
    spec.write_text("- 3\n")
    assert "it is no training spec" in refused("train", str(spec), cwd=spec.parent)
    spec.write_text("task: bed\n")
    assert "is missing" in refused("train", str(spec), cwd=spec.parent)
