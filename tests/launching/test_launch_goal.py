"""A launch with a goal, from its command to its report; and what can be looked into meanwhile."""

import json
import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.launch_toys.launched import (
    PATIENCE,
    command,
    environment,
    launched,
    printed,
    refused,
    rlgpt,
)
from tests.launch_toys.process_tree import members

GOAL = {
    "seed": 0,
    "task": {
        "id": "harvest_log",
        "prompt": "Harvest one log.",
        "success": {"kind": "have", "name": "log"},
    },
    "nodes": {
        "talker": {"module": "tests.launch_toys.talker"},
        "planner": {"module": "tests.launch_toys.planner", "after": ["talker"]},
    },
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "goal.yaml").write_text(yaml.safe_dump(GOAL))
    return tmp_path


def goal(place: Path, *arguments: str):
    run = place / "runs" / "it"
    return launched("launch", "goal", "run=runs/it", *arguments, cwd=place, run=run)


def state(run: Path) -> str:
    return json.loads((run / "summary.json").read_text())["state"]["kind"]


def test_goal_is_reached_and_reported(place: Path) -> None:
    with goal(place, "nodes.planner.parameters.seconds=0.5") as launch:
        assert launch.ended() == 0
        for words in ("plan: -> harvest_log", "find a tree: code", "0.95 (19/20)"):
            assert words in launch.text
        assert "The goal was reached: 95 % of 20 episodes" in launch.text
        assert "runs/it/report.html" in launch.text
        summary = json.loads((launch.run / "summary.json").read_text())
        assert (launch.run / "report.html").is_file()
        assert "The goal was reached" in (launch.run / "launcher.log").read_text()
    assert (place / "runs" / "latest").resolve() == launch.run
    # Once more: the planner remembers the result, and what the launch took is not forgotten.
    (launch.run / "report.html").unlink()
    with launched("resume", cwd=place, run=launch.run) as again:
        assert again.ended() == 0
        assert "The goal was reached" in again.text
    assert json.loads((launch.run / "summary.json").read_text()) == summary
    assert (launch.run / "report.html").is_file()
    # A launch that was killed between its papers writes them all.
    (launch.run / "summary.json").write_text("{")
    with launched("resume", cwd=place, run=launch.run) as again:
        assert again.ended() == 0
    assert json.loads((launch.run / "summary.json").read_text())["wall_seconds"] > 0
    assert (launch.run / "planner" / "pursued").read_text() == "goal\n"


def test_a_launch_whose_goal_is_invalid_ends_with_code_2_and_one_sentence(place: Path) -> None:
    """As where a language model finds no condition for a goal in words."""
    with goal(place, "nodes.planner.parameters.invalid=true") as launch:
        assert launch.ended() == 2
        assert "the goal is invalid: no condition was made of 'Harvest one log.'" in launch.text
        assert "Traceback" not in launch.text
    assert state(launch.run) == "failed"


def test_a_launch_reaches_its_goal_after_its_output_is_closed(place: Path) -> None:
    """`rlgpt launch goal | head -1`: the goal is pursued and reported all the same."""
    with goal(place, "nodes.planner.parameters.seconds=0.5") as launch:
        launch.stop_reading()
        assert launch.ended() == 0
        assert (launch.run / "summary.json").is_file()
        assert "The goal was reached" in (launch.run / "launcher.log").read_text()


def test_a_report_is_written_though_the_last_lines_cannot_be_printed(place: Path) -> None:
    """A terminal without the characters, one that was closed, a full disk."""
    yaml_file = place / "launch" / "goal.yaml"
    yaml_file.write_text(yaml.safe_dump({**GOAL, "task": {**GOAL["task"], "prompt": "Bärenholz"}}))
    plain = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    ours, closed = os.openpty()
    full = os.open("/dev/full", os.O_WRONLY)
    for name, stdout, words in (
        ("ascii", subprocess.PIPE, plain),
        ("closed", closed, {}),
        ("full", full, {}),
    ):
        process = subprocess.Popen(
            command("launch", "goal", f"run={name}", "nodes.planner.parameters.seconds=0.5"),
            cwd=place,
            env={**environment(), **words},
            stdout=stdout,
            stderr=subprocess.PIPE,
            start_new_session=True,  # so that no SIGHUP comes when the terminal is closed
        )
        if name == "closed":
            os.close(closed)
            os.read(ours, 1)
            os.close(ours)
        shown, complaint = process.communicate(timeout=PATIENCE)
        if name == "full":
            assert (
                complaint == b"rlgpt: standard output cannot be written: No space left on device\n"
            )
        else:
            assert (complaint, process.returncode) == (b"", 0)
        if name == "ascii":
            assert b"B?renholz" in shown
        for paper in ("goal_report.json", "summary.json", "report.html"):
            assert (place / name / paper).is_file(), name
    os.close(full)


