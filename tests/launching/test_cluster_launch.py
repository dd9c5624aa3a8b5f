"""A whole launch on a host of a cluster, but for the cluster: what is sent there, and what comes
back. `tests/launching/test_ray.py` has one."""

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from rlgpt.cluster import remote_launch
from rlgpt.cluster.placed_process import Signals
from rlgpt.cluster.remote_launch import composed, play
from rlgpt.launching.launching import resume
from rlgpt.refused import Refused
from rlgpt.runs import run_folder
from rlgpt.runs.away import AWAY, is_away
from tests.launch_toys.launched import environment
from tests.launching.direct_ray import DirectRay
from tests.launching.toy_table import make_toy_table

RUN = Path("runs/cells/it")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(make_toy_table(tmp_path))
    # The launch is started in a folder of its host, where ours are no modules.
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    RUN.mkdir(parents=True)
    return RUN


def unchanged(_: str, method: Callable[..., Any]) -> Callable[..., Any]:
    return method


def test_launch_on_a_host_leaves_its_run_folder_here(
    run: Path, signals: Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    composed("toy", ["method=fine", f"run={run}"])
    ray = DirectRay(unchanged)
    assert play(ray, run, signals) == 0
    printed = capsys.readouterr().out
    assert "runs on the host 127.0.0.1" in printed
    assert f"run folder {run}" in printed  # as it is called here
    assert json.loads((run / "goal_report.json").read_text())["success"]
    assert (run / "planner" / "output.log").exists()
    assert (run / "launcher.log").read_text()
    assert (run / "summary.json").exists()
    assert not is_away(run)
    assert yaml.safe_load((run / "config.yaml").read_text())["run"] == str(run)
    (host,) = ray.made
    assert not Path(host.run_folder()).exists()
    assert ray.asked["num_cpus"] == 1
    assert ray.asked["memory"] == 2 << 30


def test_launch_that_was_stopped_goes_on_on_another_host(run: Path, signals: Signals) -> None:
    composed("toy", ["method=slow", f"run={run}"])
    stopped: list[str] = []

    def stopping(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            if name == "start":  # as in a process of Ray
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            answer = method(*arguments)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            if name == "wait" and b"plan: " in answer[0] and not stopped:
                stopped.append(name)
                signal.raise_signal(signal.SIGINT)
            return answer

        return call

    assert play(DirectRay(stopping), run, signals) == 130
    assert not is_away(run)
    assert not (run / "goal_report.json").exists()
    config = (run / "config.yaml").read_text()
    assert "seconds: 100.0" in config
    (run / "config.yaml").write_text(config.replace("seconds: 100.0", "seconds: 0.1"))
    (run / "planner" / "films").mkdir()
    (run / "planner" / "films" / "a.mp4").write_bytes(b"0" * (9 << 20))
    asked: list[tuple[Any, ...]] = []

    def noting(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            if name in ("put", "part"):
                asked.append((name, *arguments[:2]))
            return method(*arguments)

        return call

    assert play(DirectRay(noting), run, signals) == 0
    launches = json.loads((run / "launches.json").read_text())
    assert [each["how"] for each in launches] == ["interrupted", "finished"]
    # All its files were there, and those that had not changed did not come back.
    film = "planner/films/a.mp4"
    assert [each for each in asked if film in each] == [
        ("put", film, offset) for offset in (0, 0, 4 << 20, 8 << 20)
    ]


def test_launch_whose_host_is_lost_cannot_be_continued(run: Path, signals: Signals) -> None:
    composed("toy", ["method=slow", f"run={run}"])

    class Lost(Exception):
        pass

    def losing(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            answer = method(*arguments)
            if name == "wait" and b"plan: " in answer[0]:
                raise Lost
            return answer

        return call

    ray = DirectRay(losing)
    try:
        with pytest.raises(Lost):
            play(ray, run, signals)
    finally:
        ray.made[0].discard()
    assert is_away(run)


def test_a_launch_that_a_host_has_cannot_be_begun_here_too(
    run: Path,
    signals: Signals,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    composed("toy", ["method=fine", f"run={run}"])
    refusals: list[str] = []

    def meanwhile(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        if name == "start":
            with pytest.raises(Refused) as refused:
                resume(str(run), [])
            refusals.append(refused.value.sentence)
        return method

    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.1:6379")
    monkeypatch.setattr(remote_launch, "join", lambda _: DirectRay(meanwhile))
    monkeypatch.setattr("sys.argv", ["remote_launch", "resume", str(run)])
    with run_folder.Lock(run):  # the other way round: it runs here already
        assert remote_launch.main() == 2
    assert f"{run} is already launched by process" in capsys.readouterr().out
    assert remote_launch.main() == 0
    (refusal,) = refusals
    assert f"{run.resolve()} is already launched by process" in refusal
    assert not run_folder.launched(run)


def test_a_run_that_was_lost_with_its_host_is_not_resumed_as_it_is(run: Path) -> None:
    composed("toy", ["method=fine", f"run={run}"])
    (run / AWAY).write_text("10.77.0.2\n")
    with pytest.raises(Refused) as refused:
        resume(str(run), [])
    assert "was not brought back from the host of a cluster that had it" in refused.value.sentence
    assert f"delete {run.resolve()}/away" in refused.value.sentence
