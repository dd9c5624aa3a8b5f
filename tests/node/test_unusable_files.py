"""A node whose own files are damaged reports the file and the remedy, and is not started again."""

import os
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from messages.bus import ServiceError
from messages.bus.failure_text import failure_text
from messages.chat import Answered
from nodes.common.running.exit_codes import UNUSABLE_FILE
from nodes.common.storage.node_memory import Memory
from nodes.common.storage.sqlite_file import unusable
from nodes.llm.recording.transcript import Entry, Transcript
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


@pytest.mark.parametrize("file", ["env_server/steps", "llm/transcript.jsonl"])
def test_a_folder_in_the_place_of_a_file_is_to_be_moved_away(tmp_path: Path, file: str) -> None:
    run = run_folder(tmp_path / "place")
    (run / file).mkdir(parents=True)
    node = file.split("/")[0]
    ended = ended_node(node, run)
    assert ended.returncode == UNUSABLE_FILE, ended.stderr
    assert ended.stderr == (
        f"{node}: {run / file} cannot be written: Is a directory; "
        "move the folder that is in its place away\n"
    )


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


def test_a_memory_that_cannot_be_written_any_more_says_so_in_a_sentence(tmp_path: Path) -> None:
    """Its goal fails by this, and may be tried again; what it remembers is as it was."""
    memory = Memory(tmp_path / "memory.sqlite")
    memory.keep("goal/plan", "text")
    with sqlite3.connect(tmp_path / "memory.sqlite") as table:
        pages = table.execute("pragma page_count").fetchone()[0]
    memory._table.execute(f"pragma max_page_count={pages}")
    with pytest.raises(ServiceError) as full:
        memory.keep("goal/plan", "text" * 10_000)
    assert full.value.code == "memory"
    assert str(full.value) == (
        f"{tmp_path / 'memory.sqlite'} cannot be used: database or disk is full; make room on its "
        "disk"
    )
    assert memory.find("goal/plan", str) == "text"
    memory.close()


def test_a_transcript_that_cannot_be_written_names_its_file(tmp_path: Path) -> None:
    """The error of a full disk, or of a limit, does not name it."""
    path = tmp_path / "transcript.jsonl"
    transcript = Transcript(path)
    answered = Answered(id="a", answer="x" * 5000, model="test")
    entry = Entry(
        time=0.0, agent="a", asked="a", question=msgspec.Raw(b"{}"), prompt=[], schema={},
        answered=answered,
    )  # fmt: skip
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large") as full:
            transcript.append(entry)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        transcript.close()
    assert failure_text(full.value) == (
        f"{path} cannot be written: File too large; raise the limit of a file's size (ulimit -f), "
        "or the quota"
    )
    assert path.stat().st_size == 0
