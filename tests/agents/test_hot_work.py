"""Work on one node in the middle of a run: its code and prompts are edited and only it is started
again, or it is taken over by a debugger, and the same iteration goes on."""

import json
import shutil
import socket
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from messages.bus import Bus, DeadlineExceeded
from messages.bus.services.waiting import NodeStatus, RequestLimits, Wait
from messages.empty import Empty
from messages.plan import PURSUE
from messages.system import (
    DEBUGGED,
    LIST,
    RECLAIM,
    RELEASE,
    NodeName,
    NodeState,
    status_clause,
)
from nodes.common.running.debugging import DEBUG
from nodes.llm.recording.transcript import Entry
from rlgpt.refused import Refused
from rlgpt.single_runs import foreground_node
from tests.agent_stack import RunGoal, stack
from tests.agents.test_agent_loops import check_report
from tests.bus_processes import PATIENCE, ROOT, free_port
from tests.launch_toys.launched import command, eventually, launched, refused
from tests.launching.test_launch_goal import GOAL
from tests.node.test_debugging import terminal

EDITED = "Edited in the middle of the run."


def tree_of(folder: Path) -> Path:
    """A checkout of our packages in which the nodes can be edited."""
    shutil.copytree(ROOT / "nodes", folder / "nodes", ignore=shutil.ignore_patterns("__pycache__"))
    for package in ("messages", "models", "worlds", "voxeldojo"):
        (folder / package).symlink_to(ROOT / package)
    return folder


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_an_agents_edited_code_and_prompt_are_used_in_the_same_iteration(
    run_folder: Path, tmp_path: Path
) -> None:
    tree = tree_of(tmp_path)
    prompt = tree / "nodes" / "fast_agent" / "prompts" / "program.system.jinja"
    code = tree / "nodes" / "fast_agent" / "code_branch.py"
    with stack(run_folder) as agents:
        fast = agents.agents["fast_agent"]
        fast.stop()
        fast.code = tree
        fast.start()
        played_before: list[tuple[str, str]] = []

        def edit(goal: RunGoal) -> None:
            """In the second iteration, when one of its two sub-actions was tried."""
            if "iteration-1/harvest-log" not in goal.id:
                return
            agents.world.before_run = lambda goal: None
            played_before.extend(agents.world.played)
            prompt.write_text(f"{EDITED}\n{prompt.read_text()}")
            line = '        self._work.report(f"writing program'
            replace(code, line, f"        self._agent.log.info({EDITED!r})\n{line}")
            fast.kill()
            fast.start()

        agents.world.before_run = edit
        report = agents.bus.run_goal(PURSUE, "demo", agents.goal(), timeout=2 * PATIENCE)
        check_report(report)  # as that of a run that nothing happened to
        played = agents.world.played
    assert EDITED in (run_folder / "fast_agent" / "node.log").read_text()
    # What was answered stays answered; only new questions have the new prompt.
    lines = (run_folder / "llm" / "transcript.jsonl").read_bytes().splitlines()
    entries = [msgspec.json.decode(line, type=Entry) for line in lines]
    ids = [entry.answered.id for entry in entries]
    assert len(set(ids)) == len(ids)
    programs = [entry for entry in entries if entry.asked == "ProgramQuestion"]
    edited = [entry.prompt[0].content.startswith(EDITED) for entry in programs]
    assert edited == sorted(edited)
    assert set(edited) == {False, True}
    decompositions = [each for each in ids if "iteration-1/decompose" in each]
    assert len(decompositions) == 1  # the iteration was not begun again
    # What was tried is not tried again: the sessions that were played out are played once.
    assert played_before
    again = [each for each in played_before[:-1] if played.count(each) > 1]
    tried_out = [each for each in again if "/trial" in each[0]]
    assert not tried_out


# Under a debugger


