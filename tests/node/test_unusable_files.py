"""A node whose own files are damaged reports the file and the remedy, and is not started again."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from nodes.common.running.exit_codes import UNUSABLE_FILE
from nodes.common.storage.node_memory import Memory
from nodes.common.storage.sqlite_file import unusable
from rlgpt.composing.composition import compose_launch
from tests.bus_processes import PATIENCE, ROOT, make_run

FILES = [
    *(f"{node}/goals.sqlite" for node in ("planner", "slow_agent", "fast_agent", "learner")),
    *(f"{node}/memory.sqlite" for node in ("planner", "slow_agent", "fast_agent")),
    "env_server/goals.sqlite",
    "env_server/quarantine.json",
    "env_server/steps",
    "llm/transcript.jsonl",
]
GARBAGE = b"\x1b[2J neither a table, nor JSON, nor a number\n" * 99


def run_folder(folder: Path) -> Path:
    folder.mkdir()
    return make_run(folder, **{**compose_launch("harvest_log", []), "run": str(folder)})


def ended_node(node: str, run: Path) -> "subprocess.CompletedProcess[str]":
    """A node that ends by itself."""
    return subprocess.run(
        [sys.executable, "-m", f"nodes.{node}", "--run", str(run)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize("file", FILES)
def test_a_damaged_file_is_reported_in_one_sentence(tmp_path: Path, file: str) -> None:
    run = run_folder(tmp_path / "place")
    path = run / file
    path.parent.mkdir()
    path.write_bytes(GARBAGE)
    ended = ended_node(path.parent.name, run)
    assert ended.returncode == UNUSABLE_FILE, ended.stderr
    (sentence,) = ended.stderr.splitlines()
    assert sentence.startswith(f"{path.parent.name}: {path}")
    assert ("remove that line" if file.endswith(".jsonl") else "move it away") in sentence
    assert "\x1b" not in sentence
    assert path.read_bytes() == GARBAGE


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_ends_the_node_with_the_code_of_its_files(
    tmp_path: Path,
) -> None:
    run = run_folder(tmp_path / "place")
    run.chmod(0o500)
    ended = ended_node("planner", run)
    run.chmod(0o700)
    assert ended.returncode == UNUSABLE_FILE, ended.stderr


@pytest.mark.parametrize("node", ["planner", "slow_agent", "fast_agent"])
def test_a_damaged_value_of_a_memory_ends_the_node_at_its_start(tmp_path: Path, node: str) -> None:
    run = run_folder(tmp_path / "place")
    path = run / node / "memory.sqlite"
    path.parent.mkdir()
    memory = Memory(path)
    memory.keep("goal/plan", "text")
    memory.close()
    with sqlite3.connect(path) as table:
        table.execute("update memory set value = ?", (b"\xa1\xff",))
    ended = ended_node(node, run)
    assert ended.returncode == UNUSABLE_FILE, ended.stderr
    (sentence,) = ended.stderr.splitlines()
    assert sentence.startswith(f"{node}: {path} cannot be used")
    assert "move it away" in sentence


def test_a_table_on_a_full_disk_is_not_to_be_moved_away(tmp_path: Path) -> None:
    path = tmp_path / "goals.sqlite"
    table = sqlite3.connect(path)
    table.execute("create table goals (goal text)")
    table.execute("pragma max_page_count=2")  # SQLite reports that as it does a full disk
    with pytest.raises(sqlite3.OperationalError) as full:
        table.executemany("insert into goals values (?)", [("goal" * 1000,)] * 9)
    table.close()
    said = f"{path} cannot be used: database or disk is full; make room on its disk"
    assert str(unusable(path, full.value, "its goals")) == said
    why = sqlite3.DatabaseError("it is damaged")
    assert str(unusable(path, why, "its goals")).endswith(
        "; move it away to begin without its goals"
    )
