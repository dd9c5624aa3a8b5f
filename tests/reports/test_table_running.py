"""How a table goes about its cells: failures, Ctrl-C, going on. The planner is a toy."""

import json
import os
import signal
import subprocess
from pathlib import Path

import msgspec
import pytest
import yaml

from nodes.common.running import commit
from rlgpt.refused import Refused
from rlgpt.table import origin, running_cells
from rlgpt.table.cell_progress import TableProgress
from rlgpt.table.cells import Cell
from rlgpt.table.result import CellResult
from rlgpt.table.running_cells import CellRunner, Stopped, UnderWay
from rlgpt.table.shared_models import SharedModels
from tests.launch_toys.launched import environment, eventually, launched, refused, rlgpt
from tests.launching.toy_table import TABLE, make_toy_table
from tests.llm.test_llm_server import FAKE


@pytest.fixture
def toys(tmp_path: Path) -> Path:
    return make_toy_table(tmp_path)


def cells(place: Path) -> list[str]:
    return sorted(path.parent.name for path in place.glob("results/log/*/seed-0.json"))


def test_failed_cell_ends_the_table_or_is_named_at_its_end(toys: Path) -> None:
    only = ("--jobs", "1", "--only", "method=fine,refusing")
    done = rlgpt("table", "toys", *only, cwd=toys)
    assert done.returncode == 1, done
    (run,) = (toys / "runs" / "cells").glob("log-refusing-*")
    why = f"the goal failed: there is no way to that goal (logs are in {run.relative_to(toys)}"
    assert f"cell 1 of 2  log refusing seed 0: FAILED: {why}" in done.stdout
    assert "rlgpt: 1 of 2 cells failed: log refusing seed 0: the goal failed" in done.stderr
    assert "Traceback" not in done.stderr
    assert "log fine seed 0" not in done.stdout
    assert cells(toys) == []

    done = rlgpt("table", "toys", "--keep-going", *only, cwd=toys)
    assert done.returncode == 1, done
    assert f"log refusing seed 0: goes on; runs/cells/{run.name}" in done.stdout
    assert "rlgpt: 1 of 2 cells failed: log refusing seed 0: the goal failed" in done.stderr
    assert "log fine seed 0: 0.95 (19/20), 1.2k samples" in done.stdout
    assert cells(toys) == ["fine"]
    assert "1 of 3 cells are there" in (toys / "results/tables/toys.md").read_text()


def test_again_replaces_the_broken_cells_it_names_and_others_end_the_table_at_once(
    toys: Path,
) -> None:
    table = {**TABLE, "methods": ["fine"], "seeds": [0, 1, 2]}
    (toys / "launch" / "table" / "toys.yaml").write_text(yaml.safe_dump(table))
    broken = [toys / f"results/log/fine/seed-{seed}.json" for seed in range(3)]
    broken[0].parent.mkdir(parents=True)
    for file in broken:
        file.write_text("{")
    again = ("table", "toys", "--again", "--jobs", "1", "--only")
    done = rlgpt(*again, "seed=0,1", cwd=toys)
    assert done.returncode == 2, done
    assert "seed-2.json is no finished cell" in done.stderr
    assert not (toys / "runs").exists()
    done = rlgpt(*again, "seed=0,1,2", cwd=toys)
    assert done.returncode == 0, done
    assert "Complete: all 3 cells" in (toys / "results/tables/toys.md").read_text()


def test_interrupted_table_continues_with_its_unfinished_cell(toys: Path) -> None:
    with launched("table", "toys", "--jobs", "1", "--only", "method=fine,slow", cwd=toys,
                  run=toys) as table:  # fmt: skip
        table.wait_for("log fine seed 0: 0.95")
        table.wait_for("log slow seed 0: began")
        (run,) = (toys / "runs" / "cells").glob("log-slow-*")
        eventually(lambda: has_a_plan(run))
        second = rlgpt("table", "toys", cwd=toys)
        assert second.returncode == 2, second
        assert "another table is being run into results" in second.stderr
        assert table.stop(signal.SIGINT) == 130
        assert "finished cells are kept, and the same command goes on from here" in table.text
        assert "Traceback" not in table.text
    assert cells(toys) == ["fine"]
    assert "stopped in order" in (run / "launch.txt").read_text()
    config = (run / "config.yaml").read_text()
    assert "seconds: 100.0" in config
    (run / "config.yaml").write_text(config.replace("seconds: 100.0", "seconds: 0.1"))
    done = rlgpt("table", "toys", "--jobs", "1", "--only", "method=fine,slow", cwd=toys)
    assert done.returncode == 0, done
    assert "1 to run, 1 there already" in done.stdout
    assert f"log slow seed 0: goes on; runs/cells/{run.name}" in done.stdout
    assert cells(toys) == ["fine", "slow"]
    result = json.loads((toys / "results/log/slow/seed-0.json").read_text())
    summary = json.loads((run / "summary.json").read_text())
    launches = json.loads((run / "launches.json").read_text())
    assert [each["how"] for each in launches] == ["interrupted", "finished"]
    both = sum(each["ended"] - each["began"] for each in launches)
    assert result["wall_s"] == pytest.approx(both, abs=0.1)
    assert summary["wall_seconds"] == pytest.approx(both, abs=0.1)
    assert not list(toys.glob("results/log/slow/.*"))


