"""Answers that wait for a person: shown, edited, checked, recorded, over restarts of both nodes."""

import json
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from messages.breaking import (
    BREAKS,
    HELD,
    SET_BREAK,
    USE_ANSWER,
    Breaks,
    HeldId,
    SetBreak,
    UseAnswer,
    Used,
)
from messages.bus import Bus, BusError, RemoteError
from messages.chat import ASK, Answered, Ask, PlanQuestion, ProgramQuestion
from messages.empty import Empty
from messages.plan import PURSUE, SubAction
from messages.program import CHECK, Checked, CheckProgram, Problem
from nodes.common.questions.asking import render
from nodes.common.storage.whole_files import UnusableFile
from nodes.llm.breakpoints import Breakpoints
from nodes.llm.llm import Llm
from nodes.llm.recording.transcript import Entry
from nodes.testing import MockBus, start
from nodes.times import FILE, TimesLine
from rlgpt.profiling.time_account import profile
from tests.agent_stack import LOG, TASK, AgentProcess, stack
from tests.bus_processes import PATIENCE, ROOT, eventually
from tests.launch_toys.launched import command, printed, refused, rlgpt
from tests.node.test_debugging import terminal

QUESTION = PlanQuestion(task=TASK)
OTHER = {"thoughts": "Twice.", "subtasks": [
    {"name": "get logs", "success": {"kind": "have", "name": "log", "quantity": 1}},
]}  # fmt: skip


def configure(run: Path) -> None:
    nodes = {"llm": {"parameters": {"profile": {"kind": "rulebook"}}}}
    (run / "config.yaml").write_text(
        yaml.safe_dump({"name": "test", "run": str(run), "nodes": nodes})
    )


class Setting:
    """The llm node as a process, and questions that are put to it beside."""

    def __init__(self, run: Path) -> None:
        configure(run)
        self.run = run
        self.bus = Bus(run)
        self.llm = AgentProcess("llm", run)
        self._pool = ThreadPoolExecutor(4)

    def ask(self, id: str, bus: Bus | None = None) -> "Future[Answered]":
        request = Ask(
            id=id,
            agent="planner",
            question=QUESTION,
            prompt=render(ROOT / "nodes" / "planner" / "prompts", QUESTION),
        )
        return self._pool.submit((bus or self.bus).call, ASK, request)

    def stop_at(self, at: str, stops: bool = True) -> Breaks:
        return self.bus.call(SET_BREAK, SetBreak(at=at, stops=stops), PATIENCE)

    def waiting(self) -> list[str]:
        return [note.id for note in self.bus.call(BREAKS, Empty(), PATIENCE).held]

    def use(self, id: str, answer: Any = None) -> Used:
        text = None if answer is None else json.dumps(answer)
        request = UseAnswer(id=id, answer=text, by="a test")
        return self.bus.call(USE_ANSWER, request, PATIENCE)

    def entries(self) -> list[Entry]:
        lines = (self.run / "llm" / "transcript.jsonl").read_bytes().splitlines()
        return [msgspec.json.decode(line, type=Entry) for line in lines]

    def close(self) -> None:
        with suppress(ProcessLookupError):
            self.llm.kill()
        self.bus.close()
        self._pool.shutdown()


def times(run: Path) -> list[TimesLine]:
    lines = (run / "llm" / FILE).read_bytes().splitlines()
    return [msgspec.json.decode(line, type=TimesLine) for line in lines]


@pytest.fixture
def setting(run_folder: Path) -> Iterator[Setting]:
    made = Setting(run_folder)
    yield made
    made.close()


