"""A launch whose node waits for another: that is reported at once, and no call is given up."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.launch_toys.launched import Launched, command, environment, eventually, launched, rlgpt

PAIR = {
    "talker": {"module": "tests.launch_toys.talker", "restart": {"backoff": 4.0}},
    "caller": {"module": "tests.launch_toys.caller", "after": ["talker"]},
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "pair.yaml").write_text(yaml.safe_dump({"nodes": PAIR}))
    return tmp_path


def starts(launch: Launched) -> int:
    log = launch.run / "caller" / "node.log"
    text = log.read_text() if log.exists() else ""
    assert "gave up" not in text
    return text.count("talker answers as")


def pid(launch: Launched) -> int:
    return int((launch.run / "talker" / "lock").read_text())


def test_node_that_is_being_restarted_is_waited_for(place: Path) -> None:
    run = place / "out"
    with launched("launch", "pair", f"run={run}", cwd=place, run=run) as launch:
        launch.wait_for("all nodes are ready")
        eventually(lambda: starts(launch) == 1)
        # Longer away than the service's deadline.
        os.kill(pid(launch), signal.SIGKILL)
        launch.wait_for("caller: waiting for talker, which is being restarted")
        launch.wait_for("caller: talker is connected again")
        eventually(lambda: starts(launch) == 2)
        assert rlgpt("node", "restart", "talker", "--run", "out", cwd=place).returncode == 0
        eventually(lambda: starts(launch) == 3)


def test_node_that_was_left_out_is_waited_for(place: Path) -> None:
    run = place / "out"
    with launched("launch", "pair", f"run={run}", "-talker", cwd=place, run=run) as launch:
        launch.wait_for("caller: waiting for talker, which is not the launcher's")
        launch.wait_for("start it with `rlgpt run talker`")
        with subprocess.Popen(
            command("run", "talker", "--run", "out"),
            cwd=place,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as by_hand:
            launch.wait_for("caller: talker is connected again")
            eventually(lambda: starts(launch) == 1)
            by_hand.send_signal(signal.SIGTERM)