def test_a_stopped_table_that_runs_all_again_says_what_counts_without_that(toys: Path) -> None:
    only = ("--jobs", "1", "--only", "method=fine,slow")
    assert rlgpt("table", "toys", "--only", "method=fine", cwd=toys).returncode == 0
    earlier = (toys / "results/log/fine/seed-0.json").read_bytes()
    (toys / "launch" / "method" / "fine.yaml").write_text(
        (toys / "launch" / "method" / "slow.yaml").read_text()
    )
    with launched("table", "toys", "--again", *only, cwd=toys, run=toys) as table:
        table.wait_for("log fine seed 0: began")
        assert table.stop(signal.SIGINT) == 130
        assert "goes on from here" not in table.text
        assert "without --again only those without a result are run" in table.text
    assert (toys / "results/log/fine/seed-0.json").read_bytes() == earlier
    (toys / "launch" / "method" / "slow.yaml").write_text(
        (toys / "launch" / "method" / "fine.yaml").read_text().replace("100.0", "0.1")
    )
    done = rlgpt("table", "toys", *only, cwd=toys)
    assert "1 to run, 1 there already" in done.stdout
    assert (toys / "results/log/fine/seed-0.json").read_bytes() == earlier


def has_a_plan(run: Path) -> bool:
    printed = run / "launch.txt"
    return printed.is_file() and "plan: " in printed.read_text()


def test_table_that_was_killed_goes_on_once_its_launch_has_stopped(toys: Path) -> None:
    only = ("table", "toys", "--jobs", "1", "--only", "method=slow")
    with launched(*only, cwd=toys, run=toys) as table:
        table.wait_for("log slow seed 0: began")
        (run,) = (toys / "runs" / "cells").glob("log-slow-*")
        eventually(lambda: has_a_plan(run))
        launcher = int((run / "lock").read_text())
        os.kill(launcher, signal.SIGSTOP)  # so that it stops as late as is looked at here
        table.process.kill()
        table.process.wait()
        config = (run / "config.yaml").read_text()
        (run / "config.yaml").write_text(config.replace("seconds: 100.0", "seconds: 0.1"))
        with launched(*only, cwd=toys, run=toys) as again:
            again.wait_for("log slow seed 0: waits until its last launch has stopped")
            os.kill(launcher, signal.SIGCONT)
            assert again.ended() == 0, again.text
    assert cells(toys) == ["slow"]
    launches = json.loads((run / "launches.json").read_text())
    assert [each["how"] for each in launches] == ["interrupted", "finished"]


def test_cell_that_ended_while_no_table_ran_is_stored_by_the_next_table(toys: Path) -> None:
    (toys / "launch" / "method" / "slow.yaml").unlink()
    done = rlgpt("table", "toys", "--only", "method=fine", cwd=toys)
    assert "left out: method=slow: there is no launch/method/slow.yaml" in done.stdout
    kept = toys / "results/log/fine/seed-0.json"
    result = json.loads(kept.read_text())
    kept.unlink()
    note = {"run": f"runs/cells/{result['run']}", "limits": result["limits"]}
    note |= {"overrides": result["overrides"], "commit": result["commit"]}
    kept.with_name(".seed-0.under-way.json").write_text(json.dumps(note))
    done = rlgpt("table", "toys", "--only", "method=fine", cwd=toys)
    assert done.returncode == 0, done
    assert "began" not in done.stdout
    assert "log fine seed 0: 0.95 (19/20), 1.2k samples" in done.stdout
    assert json.loads(kept.read_text())["run"] == result["run"]