def test_an_answer_waits_is_edited_and_recorded_as_a_persons(setting: Setting) -> None:
    assert setting.stop_at("planner/plan").at == ["planner/plan"]
    asked = setting.ask("goal/plan-0")
    eventually(lambda: setting.waiting() == ["goal/plan-0"])
    assert not asked.done()
    held = setting.bus.call(HELD, HeldId(id="goal/plan-0"), PATIENCE)
    model = json.loads(held.answer)
    assert (held.note.agent, held.note.kind, held.problems) == ("planner", "plan", [])
    assert "[user]" in held.prompt
    # Every problem of the schema, then every problem of the plan; it waits all the while.
    wrong = {"subtasks": [{"name": 3}, {"name": "a", "success": {"kind": 4, "quantity": "x"}}]}
    problems = setting.use("goal/plan-0", wrong).problems
    assert "the answer.subtasks[0] lacks `success`" in problems
    assert any(each.startswith("the answer.subtasks[0].name:") for each in problems)
    assert any(each.startswith("the answer.subtasks[1].success.quantity:") for each in problems)
    unknown = {"subtasks": [{"name": "", "success": {"kind": "have", "name": "lgo"}}]}
    problems = setting.use("goal/plan-0", unknown).problems
    assert "Subtask 1 has no name." in problems
    assert any("lgo" in each for each in problems)
    assert setting.waiting() == ["goal/plan-0"]
    assert setting.use("goal/plan-0", OTHER) == Used(edited=True)
    answered = asked.result(PATIENCE)
    assert json.loads(answered.answer)["subtasks"][0]["name"] == "get logs"
    assert answered.edited_by == "a test"
    (entry,) = setting.entries()
    assert entry.answered == answered
    assert json.loads(entry.was or "") == model
    assert setting.waiting() == []
    assert not list((setting.run / "llm" / "held").iterdir())


def test_the_time_at_a_breakpoint_is_waiting_and_not_the_buss(setting: Setting) -> None:
    setting.stop_at("planner/plan")
    asked = setting.ask("goal/plan-0")
    eventually(setting.waiting)
    time.sleep(0.6)
    setting.use("goal/plan-0")
    asked.result(PATIENCE)
    setting.llm.stop()
    assert profile(setting.run).nodes["llm"]["waiting"] >= 0.6
    served = [line.served.get(ASK.name, (0, 0.0)) for line in times(setting.run)]
    assert sum(count for count, _ in served) == 1
    assert sum(seconds for _, seconds in served) >= 0.6


def test_an_answer_that_is_released_unchanged_is_not_recorded_as_edited(setting: Setting) -> None:
    setting.stop_at("*/plan")
    asked = setting.ask("goal/plan-0")
    eventually(setting.waiting)
    model = setting.bus.call(HELD, HeldId(id="goal/plan-0"), PATIENCE).answer
    assert setting.use("goal/plan-0", json.loads(model)) == Used()  # the same is no edit
    assert asked.result(PATIENCE).edited_by == ""
    setting.stop_at("*/plan", stops=False)
    assert setting.ask("goal/plan-1").result(PATIENCE).answer == model
    assert [entry.was for entry in setting.entries()] == [None, None]


def test_breakpoints_and_waiting_answers_survive_restarts_of_agent_and_llm_node(
    setting: Setting,
) -> None:
    setting.stop_at("planner/plan")
    first = Bus(setting.run)
    gone = setting.ask("goal/plan-0", first)
    eventually(setting.waiting)
    first.close()  # the agent is killed
    with pytest.raises(BusError):
        gone.result(PATIENCE)
    again = setting.ask("goal/plan-0")  # asked again by the next process, it stops again
    setting.llm.kill()
    setting.llm.start()
    eventually(lambda: setting.waiting() == ["goal/plan-0"])
    assert setting.bus.call(BREAKS, Empty(), PATIENCE).at == ["planner/plan"]
    assert not again.done()
    assert setting.use("goal/plan-0", OTHER).edited
    assert again.result(PATIENCE).edited_by == "a test"
    assert len(setting.entries()) == 1


def test_answers_that_wait_hold_no_thread(setting: Setting) -> None:
    """More of them than the node has threads for questions, also of askers that were killed: others
    are answered all the same."""
    setting.stop_at("planner/plan")
    killed, living = Bus(setting.run), Bus(setting.run)
    pool = ThreadPoolExecutor(44)
    asked: dict[Bus, list[Future[Answered]]] = {killed: [], living: []}
    for bus, those in asked.items():
        for number in range(20):
            request = Ask(id=f"goal/plan-{number}", agent="planner", question=QUESTION, prompt=[])
            those.append(pool.submit(bus.call, ASK, request))
        eventually(lambda: len(setting.waiting()) == 20)
    killed.close()
    with pytest.raises(BusError):
        asked[killed][0].result(PATIENCE)
    other = Ask(id="other", agent="slow_agent", question=QUESTION, prompt=[])
    assert setting.bus.call(ASK, other, PATIENCE).answer
    for number in range(20):
        setting.use(f"goal/plan-{number}", OTHER)
    assert all(each.result(PATIENCE).edited_by == "a test" for each in asked[living])
    assert len(setting.entries()) == 21
    living.close()
    pool.shutdown()


