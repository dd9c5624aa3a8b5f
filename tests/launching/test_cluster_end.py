"""How a placed process ends: by a signal, while its files come, and with nothing left there."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console

from messages.bus.network.curve import make_keys
from rlgpt.cluster.host_choice import BRINGING
from rlgpt.cluster.host_process import HostProcess
from rlgpt.cluster.placed_process import PlacedProcess, Signals
from rlgpt.cluster.remote_process import RemoteNode
from rlgpt.composing.configuration import Stack, load
from rlgpt.launching.child import GRACE
from rlgpt.launching.launch_progress import LaunchView
from rlgpt.launching.supervisor import Supervisor
from tests.launch_toys.launched import environment, eventually, processes_of
from tests.launch_toys.process_tree import children
from tests.launching.direct_ray import DirectRay

NODE = "env_server"
TOY = "tests.launch_toys.env_server"
MIB = 1 << 20


def stopping(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """The launcher's process gets SIGTERM as soon as the node runs."""

    def call(*arguments: Any) -> Any:
        answer = method(*arguments)
        if name == "wait" and b"runs" in answer[0]:
            signal.raise_signal(signal.SIGTERM)
        return answer

    return call


@pytest.mark.parametrize("started", [True, False])
@pytest.mark.parametrize("how", ["as Ray does", "at once"])
def test_a_host_keeps_no_folder_of_what_was_killed_there(started: bool, how: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.launch_toys.host", *(["start"] if started else [])],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        run = Path(process.stdout.readline().strip())
        assert (run / "keys" / "toy.key_secret").read_text() == "secret"
        assert len(processes_of(run)) == (2 if started else 0)  # the node and its helper
        if how == "as Ray does":  # its children first
            for each in children(process.pid):
                os.kill(each, signal.SIGKILL)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    eventually(lambda: not run.parent.exists(), lambda: list(run.parent.rglob("*")))
    assert processes_of(run) == []


def placed(
    tmp_path: Path, signals: Signals, called: Any, parameters: dict[str, Any], grace: float
) -> tuple[PlacedProcess, HostProcess]:
    """A toy that was started on a host."""
    ray = DirectRay(called)
    made = PlacedProcess(
        ray, ray.options().remote(), signals, tmp_path / NODE, NODE, bring_every=0.0, grace=grace
    )
    (host,) = ray.made
    config = {"nodes": {NODE: {"parameters": parameters}}}
    made.put("config.yaml", yaml.safe_dump(config).encode())
    made.put(f"{NODE}/large", bytes(MIB))
    made.start(TOY, ["--run", host.run_folder()], "here")
    # After the start: they were not sent.
    (Path(host.run_folder()) / NODE / "films").write_bytes(bytes(9 * MIB))
    return made, host


def test_a_signal_is_passed_on_between_the_parts_of_a_file(
    tmp_path: Path, signals: Signals
) -> None:
    calls: list[str] = []

    def noting(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            calls.append(name)
            if calls.count("part") == 2 and name == "part":
                signal.raise_signal(signal.SIGTERM)
            return method(*arguments)

        return call

    made, host = placed(tmp_path, signals, noting, {}, 60.0)
    run = Path(host.run_folder())
    code = made.follow()
    assert code == 0
    made.finish()
    (at,) = (number for number, name in enumerate(calls) if name == "signal")
    assert calls[at - 1 : at + 2] == ["part", "signal", "part"]
    assert (tmp_path / NODE / "films").stat().st_size == 9 * MIB
    assert not run.parent.exists()


def test_a_node_that_does_not_stop_is_killed_there_and_its_files_come(
    tmp_path: Path, signals: Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    made, host = placed(tmp_path, signals, stopping, {"deaf": True}, 0.1)
    assert made.follow() == -signal.SIGKILL
    made.finish()
    assert "does not stop; it is killed" in capsys.readouterr().out
    assert (tmp_path / NODE / "films").stat().st_size == 9 * MIB
    assert not Path(host.run_folder()).parent.exists()


def test_output_that_cannot_be_written_does_not_end_a_node(
    tmp_path: Path, signals: Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = open("/dev/full", "w")  # noqa: SIM115 - closing it fails
    monkeypatch.setattr(sys, "stdout", full)
    made, _ = placed(tmp_path, signals, stopping, {}, 60.0)
    assert made.follow() == 0
    made.finish()
    assert (tmp_path / NODE / "films").stat().st_size == 9 * MIB
    with contextlib.suppress(OSError):
        full.close()


def stack_of(run: Path, engine: str = "ray") -> Stack:
    make_keys(run / "keys", [NODE, "launcher", "tools"])
    (run / NODE).mkdir(exist_ok=True)
    (run / NODE / "episodes").write_bytes(bytes(9 * MIB))
    config = {
        "name": "it",
        "run": str(run),
        "engine": engine,
        "hosts": {NODE: {"host": "127.0.0.1", "port": 27_000}},
        "nodes": {NODE: {"module": TOY}},
    }
    (run / "config.yaml").write_text(yaml.safe_dump(config))
    return load(run)


def test_a_node_that_is_stopped_while_its_files_are_sent_is_not_started(
    tmp_path: Path, signals: Signals
) -> None:
    calls: list[str] = []

    def stopping(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        calls.append(name)
        if calls.count("put") == 6:
            signal.raise_signal(signal.SIGTERM)
        return method

    ray = DirectRay(stopping)
    stack = stack_of(tmp_path)
    assert RemoteNode(ray, ray.options().remote(), stack, tmp_path, NODE, signals).play() == 0
    assert "start" not in calls
    assert not Path(ray.made[0].run_folder()).parent.exists()
    assert (tmp_path / NODE / "episodes").stat().st_size == 9 * MIB


@pytest.mark.parametrize(("engine", "seconds"), [("ray", GRACE + BRINGING), ("local", GRACE)])
def test_a_placed_node_has_time_for_its_last_files(
    tmp_path: Path, engine: str, seconds: float
) -> None:
    made = Supervisor(stack_of(tmp_path, engine), tmp_path, [], LaunchView(Console()))  # pyright: ignore
    try:
        assert made.children[NODE].grace == seconds
    finally:
        made._close()  # pyright: ignore[reportPrivateUsage]