def test_goal_that_fails_ends_the_launch_with_code_1_and_is_reported(place: Path) -> None:
    with goal(place, "nodes.planner.parameters.refuse=true") as launch:
        assert launch.ended() == 1
        assert "rlgpt: the goal failed: there is no way to that goal" in launch.text
        assert "Traceback" not in launch.text
    assert state(launch.run) == "failed"
    assert "failed: there is no way to that goal" in (launch.run / "report.html").read_text()


def test_goal_that_failed_by_a_bug_is_reached_by_resume_once_that_is_fixed(place: Path) -> None:
    with goal(place, "nodes.planner.parameters.mistake=true") as launch:
        assert launch.ended() == 1
        assert "rlgpt: the goal failed: KeyError: 'plan' (logs are in runs/it" in launch.text
        assert "rlgpt resume runs/it" in launch.text
    (launch.run / "fixed").touch()
    with launched("resume", cwd=place, run=launch.run) as again:
        assert again.ended() == 0
        assert "The goal was reached" in again.text


def test_a_nodes_damaged_file_is_not_blamed_on_the_configuration(place: Path) -> None:
    with goal(place, "nodes.planner.parameters.mistake=true") as launch:
        assert launch.ended() == 1
    path = launch.run / "planner" / "goals.sqlite"
    path.write_bytes(b"no table" * 999)
    for name in ("goals.sqlite-wal", "goals.sqlite-shm"):
        path.with_name(name).unlink(missing_ok=True)
    with launched("resume", cwd=place, run=launch.run) as again:
        assert again.ended() == 1
        assert f"rlgpt: planner: {path} cannot be used: file is not a database" in again.text
        assert "; move it away to begin without its goals\n" in again.text
        assert "(then `rlgpt resume runs/it` goes on from where it stopped)" in again.text
        assert "config.yaml" not in again.text
        assert "Traceback" not in again.text
    path.unlink()
    (launch.run / "fixed").touch()
    with launched("resume", cwd=place, run=launch.run) as fixed:
        assert fixed.ended() == 0


def test_node_with_an_unknown_parameter_ends_the_launch_with_one_sentence(place: Path) -> None:
    with goal(place, "nodes.talker.parameters.loudnes=3") as launch:
        assert launch.ended() == 2
        absent = "there is no parameter 'loudnes'; did you mean loudness? (there are: log_level, "
        assert absent in launch.text


