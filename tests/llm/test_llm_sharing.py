"""A model that is served once for several runs. The server is a fake that speaks as vLLM does."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from messages.bus import RemoteError
from nodes.llm.sharing import served_folder
from tests.bus_processes import PATIENCE, ROOT, eventually
from tests.llm.test_llm_server import Setting, toy_profile


@pytest.fixture
def setting(run_folder: Path) -> Iterator[Setting]:
    setting = Setting(run_folder)
    yield setting
    setting.close()


@contextmanager
def serving(folder: Path, values: dict[str, Any]) -> "Iterator[subprocess.Popen[str]]":
    """A process that serves, which has been told what."""
    with subprocess.Popen(
        [sys.executable, "-m", "nodes.llm.sharing", str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(values))
        process.stdin.close()
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def served(folder: Path, values: dict[str, Any]) -> Iterator[None]:
    with serving(folder, values) as process:
        assert process.stdout is not None
        assert f"+llm.served={folder}" in process.stdout.readline()
        yield
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0


def ended(folder: Path, values: dict[str, Any]) -> tuple[int, str]:
    """How a process ends that cannot serve: its code, and what it says."""
    with serving(folder, values) as process:
        assert process.stderr is not None
        said = process.stderr.read()
        return process.wait(PATIENCE), said


def findings(values: dict[str, Any]) -> str:
    """What the doctor says."""
    words = [sys.executable, "-m", "nodes.llm.doctor"]
    done = subprocess.run(
        words, cwd=ROOT, input=json.dumps(values), capture_output=True, text=True, check=False
    )
    return done.stdout


def group_of(folder: Path) -> int:
    return json.loads((folder / "server.json").read_text())["group"]


def members(group: int) -> list[int]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(process.name)) == group:
                found.append(int(process.name))
        except ProcessLookupError:
            continue
    return found


def test_runs_ask_a_model_that_is_served_once_and_start_no_server(setting: Setting):
    folder = setting.run / "served"
    with served(folder, toy_profile(setting.weights)):
        group = group_of(folder)
        llm = setting.start(served=str(folder))
        answer = setting.ask()
        assert (answer.model, answer.prompt_tokens) == ("toy", 7)
        noted = served_folder.read(folder)
        assert noted is not None
        assert answer.weights == noted.weights
        assert not (setting.run / "llm" / "server.json").exists()
        # A node that ends leaves the server to the other runs.
        assert llm.stop() == 0
        assert members(group)
        llm.start()
        assert setting.ask("again").answer
    eventually(lambda: not members(group))


def test_a_server_that_dies_is_started_again_and_found_by_those_who_use_it(setting: Setting):
    folder = setting.run / "served"
    with served(folder, toy_profile(setting.weights)):
        setting.start(served=str(folder))
        before = group_of(folder)
        os.killpg(before, signal.SIGKILL)
        assert setting.ask().answer
        assert group_of(folder) != before


def test_a_run_whose_server_is_gone_waits_for_its_patience_and_then_says_so(setting: Setting):
    folder = setting.run / "served"
    with served(folder, toy_profile(setting.weights)):
        setting.start(served=str(folder), patience=0.5)
    with pytest.raises(RemoteError, match="no model is served in") as caught:
        setting.ask()
    assert caught.value.code == "no_model"
    with served(folder, toy_profile(setting.weights)):
        assert setting.ask("later").answer


def test_a_served_model_is_refused_where_it_is_not_the_one_that_is_wanted(setting: Setting):
    folder = setting.run / "served"
    assert "no model is served there" in setting.refused(served=str(folder))
    values = toy_profile(setting.weights, served=str(folder))
    assert "  NOT served: no model is served in" in findings(values)
    with served(folder, toy_profile(setting.weights)):
        said = setting.refused(served=str(folder), context=4096)
        assert "a context of 16384, and this run wants 4096" in said
        said = setting.refused(served=str(folder), model="other")
        assert "the model toy, and this run wants other" in said
        assert "llm.gpu=turns" in setting.refused(served=str(folder), gpu="turns")
        served_here = toy_profile(setting.weights, served=str(folder))
        assert "  ok  served: toy at http://" in findings(served_here)
        code, said = ended(folder, toy_profile(setting.weights))
        assert code == 2
        assert "is served in" in said


def test_what_cannot_be_served_is_refused_in_a_sentence(setting: Setting):
    folder = setting.run / "served"
    for values, sentence in (
        ({"kind": "rulebook"}, "has no weights of its own to serve"),
        ({"kind": "vllm"}, "missing required field `model`"),
        (toy_profile(setting.run / "nowhere"), "nowhere"),
    ):
        code, said = ended(folder, values)
        assert code == 2
        assert sentence in said
        assert "Traceback" not in said
    code, said = ended(folder, toy_profile(setting.weights, environment={"FAKE_ENDS": "no good"}))
    assert code == 1
    assert "no good" in said
    assert served_folder.read(folder) is None


def test_nothing_is_left_of_a_server_whose_process_was_killed(setting: Setting):
    folder = setting.run / "served"
    with serving(folder, toy_profile(setting.weights)) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        group = group_of(folder)
        process.kill()
    eventually(lambda: not members(group))
    assert served_folder.read(folder) is None
    with served(folder, toy_profile(setting.weights)):
        assert served_folder.read(folder) is not None


def test_signals_that_come_at_once_end_it_in_order(setting: Setting):
    """By Ctrl-C it has one of its own, and one that the command in front passes on."""
    folder = setting.run / "served"
    with serving(folder, toy_profile(setting.weights)) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        group = group_of(folder)
        for number in [signal.SIGINT, signal.SIGTERM] * 20:
            process.send_signal(number)
        assert process.wait(PATIENCE) == 0
    eventually(lambda: not members(group))
