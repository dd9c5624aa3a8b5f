"""Commands in a folder that was removed, on a run that is removed meanwhile, with standard streams
that were closed, and in a language without the letters that they are called with."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rlgpt.main import main
from tests.launch_toys.launched import command, environment

CONFIG = "name: a\nseed: 0\nrun: .\nnodes: {planner: {module: nodes.planner}}\n"


@pytest.mark.parametrize("words", ["launch --list", "skill list", "llm doctor rulebook"])
def test_a_working_folder_that_was_removed_is_named_as_the_cause(
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(words.split()) == 2
    said = "rlgpt: the folder that this was called in was removed: call it in another one\n"
    assert capsys.readouterr().err == said


def test_a_log_is_followed_until_its_run_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "config.yaml").write_text(CONFIG)
    monkeypatch.setattr("time.sleep", lambda _: shutil.rmtree(run))
    assert main(["node", "log", "-f", "--run", str(run)]) == 1
    said = f"rlgpt: {run} was removed or moved: nothing more will come\n"
    assert capsys.readouterr().err == said


def test_a_log_that_may_not_be_read_is_not_left_out_in_silence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.yaml").write_text(CONFIG)
    (tmp_path / "planner" / "node.log").mkdir(parents=True)  # root may read every file
    assert main(["node", "log", "--run", str(tmp_path)]) == 0
    said = "rlgpt: left out, cannot be read: planner/node.log: Is a directory\n"
    assert capsys.readouterr().err == said


def test_an_error_is_not_printed_among_the_output_where_standard_error_is_closed(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" 2>&-', "sh", *command("bag", "info", "none.mcap")],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")


def test_no_file_takes_the_number_of_a_stream_that_was_closed(tmp_path: Path) -> None:
    """Nor is there a traceback where a command asks whether its input is a terminal."""
    program = (
        "import sys\n"
        "from nodes.common.running.command import ended\n"
        "def opens():\n"
        "    assert not sys.stdin.isatty() and not sys.stdin.read()\n"
        "    with open('a', 'w') as file:\n"
        "        return file.fileno()\n"
        "sys.exit(ended(opens))\n"
    )
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment(),
        check=False,
    )
    assert done.returncode == 3


def test_a_word_that_the_language_settings_have_no_letters_for_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    letters = "Bär".encode().decode("ascii", "surrogateescape")  # as Python reads it there
    monkeypatch.setattr(os, "fsencode", lambda word: word.encode("ascii", "surrogateescape"))
    assert main(["report", letters]) == 2
    said = "rlgpt: `Bär` is in UTF-8, and the language settings are not: set PYTHONUTF8=1\n"
    assert capsys.readouterr().err == said