class Client:
    """As much of a debug adapter's client as attaches and goes on."""

    def __init__(self, port: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
                break
            except ConnectionRefusedError:
                assert time.monotonic() < deadline
                time.sleep(0.1)
        self._file = self._socket.makefile("rb")
        self._count = 0

    def send(self, name: str, **arguments: Any) -> None:
        self._count += 1
        message = {
            "seq": self._count, "type": "request", "command": name, "arguments": arguments
        }  # fmt: skip
        body = json.dumps(message).encode()
        self._socket.sendall(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def wait_for(self, **what: str) -> dict[str, Any]:
        while True:
            length = 0
            while line := self._file.readline().strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            message = json.loads(self._file.read(length))
            if all(message.get(key) == value for key, value in what.items()):
                return message

    def attach(self) -> None:
        self.send("initialize", adapterID="test")
        self.wait_for(type="response", command="initialize")
        self.send("attach", justMyCode=True)
        self.wait_for(type="event", event="initialized")
        self.send("configurationDone")
        self.wait_for(type="response", command="configurationDone")

    def close(self) -> None:
        self._file.close()
        self._socket.close()


def test_a_node_that_waits_for_a_debugger_takes_the_place_of_the_launchers(tmp_path: Path) -> None:
    pytest.importorskip("debugpy")
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "goal.yaml").write_text(yaml.safe_dump(GOAL))
    run, port = tmp_path / "it", free_port()
    held = "nodes.planner.parameters.until=go"
    with launched("launch", "goal", f"run={run}", held, cwd=tmp_path, run=run) as launch:
        launch.wait_for("plan:")  # its planner works on the goal
        by_hand = command("run", "planner", "--run", "it", "--debug", "--port", str(port))
        with terminal(by_hand, tmp_path) as debugging:
            debugging.wait_for(f"waiting for a debugger on 127.0.0.1:{port}")
            assert not (run / "planner" / "pursued").exists()
            client = Client(port)
            try:
                client.attach()
                debugging.wait_for("the debugger is attached")
                (run / "go").touch()
                assert launch.ended() == 0, launch.text
            finally:
                client.close()
    assert (run / "planner" / "pursued").read_text() == "goal\n"


def test_without_debugpy_pdb_is_used_and_invalid_debugger_options_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "launch").mkdir()
    answer = refused("run", "critic", "--port", "1", cwd=tmp_path)
    assert "--port sets the debugger's port" in answer
    monkeypatch.setattr(foreground_node.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Refused, match="debugpy is not installed: pip install debugpy"):
        foreground_node._debugger(5678)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    with pytest.raises(Refused, match="no terminal for pdb"):
        foreground_node._debugger(None)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    assert foreground_node._debugger(None) == {DEBUG: "pdb"}
    monkeypatch.undo()
    if foreground_node.importlib.util.find_spec("debugpy") is not None:
        with pytest.raises(Refused, match="--port 70000: 1 to 65535"):
            foreground_node._debugger(70_000)
        assert foreground_node._debugger(None) == {DEBUG: "5678"}


def test_deadlines_do_not_run_out_at_a_debuggers_breakpoint() -> None:
    """All threads of the node stand: it is the launcher that knows why."""
    reported: list[str] = []
    state = NodeState(
        node="critic", state="released", pid=0, restarts=0, uptime=0, memory=0, debugged=True
    )
    clauses = [status_clause(state)]
    assert clauses == [DEBUGGED]
    status = NodeStatus(lambda node: clauses[-1], lambda node, words: reported.append(words))
    wait = Wait("critic/judge", "critic", RequestLimits.of_service(0.05), status)
    for _ in range(4):
        wait.turn(True)
        time.sleep(0.06)
    assert reported == ["waiting for critic, which is under a debugger"]
    clauses.append(status_clause(msgspec.structs.replace(state, state="ready", debugged=False)))
    with pytest.raises(DeadlineExceeded, match="no reply from critic within"):
        wait.turn(True)


def test_the_launcher_lists_a_released_node_as_debugged_until_it_is_reclaimed(
    tmp_path: Path,
) -> None:
    (tmp_path / "launch").mkdir()
    launch_file = {"seed": 0, "nodes": {"talker": {"module": "tests.launch_toys.talker"}}}
    (tmp_path / "launch" / "toys.yaml").write_text(yaml.safe_dump(launch_file))
    run = tmp_path / "it"
    with launched("launch", "toys", "run=it", cwd=tmp_path, run=run) as launch:
        launch.wait_for("there is no goal")
        bus = Bus(run)
        try:
            released = bus.call(RELEASE, NodeName(node="talker", debugged=True), PATIENCE)
            assert (released.state, released.debugged) == ("released", True)
            assert not bus.call(RECLAIM, NodeName(node="talker"), PATIENCE).debugged
            eventually(lambda: bus.call(LIST, Empty()).nodes[0].state == "ready")
            assert not bus.call(LIST, Empty()).nodes[0].debugged
        finally:
            bus.close()
