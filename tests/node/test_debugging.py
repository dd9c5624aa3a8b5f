"""A debugger in a node, on a terminal: to quit it ends the node and nothing else."""

import os
import pty
import select
import shlex
import signal
import subprocess
import termios
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import yaml

from messages.bus import Bus, BusError
from messages.empty import Empty
from nodes.common.running.exit_codes import FAILED
from tests.bus_processes import ROOT, Process, make_run
from tests.launch_toys.launched import PATIENCE, command, environment, eventually, launched
from tests.launching.test_launch_goal import GOAL
from tests.node.debugged_node import LOOK_AROUND

_AGAIN_AFTER = 15.0  # seconds; a second one that is no repetition ends the node at once
QUIT, CTRL_C, CTRL_D = b"q\n", b"\x03", b"\x04"


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, words: Sequence[str], cwd: Path) -> None:
        self._ours, theirs = pty.openpty()
        self.attributes = termios.tcgetattr(theirs)
        self.process = subprocess.Popen(
            words,
            cwd=cwd,
            env={**environment(), "TERM": "dumb"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            preexec_fn=lambda: os.login_tty(theirs),  # Ctrl-C on it is then a signal
        )
        self._theirs = theirs
        self.text = ""

    def type(self, keys: bytes) -> None:
        os.write(self._ours, keys)

    def end_by(self, keys: bytes) -> int:
        """The exit code once these keys have ended it. Ctrl-C is typed again, as a person would:
        between the prompt's last letter and its wait for a line, Python notes a signal and handles
        it after the line."""
        self.type(keys)
        deadline = time.monotonic() + _AGAIN_AFTER
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read()
        if keys == CTRL_C and self.process.poll() is None:
            self.type(keys)
        return self.ended()

    def read(self) -> None:
        """What is printed in the next moment."""
        if select.select([self._ours], [], [], 0.1)[0]:
            self.text += os.read(self._ours, 4096).decode(errors="replace")

    def wait_for(self, words: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while words not in self.text:
            assert time.monotonic() < deadline, self.text
            self.read()

    def ended(self) -> int:
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < deadline, self.text
            self.read()
        return self.process.returncode

    def echoes(self) -> bool:
        return bool(termios.tcgetattr(self._theirs)[3] & termios.ECHO)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._ours)
        os.close(self._theirs)


@contextmanager
def terminal(words: Sequence[str], cwd: Path) -> Iterator[Terminal]:
    made = Terminal(words, cwd)
    try:
        yield made
    finally:
        made.close()


@pytest.mark.parametrize("keys", [QUIT, CTRL_C, CTRL_D], ids=["q", "Ctrl-C", "Ctrl-D"])
def test_a_debugger_that_is_quit_gives_the_node_back_and_the_goal_goes_on(
    tmp_path: Path, keys: bytes
) -> None:
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "goal.yaml").write_text(yaml.safe_dump(GOAL))
    run = tmp_path / "it"
    held = "nodes.planner.parameters.until=go"
    with launched("launch", "goal", f"run={run}", held, cwd=tmp_path, run=run) as launch:
        launch.wait_for("plan:")  # its planner works on the goal
        by_hand = command("run", "planner", "--run", "it", "debug=true")
        with terminal(by_hand, tmp_path) as debugging:
            debugging.wait_for("(Pdb)")
            code = debugging.end_by(keys)
            assert code == (0 if keys == CTRL_C else FAILED), debugging.text
            assert debugging.echoes()
            assert "Traceback" not in debugging.text
        launch.wait_for("planner is taken back")
        assert not (run / "planner" / "pursued").exists()
        (run / "go").touch()
        assert launch.ended() == 0, launch.text
        assert (run / "planner" / "pursued").read_text() == "goal\n"


def test_a_node_that_was_run_in_the_background_is_given_back(tmp_path: Path) -> None:
    """A process in the background is stopped where it changes the terminal."""
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "goal.yaml").write_text(yaml.safe_dump(GOAL))
    run = tmp_path / "it"
    held = "nodes.planner.parameters.until=go"
    with launched("launch", "goal", f"run={run}", held, cwd=tmp_path, run=run) as launch:
        launch.wait_for("plan:")
        lock = run / "planner" / "lock"
        before = lock.read_text()
        by_hand = shlex.join(command("run", "planner", "--run", "it"))
        with terminal(["bash", "-c", f"set -m; {by_hand} & read line"], tmp_path) as background:
            background.wait_for("takes its place")
            eventually(lambda: lock.read_text() not in ("", before))
            os.kill(int(lock.read_text()), signal.SIGKILL)
            launch.wait_for("planner is taken back")
        (run / "go").touch()
        assert launch.ended() == 0, launch.text


def test_a_second_ctrl_c_ends_a_node_that_is_busy(tmp_path: Path) -> None:
    """Its serving thread looks at the first one when it is done with what it was asked."""
    run = make_run(tmp_path)
    (run / "busy").touch()
    bus = Bus(run)
    asking = threading.Thread(target=lambda: _in_vain(bus))
    try:
        node = [
            *command()[:1],
            "-P",
            str(ROOT / "tests" / "node" / "debugged_node.py"),
            "--run",
            str(run),
        ]
        with terminal(node, ROOT) as busy:
            asking.start()
            busy.wait_for("busy now")
            for _ in range(2):  # two at once would be one signal
                busy.type(CTRL_C)
                with suppress(subprocess.TimeoutExpired):
                    busy.process.wait(1.0)
            assert busy.ended() == 130
    finally:
        bus.close()
        asking.join(PATIENCE)


def _in_vain(bus: Bus) -> None:
    with pytest.raises(BusError):
        bus.call(LOOK_AROUND, Empty())


@pytest.mark.parametrize("keys", [QUIT, CTRL_C], ids=["q", "Ctrl-C"])
def test_a_request_to_a_debugged_service_is_answered_by_the_next_process(
    tmp_path: Path, keys: bytes
) -> None:
    run = make_run(tmp_path)
    (run / "debug").touch()
    node = ROOT / "tests" / "node" / "debugged_node.py"
    answers: list[Empty] = []
    bus = Bus(run)
    asking = threading.Thread(target=lambda: answers.append(bus.call(LOOK_AROUND, Empty())))
    try:
        with terminal([*command()[:1], "-P", str(node), "--run", str(run)], ROOT) as debugging:
            asking.start()
            debugging.wait_for("(Pdb)")
            code = debugging.end_by(keys)
            assert code == (FAILED if keys == QUIT else 130), debugging.text
        (run / "debug").unlink()
        assert not answers
        again = Process(node, run)
        eventually(lambda: answers)
        assert again.stop() == 0
    finally:
        asking.join(PATIENCE)
        bus.close()
