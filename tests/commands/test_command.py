"""Commands end without a traceback when their reader leaves, the disk is full or Ctrl-C comes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nodes.common.running.ending_signals import (
    ENDING,
    interrupted_once,
    interruptible,
    not_ignored,
)
from rlgpt.command_line import command_parser
from rlgpt.main import main
from tests.launch_toys.launched import command, environment, rlgpt

WHY = ("world", "coverage", "--why")  # becomes a program of the env server


def ended(*arguments: str, stdout: int, cwd: Path, unbuffered: str = "") -> tuple[int, str]:
    """Exit code and standard error of a command that writes to ``stdout``, which is closed here."""
    # As on a user's machine: what is printed waits in a buffer until the end, if not asked for.
    words = {**environment(), "PYTHONUNBUFFERED": unbuffered}
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


@pytest.mark.parametrize(
    "arguments", [("--help",), (*WHY, "harvest_1_cake"), ("world", "coverage")]
)
def test_a_closed_pipe_that_is_noticed_while_printing_ends_the_command_silently(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    assert ended(*arguments, stdout=unread_pipe(), cwd=tmp_path, unbuffered="1") == (0, "")


def test_an_error_of_the_worlds_tools_names_the_command_that_was_called(tmp_path: Path) -> None:
    done = rlgpt(*WHY, "no_task", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("rlgpt world coverage: ")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [("--help",), ("--version",), (*WHY, "harvest_1_cake")])
def test_output_to_a_full_disk_ends_the_command_with_one_sentence(
    tmp_path: Path, arguments: tuple[str, ...], unbuffered: str
) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    code, errors = ended(*arguments, stdout=full, cwd=tmp_path, unbuffered=unbuffered)
    assert (code, errors) == (
        1,
        "rlgpt: standard output cannot be written: No space left on device\n",
    )


SLOW_COMMANDS = """
import sys, time

class Slow:
    def find_spec(name, path=None, target=None):
        if name == "rlgpt.commands":
            import waits

sys.meta_path.insert(0, Slow)
from rlgpt.main import main
sys.exit(main(["runs"]))
"""


@pytest.mark.parametrize(
    "words",
    [["-m", "nodes.common.running.command", "waits"], ["-c", SLOW_COMMANDS]],
    ids=["a module", "rlgpt"],
)
def test_ctrl_c_during_imports_ends_the_command_silently_with_code_130(
    tmp_path: Path, words: list[str]
) -> None:
    (tmp_path / "waits.py").write_text(
        "import time\nprint('waiting', flush=True)\ntime.sleep(60)  # an import that takes long\n"
    )
    process = subprocess.Popen(
        [sys.executable, *words],
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


def test_a_value_that_ends_with_an_equals_sign_is_not_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["node", "log", "--grep=loss="]) == 2
    assert "there is no run in ./runs" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("topic list echo", "rlgpt topic list: error: `echo` is a surplus argument of this"),
        ("topic list --foo", "rlgpt topic list: error: `--foo` is no option of this command"),
        ("episode play", "SEED is missing: `rlgpt episode list` has those of a run"),
        ("episode play runs/latest x", "`x` is no SEED"),
        ("topic hz --seconds x", "argument --seconds: `x` is no number"),
        ("topic echo a/b --count 1.5", "argument --count: `1.5` is no whole number"),
        (
            "episode list --ended deth",
            "argument --ended: it cannot be `deth`; did you mean `death`? (there are: success, ",
        ),
        ("episode play it --of goal 3 4", "`4` is a surplus argument of this command"),
    ],
)
def test_a_word_that_a_command_does_not_take_is_named_with_its_usage(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words.split())
    assert ended.value.code == 2
    errors = capsys.readouterr().err
    assert said in errors
    assert errors.startswith(f"usage: rlgpt {' '.join(words.split()[:2])} [-h]")


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ("service call /critic/judge --run it {}", "request", "{}"),
        ("topic pub /draws --run it -", "message", "-"),
        ("action send_goal /goal --run it {}", "message", "{}"),
        ("param set critic a=1 --run it b=2", "assignments", ["a=1", "b=2"]),
        ("node log critic --run it learner", "names", ["critic", "learner"]),
        ("compare a --json b c", "runs", ["a", "b", "c"]),
    ],
)
def test_arguments_may_stand_behind_an_option(words: str, name: str, value: object) -> None:
    given, more = command_parser().parse_known_args(words.split())
    assert not more
    assert getattr(given, name) == value


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("nodes", "there is no command `rlgpt nodes`; did you mean `node`? (there are: launch, "),
        ("task lst", "there is no command `rlgpt task lst`; did you mean `list`? (there are: list"),
    ],
)
def test_a_command_that_does_not_exist_is_named_with_the_nearest(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words.split())
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_an_episode_of_the_newest_run_is_named_by_its_seed_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["episode", "play", "950003"]) == 2
    assert "there is no run in ./runs" in capsys.readouterr().err
    for words in (["it", "950003"], ["it", "--of", "goal", "950003"]):
        assert main(["episode", "play", *words]) == 2
        assert "there is no run folder it" in capsys.readouterr().err


@pytest.mark.parametrize("ignored", [signal.SIGHUP, signal.SIGINT, None])
def test_signals_that_a_command_was_started_to_ignore_stay_ignored(
    ignored: signal.Signals | None,
) -> None:
    before = {number: signal.getsignal(number) for number in ENDING}
    try:
        if ignored is not None:
            signal.signal(ignored, signal.SIG_IGN)
        assert not_ignored() == [number for number in ENDING if number is not ignored]
        interrupted_once()
        for number in ENDING:
            assert (signal.getsignal(number) == signal.SIG_IGN) is (number is ignored)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        assert not_ignored() == []  # nothing ends what is cleaned up then
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_a_body_that_can_be_interrupted_leaves_the_signals_as_they_were():
    before = {number: signal.getsignal(number) for number in ENDING}
    cleaned_up: list[str] = []

    def body() -> None:
        try:
            signal.raise_signal(signal.SIGHUP)
        finally:
            signal.raise_signal(signal.SIGTERM)
            cleaned_up.append("all of it")

    with pytest.raises(KeyboardInterrupt), interruptible():
        body()
    assert cleaned_up == ["all of it"]
    assert {number: signal.getsignal(number) for number in ENDING} == before