def test_each_error_of_the_command_is_one_sentence(setting: Setting) -> None:
    for at in ("planner", "planner/program", "planer/plan", "*"):
        with pytest.raises(RemoteError, match=r"write AGENT/KIND, with one of planner/goal"):
            setting.stop_at(at)
    with pytest.raises(RemoteError, match="no breakpoint at planner/plan; there are: none"):
        setting.stop_at("planner/plan", stops=False)
    with pytest.raises(RemoteError, match="no answer to 'x' waits; there are: none"):
        setting.use("x")


def test_where_the_model_has_no_answer_a_person_may_give_one(tmp_path: Path) -> None:
    """The rulebook knows no such thing to have; and without an answer the agent gets its error."""
    bus = MockBus("llm")
    llm = start(Llm, bus, tmp_path)
    task = msgspec.structs.replace(TASK, success=msgspec.structs.replace(LOG, name="moonstone"))
    bus.call(SET_BREAK, SetBreak(at="planner/plan", stops=True))
    with ThreadPoolExecutor(1) as pool:
        for id, answer in (("a", None), ("b", OTHER)):
            request = Ask(id=id, agent="planner", question=PlanQuestion(task=task), prompt=[])
            asked = pool.submit(bus.call, ASK, request)
            eventually(lambda: bus.call(BREAKS, Empty()).held)
            (note,) = bus.call(BREAKS, Empty()).held
            assert not note.answered
            assert bus.call(HELD, HeldId(id=id)).failure
            text = None if answer is None else json.dumps(answer)
            used = bus.call(USE_ANSWER, UseAnswer(id=id, answer=text))
            if answer is None:
                with pytest.raises(RemoteError, match="gave no valid answer"):
                    asked.result(PATIENCE)
            else:
                assert used.problems  # the rules know no way to a moonstone: this plan is none
                bus.call(USE_ANSWER, UseAnswer(id=id))
                with pytest.raises(RemoteError):
                    asked.result(PATIENCE)
    llm.transcript.close()


def test_an_edited_program_is_checked_by_the_env_server(tmp_path: Path) -> None:
    bus = MockBus("llm")
    llm = start(Llm, bus, tmp_path)

    def check(request: CheckProgram) -> Checked:
        wrong = "import" in request.program.source
        problems = [Problem(line=1, message="no imports"), Problem(line=2, message="nor this")]
        return Checked(problems=problems if wrong else [])

    bus.answer(CHECK, check)
    bus.call(SET_BREAK, SetBreak(at="fast_agent/*", stops=True))
    find = SubAction(name="find a tree", method="code", success=LOG)
    question = ProgramQuestion(task=TASK, sub_action=find)
    request = Ask(id="a", agent="fast_agent", question=question, prompt=[])
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(bus.call, ASK, request)
        eventually(lambda: bus.call(BREAKS, Empty()).held)

        def use(source: str) -> list[str]:
            answer = json.dumps({"thoughts": "", "source": source})
            return bus.call(USE_ANSWER, UseAnswer(id="a", answer=answer)).problems

        assert use("import os\n") == [
            "'find-a-tree', line 1: no imports",
            "'find-a-tree', line 2: nor this",
        ]
        source = "def action(obs):\n    obs = forward()\n"
        assert use(source) == []
        assert json.loads(asked.result(PATIENCE).answer)["source"] == source
        assert asked.result().edited_by == "a person"
    llm.transcript.close()