def test_table_stopped_while_a_launch_is_ending_counts_its_time_once(toys: Path) -> None:
    (toys / "launch" / "method" / "slow.yaml").unlink()
    only = ("table", "toys", "--only", "method=fine")
    with launched(*only, cwd=toys, run=toys) as table:
        table.wait_for("log fine seed 0: began")
        (run,) = (toys / "runs" / "cells").glob("log-fine-*")
        output = run / "launch.txt"
        eventually(lambda: output.is_file() and output.read_text(), lambda: table.text)
        # It ends, with its summary, while the table does not look.
        table.process.send_signal(signal.SIGSTOP)
        eventually(lambda: (run / "goal_report.json").is_file())
        table.process.send_signal(signal.SIGINT)
        table.process.send_signal(signal.SIGCONT)
        assert table.ended() == 130
    done = rlgpt(*only, cwd=toys)
    assert done.returncode == 0, done
    result = json.loads((toys / "results/log/fine/seed-0.json").read_text())
    summary = json.loads((run / "summary.json").read_text())
    assert result["wall_s"] == pytest.approx(summary["wall_seconds"], abs=0.1)


CELL = Cell(launch="cell", task="stick", method="rlgpt", llm="rulebook", seed=0, limits={},
            overrides=[])  # fmt: skip


def noted(**changes: object) -> UnderWay:
    note = {"run": "runs/cells/a", "limits": {}, "overrides": [], "commit": "abc-dirty", **changes}
    return msgspec.convert(note, UnderWay)


