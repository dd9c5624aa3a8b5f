"""Every command of docs/tutorial.md, in its order, in one folder, as a reader types it."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", flags=re.S | re.M)
COPIED = ("launch", "messages", "models", "nodes", "rlgpt", "worlds")
PATIENCE = 1200.0


class Block(NamedTuple):
    language: str
    where: str  # "terminal 1", "wait for terminal 1", "" for the second terminal, a file's name
    lines: list[str]


def blocks() -> list[Block]:
    """The tutorial's, in order. Its first line, a comment, says where it belongs."""
    found = []
    for language, text in BLOCK.findall(TUTORIAL.read_text("utf-8")):
        lines = text.splitlines()
        first = re.match(r"# (terminal 1|wait for terminal 1|\w+\.py)$", lines[0])
        found.append(Block(language, first[1] if first else "", lines))
    return found


def test_the_blocks_of_the_tutorial_have_the_marks_that_its_test_needs() -> None:
    found = blocks()
    assert [block.where for block in found if block.language == "python"] == ["mine.py"]
    assert [block.where for block in found].count("terminal 1") == 1
    commands = [line.split()[1] for block in found for line in block.lines if "rlgpt" in line[:5]]
    for word in (
        *("launch", "node", "prompt", "ask", "report"),
        *("episode", "program", "train", "compare"),
    ):
        assert word in commands


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What a reader has, to be edited; the world with the kernels that are compiled already."""
    for name in COPIED:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "voxeldojo").symlink_to(ROOT / "voxeldojo")
    shutil.copytree(ROOT / "docs" / "examples", tmp_path / "docs" / "examples")
    bin = tmp_path / "bin"
    bin.mkdir()
    command = bin / "rlgpt"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m rlgpt.main "$@"\n')
    command.chmod(0o755)
    return tmp_path


def environment(checkout: Path) -> dict[str, str]:
    path = f"{checkout / 'bin'}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(checkout), "COLUMNS": "150"}


@contextmanager
def terminal(checkout: Path, text: str) -> Iterator["subprocess.Popen[str]"]:
    with (checkout / "terminal_1.txt").open("w") as out:
        process = subprocess.Popen(
            ["sh", "-c", f"exec {text}"],
            cwd=checkout,
            env=environment(checkout),
            stdout=out,
            stderr=subprocess.STDOUT,
            text=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)


def typed(checkout: Path, line: str) -> str:
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=checkout, env=environment(checkout), capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr, f"{line}\n{done.stderr}"
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_every_command_of_the_tutorial_does_what_the_text_states(checkout: Path) -> None:
    shown: dict[str, str] = {}
    first, *others = blocks()
    assert first.where == "terminal 1"
    with terminal(checkout, first.lines[1]) as launch:
        said = checkout / "terminal_1.txt"
        until = time.monotonic() + PATIENCE
        while "all nodes are ready" not in said.read_text():
            assert launch.poll() is None, said.read_text()
            assert time.monotonic() < until, said.read_text()
            time.sleep(0.2)
        for block in others:
            if block.language == "python":
                (checkout / block.where).write_text("\n".join(block.lines) + "\n")
                continue
            if block.where == "wait for terminal 1":
                assert launch.wait(PATIENCE) == 0, said.read_text()
            for line in block.lines:
                if not line.startswith("#"):
                    shown[line] = typed(checkout, line)
    assert "slow_agent" in shown["rlgpt node list"]
    assert '"steps"' in shown["rlgpt topic echo env_server/activity --once"]
    assert "--- user" in shown["rlgpt prompt show slow_agent"]
    assert "user: +Prefer few sub-actions." in shown["rlgpt ask slow_agent 1"]
    assert "report.html" in shown["rlgpt report"]
    assert "world" in shown["rlgpt profile"]
    assert "950003" in shown["rlgpt episode play runs/latest 950003"]
    assert "8" in shown["rlgpt program run mine.py --task harvest_log --seeds 8"]
    assert "learning_rate" in shown["rlgpt compare runs/with_macros runs/low_rate"]
    assert "with_macros" in shown["rlgpt runs"]
    assert list((checkout / "runs" / "latest").glob("films/*.mp4")) or list(
        (checkout / "runs").glob("*/films/*.mp4")
    )