def test_port_that_is_taken_ends_the_launch_with_one_sentence(place: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        hosts = ("hosts.talker.host=127.0.0.1", f"hosts.talker.port={port}")
        with goal(place, *hosts) as launch:
            assert launch.ended() == 2
            assert f"talker: cannot listen on tcp://127.0.0.1:{port}" in launch.text
            assert "Traceback" not in launch.text


def test_goal_is_reached_after_a_kill_an_interruption_and_a_resume(place: Path) -> None:
    with goal(place, "nodes.planner.parameters.seconds=100") as launch:
        launch.wait_for("plan: ")
        printed("node", "kill", "planner", cwd=place)
        launch.wait_for("planner is ready", 2)
        assert printed("report", cwd=place).startswith("it: running since ")
        assert state(launch.run) == "running"
        assert launch.stop(signal.SIGINT) == 130
        assert "report: runs/it/report.html" in launch.text
    assert state(launch.run) == "interrupted"
    config = launch.run / "config.yaml"
    assert "seconds: 100\n" in config.read_text()
    config.write_text(config.read_text().replace("seconds: 100\n", "seconds: 0.1\n"))
    with launched("resume", cwd=place, run=launch.run) as again:
        assert again.ended() == 0
        assert "The goal was reached" in again.text
    assert (launch.run / "planner" / "pursued").read_text() == "goal\n"
    summary = json.loads((launch.run / "summary.json").read_text())
    assert summary["state"]["kind"] == "reached"
    assert summary["restarts"] == {"talker": 0, "planner": 1}  # of both launches


def test_hung_node_is_killed_and_started_again(place: Path) -> None:
    slow = "nodes.planner.parameters.seconds=100"
    with goal(place, slow, "nodes.talker.restart.hang=3") as launch:
        launch.wait_for("plan: ")
        listed = rlgpt("node", "list", cwd=place).stdout.splitlines()
        os.kill(int(listed[1].split()[2]), signal.SIGSTOP)
        launch.wait_for("talker hangs; it is killed")
        launch.wait_for("talker is ready", 2)
        assert launch.stop() == 130


def test_left_out_planner_is_sent_the_goal_when_it_is_started_by_hand(place: Path) -> None:
    with goal(place, "-planner") as launch:
        launch.wait_for("all nodes are ready")
        with launched("run", "planner", cwd=place, run=place / "none") as by_hand:
            assert launch.ended() == 0
            by_hand.stop(signal.SIGTERM)
        assert "The goal was reached" in launch.text


def test_commands_show_and_change_a_running_stack(place: Path) -> None:
    with goal(place, "nodes.planner.parameters.seconds=100") as launch:
        launch.wait_for("plan: ")
        topics = printed("topic", "list", cwd=place)
        for name in ("talker/chatter", "planner/plan", "planner/heartbeat", "launcher/diagnostics"):
            assert name in topics
        services = printed("service", "list", cwd=place)
        assert "PursueGoal -> PlanStatus -> GoalReport" in services
        assert "launcher/restart" in services

        echoed = printed("topic", "echo", "talker/chatter", "--count", "2", cwd=place)
        messages = [json.loads(line) for line in echoed.splitlines()]
        assert [s["text"] for s in messages] == ["hello", "hello"]
        assert messages[0]["numbers"] == {"dtype": "int64", "shape": [3], "values": [0, 1, 2]}
        assert "did you mean `talker/chatter`?" in refused(
            "topic", "echo", "talker/chater", cwd=place
        )
        for wrong in (("--count", "-1"), ("--timeout", "-1"), ("--timeout", "nan")):
            assert " ".join(wrong) in refused("topic", "echo", "talker/chatter", *wrong, cwd=place)

        assert printed("param", "get", "talker", "loudness", cwd=place) == "3\n"
        listed = printed("param", "list", cwd=place)
        assert "refuse" in listed
        assert "loudness" in listed
        assert printed("param", "set", "talker", "text=bye", cwd=place) == (
            'talker: text = "bye"\n'
        )
        assert printed("param", "get", "talker", "text", cwd=place) == '"bye"\n'
        assert "cannot be set while" in refused("param", "set", "talker", "loudness=4", cwd=place)
        assert "no parameter `lodness`; did" in refused(
            "param", "get", "talker", "lodness", cwd=place
        )
        assert "sets nothing" in refused("param", "set", "talker", "text", cwd=place)
        assert launch.stop() == 130


def test_waiting_for_an_absent_planner_is_reported(place: Path) -> None:
    parameters = "nodes.planner.parameters.until=enough"
    with goal(place, parameters, "nodes.planner.restart.backoff=4") as launch:
        launch.wait_for("all nodes are ready")
        planner = next(each for each in members(launch.process.pid) if each.kind == "planner")
        planner.send(signal.SIGKILL)
        launch.wait_for(" s  launcher: waiting for planner, which is being restarted")
        launch.wait_for(" s  launcher: planner is connected again")
        (launch.run / "enough").touch()
        assert launch.ended() == 0
        assert "planner: waiting for planner" not in launch.text


def test_a_command_that_waits_for_a_goal_ends_with_the_launch(place: Path) -> None:
    request = json.dumps({"task": GOAL["task"], "limits": {}})
    words = ("action", "send_goal", "planner/pursue", request, "--id", "my own", "--feedback")
    without = {key: value for key, value in GOAL.items() if key != "task"}
    (place / "launch" / "goal.yaml").write_text(yaml.safe_dump(without))
    with goal(place, "+nodes.planner.parameters.seconds=1000") as launch:
        launch.wait_for("there is no goal")
        waiting = subprocess.Popen(
            command(*words),
            cwd=place,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert waiting.stdout is not None
        assert waiting.stdout.readline().startswith('{"feedback":')
        assert launch.stop() == 130
        _, errors = waiting.communicate(timeout=PATIENCE)
    assert waiting.returncode == 1
    assert "it has ended before the goal; `rlgpt resume it` goes on with it, and" in errors
    assert "`rlgpt action send_goal planner/pursue ... --id 'my own'` waits for it again" in errors
