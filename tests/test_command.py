"""Commands end without a traceback when their reader leaves, the disk is full or Ctrl-C comes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rlgpt.main import main
from tests.launch_toys.launched import command, environment

WHY = ("world", "coverage", "--why")  # becomes a program of the env server


def ended(*arguments: str, stdout: int, cwd: Path) -> tuple[int, str]:
    """Exit code and standard error of a command that writes to ``stdout``, which is closed here."""
    # As on a user's machine: what is printed waits in a buffer until the end.
    words = {key: value for key, value in environment().items() if key != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        command(*arguments), cwd=cwd, env=words, stdout=stdout, stderr=subprocess.PIPE, text=True
    ) as process:
        os.close(stdout)
        _, errors = process.communicate(timeout=60)
    return process.returncode, errors


def unread_pipe() -> int:
    """The writing end of a pipe that is not read."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--help",), 0),
        ((*WHY, "harvest_1_cake"), 0),
        ((*WHY, "harvest_1_monster_egg"), 1),  # a failure is one without a reader too
    ],
)
def test_a_closed_pipe_ends_the_command_silently_with_its_own_code(
    tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    assert ended(*arguments, stdout=unread_pipe(), cwd=tmp_path) == (code, "")


@pytest.mark.parametrize("arguments", [("--help",), (*WHY, "harvest_1_cake")])
def test_output_to_a_full_disk_ends_the_command_with_one_sentence(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    code, errors = ended(*arguments, stdout=full, cwd=tmp_path)
    assert (code, errors) == (1, "standard output cannot be written: No space left on device\n")


def test_ctrl_c_during_imports_ends_the_command_silently_with_code_130(tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text(
        "import time\nprint('waiting', flush=True)\ntime.sleep(60)  # an import that takes long\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "nodes.command", "waits"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell's background job ignores Ctrl-C, and what it starts inherits that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[1] == ""
    assert process.returncode == 130


def test_only_the_missing_argument_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["table"])
    assert "the following arguments are required: NAME\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (("runs", ""), "after `runs`"),
        (("task", "list", "", "--json"), "after `list`"),
        (("node", "list", "--run", ""), "after `--run`"),
        (("node", "list", "--run=", "--json"), "--run="),
        (("ask", "planner", "1", "--prompt", ""), "after `--prompt`"),
        (("",), "at the first place"),
    ],
)
def test_an_empty_word_is_refused_and_not_taken_for_one_that_is_not_there(
    words: tuple[str, ...], where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As of a shell's variable that was not set."""
    assert main(words) == 2
    printed = capsys.readouterr()
    assert not printed.out
    assert printed.err == (
        f"rlgpt: there is an empty word {where}; is a variable of the shell not set?\n"
    )
