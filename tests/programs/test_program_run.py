"""rlgpt program run: a coded action on seeds of a task; and episodes of it played again."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.launch_toys.launched import command, environment, eventually, printed, refused, rlgpt

DIG = """def action(obs):
    for _ in range(6):
        obs = look(30)
    for _ in range(40):
        obs = attack()
    return 1 / 0
"""
SMALL = ("--task", "harvest_log", "--seeds", "3", "+world.area=64", "task.horizon=200")
DIRT = ("task.success.name=dirt",)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "dig.py").write_text(DIG)
    return tmp_path


def test_program_run_plays_its_seeds_and_prints_how_each_episode_ended(place: Path) -> None:
    done = rlgpt("program", "run", "dig.py", *SMALL, *DIRT, "--json", cwd=place)
    assert done.returncode == 0, done
    told = json.loads(done.stdout)
    assert (told["task"], told["episodes"]) == ("harvest_log", 3)
    assert [row["seed"] for row in told["rows"]] == [0, 1, 2]
    assert told["successes"] == sum(row["ended"] == "success" for row in told["rows"])
    # Told once more to be read, by seeds of one's own, in a run folder of one's own.
    done = rlgpt("program", "run", "dig.py", *SMALL, "--first", "7", "run=it", cwd=place)
    assert done.returncode == 0, done
    assert "dig.py: harvest_log in 0 of 3 episodes (0.00)" in done.stdout
    assert "episodes: 3 stopped" in done.stdout
    (line,) = [line for line in done.stdout.splitlines() if "ZeroDivisionError" in line]
    assert line.split()[:3] == ["3", "error", "6"]
    assert "return 1 / 0" in line
    assert "900000" not in printed("episode", "list", "it", cwd=place)


def test_a_program_that_may_not_run_is_reported_with_all_its_lines(place: Path) -> None:
    (place / "bad.py").write_text("import os\ndef action(obs):\n    jump_high()\n")
    done = rlgpt("program", "run", "bad.py", *SMALL, cwd=place)
    assert done.returncode == 2
    assert "bad.py:1: nothing can be imported" in done.stdout
    assert "bad.py:3: unknown name jump_high" in done.stdout
    assert done.stderr.startswith("rlgpt: bad.py may not run: it has ")
    assert not list((place / "runs").iterdir())


def test_a_stopped_program_run_names_what_is_kept(place: Path) -> None:
    (place / "endless.py").write_text("def action(obs):\n    while True:\n        obs = look(5)\n")
    words = ("program", "run", "endless.py", *SMALL[:4], "+world.area=64", "task.horizon=1000000")
    process = subprocess.Popen(
        command(*words), cwd=place, env=environment(), stderr=subprocess.PIPE, text=True
    )
    with process:
        eventually(lambda: list(place.glob("runs/*/env_server/node.log")))
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=120)[1] == (
            "rlgpt: stopped before an episode had ended; nothing is kept\n"
        )
    assert process.returncode == 130
    assert not list((place / "runs").iterdir())


def test_a_program_that_may_not_run_leaves_a_folder_as_it_was(place: Path) -> None:
    (place / "bad.py").write_text("import os\n")
    kept = place / "thesis" / "env_server" / "chapter.txt"
    kept.parent.mkdir(parents=True)
    kept.write_text("three years")
    (place / "empty").mkdir()
    for run in ("thesis", "empty", "new"):
        done = rlgpt("program", "run", "bad.py", *SMALL, f"run={run}", cwd=place)
        assert done.returncode == 2, done
        assert "nothing can be imported" in done.stdout
    assert kept.read_text() == "three years"
    assert [path.name for path in (place / "thesis").iterdir()] == ["env_server"]
    assert list((place / "empty").iterdir()) == []
    assert not (place / "new").exists()


def test_a_file_that_is_too_large_or_has_a_name_of_commands_is_refused_as_it_is(
    place: Path,
) -> None:
    with (place / "huge.py").open("wb") as file:
        file.truncate(200_000_000)
    said = refused("program", "run", "huge.py", *SMALL, cwd=place)
    assert "huge.py has 200,000,000 bytes, and at most 10,000,000 are read" in said
    assert not (place / "runs").exists()
    (place / "x\x1b[31m.py").write_text("\ufeffimport os\n")  # with an editor's mark before it
    done = rlgpt("program", "run", "x\x1b[31m.py", *SMALL, cwd=place)
    assert done.returncode == 2
    assert "x<U+001B>[31m.py:1: nothing can be imported" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.py", "--task", "bed"], "none.py cannot be read"),
        (["dig.py", "--task", "bet"], "there is no task `bet`; did you mean `bed`?"),
        (["dig.py", "--task", "bed", "--seeds", "0"], "--seeds 0: 1 to 1,024"),
        (["dig.py", "--task", "bed", "--first", "-1"], "--first -1: a seed of a world is 0 to"),
        (["dig.py", "--task", "bed", "--steps", "0"], "--steps 0: 1 to"),
        (["dig.py", "--task", "bed", "--first", "9" * 23], "a seed of a world is 0 to"),
        (["dig.py", "--task", "bed", "--steps", "9" * 23], "1 to 9,223"),
        (["/dev/null", "--task", "bed"], "/dev/null is no file but a pipe or a device"),
        (["dig.py", "--task", "bed", "task.horizn=3"], "there is no `task.horizn`"),
        (["dig.py", "--task", "bed", "-x"], "`-x` is no option of this command"),
        (["dig.py", "--task", "bed", "task=stick"], "--task T is the task"),
        (["dig.py", "--task", "bed", "seed=3"], "--first S is the first seed"),
        (["dig.py", "--task", "bed", "llm=openai"], "`llm=openai` has no effect on a program"),
        (["dig.py", "--task", "bed", "+llm.model=x"], "`+llm.model=x` has no effect on a program"),
        (["dig.py", "--task", "bed", "limits.samples=5"], "set world, world.*, task.*, nodes.env_"),
        (["dig.py", "--task", "bed", "nodes.critic.parameters.a=1"], "has no effect on a program"),
        (["dig.py", "--task", "bed", "worlds.area=1"], "`worlds.area=1` has no effect on a"),
    ],
)
def test_program_run_refuses_wrong_files_tasks_and_options(
    place: Path, arguments: list[str], words: str
) -> None:
    assert words in refused("program", "run", *arguments, cwd=place)
    assert not (place / "runs").exists()