def test_a_cell_under_way_goes_on_only_with_the_same_commit_and_world(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(running_cells, "current_commit", lambda: "abc-dirty")
    assert noted(fingerprint="a1").is_of(CELL, "a1")
    assert not noted(fingerprint="a1").is_of(CELL, "b2")
    assert noted().is_of(CELL, None)  # of another world than the embedded one
    assert not noted().is_of(CELL, "a1")  # an older note, of who knows which changes
    same = noted(fingerprint="a1")
    assert not same.is_of(msgspec.structs.replace(CELL, limits={"samples": 1}), "a1")
    assert not same.is_of(msgspec.structs.replace(CELL, overrides=["critic=none"]), "a1")
    monkeypatch.setattr(running_cells, "current_commit", lambda: "abd")
    assert not noted(commit="abc", fingerprint="a1").is_of(CELL, "a1")
    monkeypatch.setattr(running_cells, "current_commit", lambda: "abc")
    assert noted(commit="abc").is_of(CELL, "a1")  # an older note, of that very commit
    assert not noted(commit="abc", fingerprint="b2").is_of(CELL, "a1")


def test_fingerprint_is_taken_again_only_after_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    world = tmp_path / "world.py"
    world.write_text("1")
    for arguments in (("init",), ("add", "."), ("commit", "-m", "world")):
        git(*arguments)
    asked: list[str] = []
    monkeypatch.setattr(commit, "CHECKOUT", tmp_path)
    monkeypatch.setattr(origin, "fingerprint", lambda *_: asked.append("") or world.read_text())
    fingerprints = origin.Fingerprints()
    assert [fingerprints.of(CELL) for _ in range(3)] == ["1", "1", "1"]
    for content in "23":  # both are the same commit, and dirty
        world.write_text(content)
        assert [fingerprints.of(CELL) for _ in range(3)] == [content] * 3
    assert len(asked) == 3
    other = msgspec.structs.replace(CELL, overrides=["world=minedojo"])
    assert fingerprints.of(other) is None


def test_cell_has_the_fingerprint_of_the_world_when_it_began(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(toys)
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    cell = msgspec.structs.replace(CELL, launch="toy", task="log", method="fine")
    marks = iter(["before", "after"])  # the world is edited while the cell is under way
    monkeypatch.setattr(origin.Fingerprints, "of", lambda *_: next(marks))
    kept: list[CellResult] = []
    table = CellRunner(toys / "results", 1, False, TableProgress([cell], 1, []), kept.append)
    table.play([cell], again=False)
    assert [result.fingerprint for result in kept] == ["before"]


def test_language_model_without_weights_is_left_out(toys: Path) -> None:
    table = {**TABLE, "by": "llm", "methods": ["fine"], "llms": ["rulebook", "qwen3_8b", "replay"]}
    (toys / "launch" / "table" / "toys.yaml").write_text(yaml.safe_dump(table))
    done = rlgpt("table", "toys", cwd=toys)
    assert done.returncode == 0, done
    assert "left out: llm=qwen3_8b: " in done.stdout
    assert "weights" in done.stdout
    assert "`rlgpt llm doctor qwen3_8b` has more" in done.stdout
    assert "left out: llm=replay: " in done.stdout
    assert "llm.transcript" in done.stdout
    assert "| log | **0.95** [0.76, 0.99] |" in (toys / "results/tables/toys.md").read_text()
    recorded = toys / "recorded.jsonl"
    recorded.write_text("")
    done = rlgpt("table", "toys", "--only", "llm=replay", f"llm.transcript={recorded}", cwd=toys)
    assert done.returncode == 0, done
    assert (toys / "results/log/fine+replay/seed-0.json").is_file()
    # Where a model is makes no other cell of one.
    done = rlgpt("table", "toys", cwd=toys)
    assert "0 to run, 2 there already" in done.stdout


def test_a_cell_that_fails_before_it_is_launched_ends_the_table_too(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(toys)
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    cell = msgspec.structs.replace(CELL, launch="toy", task="log", method="fine", llm="openai")
    cells = [msgspec.structs.replace(cell, seed=seed) for seed in range(3)]

    def refuse(*_: object) -> list[str]:
        raise Refused("it cannot be served")

    monkeypatch.setattr(SharedModels, "_shares", lambda *_: True)
    monkeypatch.setattr(SharedModels, "arguments", refuse)
    for keep_going, failed in ((False, 1), (True, 3)):
        progress = TableProgress(cells, 3, [])
        table = CellRunner(toys / "results", 3, keep_going, progress, lambda _: None)
        table.play(cells, again=False)
        assert [one.seed for one, _ in table.failures] == list(range(failed))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_signal_that_comes_while_a_cell_is_forked_stops_the_table(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python drops what a handler raises then."""
    armed = [signal.SIGINT]
    os.register_at_fork(after_in_parent=lambda: armed and os.kill(os.getpid(), armed.pop()))
    monkeypatch.chdir(toys)
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    cell = msgspec.structs.replace(CELL, launch="toy", task="log", method="slow")
    table = CellRunner(toys / "results", 1, False, TableProgress([cell], 1, []), lambda _: None)
    with pytest.raises(Stopped) as stopped:
        table.play([cell], again=True)
    assert stopped.value.number == signal.SIGINT


def test_cell_whose_host_is_lost_is_begun_again(
    toys: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(toys)
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    cell = msgspec.structs.replace(CELL, launch="toy", task="log", method="fine")
    kept: list[CellResult] = []
    module = "tests.launch_toys.losing_host"
    table = CellRunner(
        toys / "results", 1, False, TableProgress([cell], 1, []), kept.append, module
    )
    table.play([cell], again=False)
    lost = Path((toys / "lost").read_text())
    (result,) = kept
    assert result.run != lost.name
    assert f"cell 1 of 1  log fine seed 0: its host was lost, and it is begun again ({lost})" in (
        printed := capsys.readouterr().out
    )
    assert "goes on" not in printed
    assert not table.failures


def test_cell_that_always_loses_its_host_fails(
    toys: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(toys)
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    cell = msgspec.structs.replace(CELL, launch="toy", task="log", method="fine")
    progress = TableProgress([cell], 1, [])
    module = "tests.launch_toys.always_losing_host"
    table = CellRunner(toys / "results", 1, False, progress, lambda _: None, module)
    table.play([cell], again=False)
    ((_, sentence),) = table.failures
    assert sentence.startswith("its host was lost 6 times")
    assert capsys.readouterr().out.count("begun again") == 5


def test_unknown_engine_is_refused(toys: Path) -> None:
    sentence = refused("table", "toys", "engine=slurm", cwd=toys)
    assert "engine=slurm: there is no such engine (there are: local, ray)" in sentence
    assert not (toys / "results").exists()


def test_model_of_this_machine_is_served_once_for_all_cells(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = toys / "weights" / "toy"
    weights.mkdir(parents=True)
    (weights / "config.json").write_text(json.dumps({"architectures": ["Toy"]}))
    table = {**TABLE, "by": "llm", "methods": ["fine"], "llms": ["local"], "seeds": [0, 1]}
    (toys / "launch" / "table" / "toys.yaml").write_text(yaml.safe_dump(table))
    profile = (
        *(f"llm.path={weights}", "llm.model=toy", "llm.arguments=[--load-format,dummy]"),
        f"llm.command=[{','.join(FAKE)}]",
    )
    done = rlgpt("table", "toys", *profile, "--jobs", "2", cwd=toys)
    assert done.returncode == 0, done
    assert done.stdout.count("serving local for its cells") == 1
    assert len(list((toys / "results/log/fine+local").glob("seed-*.json"))) == 2
    served = toys / "results" / ".served" / "local"
    assert (served / "vllm.log").read_text().count("--- 20") == 1
    assert not (served / "served.json").exists()  # it has ended with the table
    for cell in (toys / "runs" / "cells").iterdir():
        assert yaml.safe_load((cell / "config.yaml").read_text())["llm"]["served"] == str(served)

    monkeypatch.setenv("FAKE_ENDS", "no good")
    done = rlgpt("table", "toys", *profile, "--again", cwd=toys)
    assert done.returncode == 1, done
    assert "vLLM ended before it was healthy: no good" in done.stderr
