"""``rlgpt task`` and the completion of words."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rlgpt.main import main


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["task", *words]) == 0
    return capsys.readouterr().out


def test_task_list_prints_all_tasks_or_those_of_a_kind(capsys: pytest.CaptureFixture[str]) -> None:
    every = json.loads(said(capsys, "list", "--json"))
    assert len(every) == 3142
    assert len({each["id"] for each in every}) == 3142
    combat = said(capsys, "list", "combat").splitlines()
    assert len(combat) == 1 + 471
    assert "combat a zombie in night forest with a iron sword" in "\n".join(combat)


def test_task_show_prints_condition_start_horizon_and_guidance(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = said(capsys, "show", "survival_sword_food")
    assert "the player alive 100 days after the episode began" in shown
    assert "1 iron_sword, 8 cooked_beef" in shown
    assert "start_time=0; initial_slots=mainhand=iron_sword, 1=cooked_beef" in shown
    assert "2,400,000 steps" in shown
    found = json.loads(said(capsys, "show", "harvest_1_log", "--json"))
    assert found["success"] == {"kind": "have", "name": "log", "quantity": 1}
    assert "Cut the tree down" in found["guidance"]
    assert "pictures that show this done: " in said(capsys, "show", "creative:7")


def test_task_search_finds_tasks_that_have_every_word(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(said(capsys, "search", "Zombie", "forest", "--json"))
    assert len(found) == 9
    assert all("zombie" in each["id"] and each["kind"] == "combat" for each in found)
    assert json.loads(said(capsys, "search", "unicorn", "--json")) == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["list", "combt"], "there is no kind of task 'combt'; there are harvest, combat"),
        (["show", "nonsuch"], "there is no task 'nonsuch' (`rlgpt task list` has them)"),
        (["show", "harvest_1_lgo"], "there is no task 'harvest_1_lgo'; did you mean harvest_1_log"),
        (["search", "obtain", "lgo"], "no task has all of obtain lgo; what comes nearest is "),
        (["search", " ", "_"], "which words? Give some of a task's id or prompt"),
        (["list", "--game", "crafter"], "the game crafter has no tasks by name"),
        (["list", "--game", "chess"], "there is no game 'chess'"),
    ],
)
def test_task_commands_refuse_unknown_kinds_tasks_words_and_games(
    capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["task", *words]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("rlgpt la", ["launch"]),
        ("rlgpt task ", ["list", "search", "show"]),
        ("rlgpt task list p", ["playthrough", "programmatic"]),
        ("rlgpt task show survival", ["survival", "survival_sword_food"]),
        ("rlgpt task show --j", ["--json"]),
        ("rlgpt --v", ["--version"]),
        ("rlgpt task --", ["--help"]),
        ("rlgpt launch goa", ["goal"]),
        ("rlgpt launch goal task.i", ["task.id="]),
        ("rlgpt launch goal task.id=playt", ["task.id=playthrough"]),
        ("rlgpt launch diamond seed=3 task=b", ["task=bed", "task=beef"]),
        ("rlgpt launch goal task.id=unicorn", []),
        ("rlgpt node restart nonsense ", []),
    ],
)
def test_completion_prints_the_words_that_may_come_next(
    capsys: pytest.CaptureFixture[str], line: str, first: list[str]
) -> None:
    assert main(["completion", "--line", line]) == 0
    assert capsys.readouterr().out.split() == first


def test_bash_completes_after_an_equals_sign(tmp_path: Path) -> None:
    """Readline hands over what follows `=` as a word of its own."""
    command = tmp_path / "rlgpt"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m rlgpt.main "$@"\n')
    command.chmod(0o755)
    line = "rlgpt launch goal task.id=survival"
    script = (
        f'PATH="{tmp_path}:$PATH"; eval "$(rlgpt completion bash)"; COMP_LINE="{line}"; '
        'COMP_POINT=${#COMP_LINE}; _rlgpt; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.split() == ["survival", "survival_sword_food"]


def test_completion_without_a_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion"]) == 2
    assert "rlgpt completion bash, or zsh" in capsys.readouterr().err
    assert main(["completion", "zsh"]) == 0
    assert "compdef _rlgpt rlgpt" in capsys.readouterr().out