def test_a_goal_goes_on_with_the_edited_answer(run_folder: Path) -> None:
    """Of the real agents: the planner is killed while its plan waits, and stops there again."""
    with stack(run_folder) as agents:
        bus = agents.bus
        bus.call(SET_BREAK, SetBreak(at="planner/plan", stops=True), PATIENCE)
        reports: list[Any] = []

        def pursue() -> None:
            reports.append(bus.run_goal(PURSUE, "demo", agents.goal(1), timeout=PATIENCE * 2))

        thread = threading.Thread(target=pursue)
        thread.start()
        eventually(lambda: bus.call(BREAKS, Empty(), PATIENCE).held)
        agents.agents["planner"].kill()
        agents.agents["planner"].start()
        (note,) = bus.call(BREAKS, Empty(), PATIENCE).held
        assert note.id == "demo/plan-0"
        request = UseAnswer(id=note.id, answer=json.dumps(OTHER), by="a test")
        assert bus.call(USE_ANSWER, request, PATIENCE).edited
        thread.join(PATIENCE * 2)
        assert [subtask.name for subtask in reports[0].subtasks] == ["get logs"]


EDITOR = """
import pathlib, sys
tried = pathlib.Path(sys.argv[0]).with_name("tried")
draft = pathlib.Path(sys.argv[1])
assert "harvest 1 log" in draft.read_text() or tried.exists()
draft.write_text({other!r} if tried.exists() else "subtasks: []")
tried.touch()
"""


def test_an_answer_is_edited_in_an_editor_until_it_fits(
    setting: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "editor.py"
    script.write_text(EDITOR.format(other=yaml.safe_dump(OTHER)))
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")
    setting.stop_at("planner/plan")
    asked = setting.ask("goal/plan-0")
    eventually(setting.waiting)
    with terminal(command("break", "edit", "--run", str(setting.run)), tmp_path) as editing:
        editing.wait_for("edit again? [Y/n]")
        assert "The plan is empty" in editing.text
        assert not asked.done()
        editing.type(b"\n")
        assert editing.ended() == 0, editing.text
    assert json.loads(asked.result(PATIENCE).answer)["subtasks"][0]["name"] == "get logs"


def test_break_commands_set_list_show_edit_and_clear(
    setting: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ("--run", str(setting.run))

    def run_break(*words: str) -> str:
        return printed("break", *words, *run, cwd=tmp_path)

    assert "no answer waits; `rlgpt break set" in refused("break", "edit", *run, cwd=tmp_path)
    assert "answers to planner/plan are now held" in run_break("set", "planner/plan")
    asked = setting.ask("goal/plan-0")
    eventually(setting.waiting)
    listed = run_break("list")
    assert "breakpoints: planner/plan" in listed
    assert "goal/plan-0" in listed
    digits = "9" * 5000  # more than Python makes a number of
    assert "no answer to `99" in refused("break", "show", digits, *run, cwd=tmp_path)
    assert "no answer to `0` waits" in refused("break", "show", "0", *run, cwd=tmp_path)
    shown = run_break("show")
    assert "[user]" in shown
    assert "subtasks:\n- name: harvest 1 log" in shown
    file = tmp_path / "answer.yaml"
    file.write_text("subtasks: []\n")
    wrong = refused("break", "edit", "--file", str(file), *run, cwd=tmp_path)
    assert "is not used:" in wrong
    assert "The plan is empty" in wrong
    no_terminal = rlgpt("break", "edit", "1", *run, cwd=tmp_path)
    assert no_terminal.returncode == 2
    assert "give the answer with --file" in no_terminal.stderr
    program = tmp_path / "program.py"
    program.write_text("")
    wrong = refused("break", "edit", "1", "--file", str(program), *run, cwd=tmp_path)
    assert "an answer to plan has no program" in wrong
    file.write_text(yaml.safe_dump(OTHER))
    monkeypatch.setenv("HOME", str(tmp_path))  # a shell leaves the `~` of an option's value
    assert "is used as you wrote it" in run_break("edit", "plan-0", "--file=~/answer.yaml")
    assert asked.result(PATIENCE).edited_by
    assert "are no longer held" in run_break("clear", "planner/plan")
    prompt = printed("prompt", "show", "planner", *run, cwd=tmp_path)
    assert "--- answer (edited by " in prompt
    assert "--- the model's answer" in prompt


def test_a_damaged_file_of_breakpoints_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "breakpoints.json").write_bytes(b'["\xff"]')
    with pytest.raises(UnusableFile, match=r"breakpoints\.json cannot be read"):
        Breakpoints(tmp_path, lambda _: None)
