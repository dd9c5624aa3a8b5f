"""The commands that look into a stack, on a live run of toys and on what it leaves behind."""

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import rlgpt as rlgpt_package
from messages.bus import Bus
from messages.interface import Service
from rlgpt.inspecting.node_logs import make_filter
from rlgpt.inspecting.rates import _Counted
from rlgpt.refused import Refused
from rlgpt.runs import run_folder
from tests.launch_toys.launched import (
    PATIENCE,
    Launched,
    command,
    environment,
    eventually,
    failed,
    launched,
    printed,
    refused,
    rlgpt,
)  # fmt: skip

LAUNCH = {
    "seed": 0,
    "nodes": {
        "talker": {"module": "tests.launch_toys.talker"},
        "caller": {"module": "tests.launch_toys.caller"},
        "planner": {"module": "tests.launch_toys.planner", "parameters": {"seconds": 0.5}},
        "learner": {"module": "tests.launch_toys.first"},
    },
}
TASK = {"id": "log", "prompt": "a log", "success": {"kind": "have", "name": "log"}}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("inspecting")
    (place / "launch").mkdir()
    (place / "launch" / "toys.yaml").write_text(yaml.safe_dump(LAUNCH))
    return place


@pytest.fixture(scope="module")
def live(place: Path) -> Iterator[Launched]:
    run = place / "runs" / "it"
    with launched("launch", "toys", "run=runs/it", "-learner", cwd=place, run=run) as launch:
        launch.wait_for("there is no goal")
        yield launch


@pytest.fixture(autouse=True)
def away_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    """The learner is absent, and most commands wait for its description."""
    monkeypatch.setattr("rlgpt.interfaces.AWAY", 1.0)


def run_json(*arguments: str, cwd: Path) -> object:
    return json.loads(printed(*arguments, cwd=cwd))


def test_node_list_and_info_show_states_and_endpoints(live: Launched, place: Path) -> None:
    rows = run_json("node", "list", "--json", cwd=place)
    states = {row["node"]: row["state"] for row in rows}
    assert states == {
        "talker": "ready", "caller": "ready", "planner": "ready", "learner": "released"
    }  # fmt: skip
    caller = ("node", "info", "caller", "--json")
    eventually(lambda: run_json(*caller, cwd=place)["uses"])  # it is ready before its first call
    info = run_json(*caller, cwd=place)
    assert info["state"] == "ready"
    # On a busy machine it also asks the launcher why it waits.
    assert set(info["uses"]) - {"launcher/list"} == {"talker/describe"}
    assert "talker/chatter" in run_json("node", "info", "talker", "--json", cwd=place)["topics"]
    assert "planner/pursue" in printed("node", "info", "planner", cwd=place)
    assert "did you mean `talker`?" in refused("node", "info", "tolker", cwd=place)
    assert "learner of it does not answer" in refused("node", "info", "learner", cwd=place)


def test_logs_are_merged_and_filtered(live: Launched, place: Path) -> None:
    entries = [
        json.loads(line) for line in printed("node", "log", "--json", cwd=place).splitlines()
    ]
    assert [entry["time"] for entry in entries] == sorted(entry["time"] for entry in entries)
    ready = {entry["node"] for entry in entries if "is ready" in entry["text"]}
    assert ready == {"talker", "caller", "planner"}
    talker = printed("node", "log", "talker", "--grep", "is ready", cwd=place)
    assert talker.count("\n") == 1
    assert "talker" in talker
    assert printed("node", "log", "--level", "critical", cwd=place) == ""
    assert printed("node", "log", "--since", "2000-01-01", "-n", "1", cwd=place).count("\n")
    assert printed("node", "log", "--since", "0s", cwd=place) == ""
    for wrong, words in (
        (("--level", "warn"), "there is no level `warn`; did you mean `warning`?"),
        (("--grep", "("), "is no regular expression"),
        (("--since", "soon"), "write how long ago (30s, 10m, 2h, 1d)"),
        (("-n", "-1"), "0 entries or more"),
        (("tolker",), "did you mean `talker`?"),
    ):
        assert words in refused("node", "log", *wrong, cwd=place)


def test_a_log_is_followed(live: Launched, place: Path) -> None:
    def set_and_seen() -> bool:
        printed("param", "set", "talker", "text=bye", cwd=place)
        return 'parameters set: text="bye"' in log.text

    with launched("node", "log", "talker", "-f", "-n", "0", cwd=place, run=place / "none") as log:
        # Again and again: nothing shows when it has begun to follow.
        eventually(set_and_seen)
        assert log.stop(signal.SIGINT) == 130


def test_a_followed_log_ends_once_nothing_of_the_run_runs(tmp_path: Path) -> None:
    run = tmp_path / "it"
    (run / "talker").mkdir(parents=True)
    (run / "config.yaml").write_text("nodes: {talker: {}}")
    log, entry = run / "talker" / "node.log", "2026-01-31 12:00:00,000 INFO {}\n"
    log.write_text(entry.format("begins"))
    follow = ("node", "log", "-f", "--run", str(run))
    with launched(*follow, cwd=tmp_path, run=tmp_path / "none") as following:
        assert following.ended() == 0
    assert "begins" in following.text
    with contextlib.ExitStack() as stack:
        with run_folder.Lock(run):  # as its launcher holds it
            following = stack.enter_context(launched(*follow, cwd=tmp_path, run=tmp_path / "none"))
            following.wait_for("begins")
            with log.open("a") as file:
                file.write(entry.format("ends"))
            following.wait_for("ends")
        assert following.ended() == 0
    assert "nothing of it runs: no more entries come" in following.text


def test_a_log_entry_of_several_lines_is_read_as_one(tmp_path: Path) -> None:
    from rlgpt.inspecting.node_logs import NodeLog

    path = tmp_path / "node.log"
    log = NodeLog(path, "toy")
    assert list(log.read()) == []  # the node has not started yet
    path.write_text("2026-01-02 03:04:05,678 ERROR it failed\n    Traceback\n    ValueError: x\n")
    (entry,) = log.read()
    assert (entry.level, entry.text) == ("error", "it failed\n    Traceback\n    ValueError: x")
    written = "2026-01-02 03:04:06,000 INFO half é whole\n".encode()
    middle = written.index("é".encode()) + 1  # of a character, too
    with path.open("ab", buffering=0) as file:
        file.write(written[:middle])
        assert list(log.read()) == []
        file.write(written[middle:])
    assert [each.text for each in log.read()] == ["half é whole"]
    assert make_filter("warning", None, None).takes(entry)
    assert not make_filter("debug", "absent", None).takes(entry)
    with pytest.raises(Refused, match="no level"):
        make_filter("loud", None, None)


@pytest.mark.parametrize(
    "given", ["2026-01-31T12:00", "2026-01-31T17:00Z", "2026-01-31T18:00+01:00"]
)
def test_the_time_of_a_log_option_may_name_its_zone(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    """Entries have the local time, here of five hours behind UTC."""
    monkeypatch.setenv("TZ", "EST+5")
    time.tzset()
    try:
        assert make_filter("debug", None, given).since == "2026-01-31 12:00:00,000"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_topic_commands_list_describe_and_echo_topics(live: Launched, place: Path) -> None:
    rows = run_json("topic", "list", "--json", cwd=place)
    assert {"talker/chatter", "planner/plan"} <= {row["name"] for row in rows}
    info = run_json("topic", "info", "planner/plan", "--json", cwd=place)
    assert (info["node"], info["latched"]) == ("planner", True)
    assert "did you mean `talker/chatter`?" in refused("topic", "info", "talker/chat", cwd=place)
    once = rlgpt("topic", "echo", "talker/chatter", "--once", "--field", "numbers.dtype", cwd=place)
    assert once.returncode == 2  # an array is no mapping
    assert "there are no fields in" in once.stderr
    once = rlgpt("topic", "echo", "talker/chatter", "--once", "--field", "text", cwd=place)
    assert once.stdout in ('"hello"\n', '"bye"\n')
    last = run_json("topic", "echo", "talker/chatter", "--once", "--latched", cwd=place)
    assert "numbers" in last
    # It ends, though the topic is published on all the time.
    assert printed("topic", "echo", "talker/chatter", "--latched", cwd=place).count("\n") == 1
    none = failed("topic", "echo", "talker/diagnostics", "--once", "--latched", cwd=place, code=1)
    assert "has no last value: it keeps none, or none was published yet" in none
    for index in ("--1", "9" * 5000):
        words = ("talker/heartbeat", "--once", "--field", f"busy.{index}")
        assert "there are no fields in []" in refused("topic", "echo", *words, cwd=place)
    both = printed("topic", "echo", "talker/*", "--count", "3", cwd=place).splitlines()
    assert all(json.loads(line)["topic"].startswith("talker/") for line in both)
    assert "it has type, text, numbers" in refused(
        "topic", "echo", "talker/chatter", "--once", "--field", "volume", cwd=place
    )


def test_topic_hz_and_bw_report_received_and_missed_messages(live: Launched, place: Path) -> None:
    (row,) = run_json("topic", "hz", "talker/chatter", "--seconds", "2", "--json", cwd=place)
    assert row["messages"] > 1
    assert row["hz"] < 35.0  # it publishes 20 times a second; each is counted once
    assert row["missed"] == 0
    assert row["bytes_each"] > 24  # three int64
    assert row["gap_p95_ms"] >= 25.0  # a busy machine may receive several at once
    every = run_json("topic", "bw", "--seconds", "2", "--json", cwd=place)
    assert {"talker/chatter", "planner/heartbeat"} <= {row["topic"] for row in every}
    silent = failed("topic", "hz", "planner/plan", "--seconds", "0.2", cwd=place, code=1)
    assert "nothing was published on planner/plan for 0.2 s" in silent
    assert "--seconds 0" in refused("topic", "hz", "--seconds", "0", cwd=place)


def test_rates_and_gaps_are_those_of_the_messages_that_came() -> None:
    counted = _Counted()
    counted.times = [0.05 * number for number in range(41)]
    counted.size = 41 * 1024
    row = counted.row("talker/chatter", 2.0)
    assert (row["messages"], row["hz"], row["kib_per_second"]) == (41, 20.5, 20.5)
    assert (row["bytes_each"], row["gap_p50_ms"], row["gap_p95_ms"]) == (1024, 50.0, 50.0)
    assert row["delay_p50_ms"] is None
    for count in (1, 2, 3, 19):  # no percentile is larger than all that was measured
        counted.delays = [0.001 * number for number in range(1, count + 1)]
        row = counted.row("talker/chatter", 2.0)
        assert 0.5 * count <= row["delay_p50_ms"] <= row["delay_p95_ms"] <= 1.0 * count
    counted.times, counted.delays = [0.0, 0.5, 2.0], [0.001, 0.002, 0.008]
    row = counted.row("talker/chatter", 2.0)
    assert (row["gap_p50_ms"], row["gap_p95_ms"]) == (1000.0, 1450.0)
    assert (row["delay_p50_ms"], row["delay_p95_ms"]) == (2.0, 7.4)


def test_topic_pub_publishes_in_place_of_a_node_that_does_not_run(
    live: Launched, place: Path
) -> None:
    progress = {
        "policy": "p", "samples": 1, "prefix_samples": 0, "decisions": 1, "budget": 2,
        "success_rate": 0.5, "mean_return": 0.0, "entropy": 0.0, "kl": 0.0,
        "steps_per_second": 1.0,
    }  # fmt: skip
    message = json.dumps(progress)
    with launched(
        *("topic", "pub", "learner/progress", message, "--count", "0", "--rate", "10"),
        cwd=place,
        run=place / "none",
    ) as published:
        with rlgpt_package.connect(live.run) as stack:
            heard = stack.subscribe("learner/progress").receive(PATIENCE)
            assert (heard.policy, heard.budget) == ("p", 2)
        assert published.stop(signal.SIGINT) == 130
    assert "takes Progress: `policy` is missing" in refused(
        "topic", "pub", "learner/progress", cwd=place
    )


def test_topic_pub_on_a_topic_of_a_running_node_is_refused(live: Launched, place: Path) -> None:
    assert "planner is running, and only it publishes" in refused(
        "topic", "pub", "planner/heartbeat", json.dumps(
            {"node": "planner", "epoch": "e", "pid": 1, "uptime": 0.0, "busy": []}
        ), cwd=place,
    )  # fmt: skip


def test_types_that_messages_does_not_declare_are_used_from_python_alone(
    live: Launched, place: Path
) -> None:
    said = refused("topic", "pub", "talker/chatter", cwd=place)
    assert "the types of the topic `talker/chatter` are not declared in messages/" in said
    assert said.endswith("use it from Python (docs/connecting.md)\n")
    said = refused("topic", "pub", "planner/describe", cwd=place)
    assert "`planner/describe` is no topic: it is a service" in said
    said = refused("topic", "pub", "planner/pln", cwd=place)
    assert said.endswith(
        "messages/ declares no topic `planner/pln`; did you mean `planner/plan`?\n"
    )


def test_service_commands_describe_and_call_services_and_refuse_wrong_arguments(
    live: Launched, place: Path
) -> None:
    info = run_json("service", "info", "talker/describe", "--json", cwd=place)
    assert info["used_by"] == ["caller"]
    assert info["timeout"] == 30.0
    reply = run_json("service", "call", "talker/describe", cwd=place)
    assert reply["node"] == "talker"
    live_ones = json.dumps({"values": {"text": "hello"}})
    reply = run_json("service", "call", "talker/set_parameters", live_ones, cwd=place)
    assert reply["values"]["text"] == "hello"
    for arguments, words in (
        (("talker/describ",), "did you mean `talker/describe`?"),
        (("learner/actor",), "learner, which has `learner/actor`, does not answer"),
        (("planner/pursue",), "`planner/pursue` is no service: it is an action"),
        (("learner/progress",), "`learner/progress` is no service: it is a topic"),
        (("nobody/describe",), "there is no service `nobody/describe`"),
        (("talker/set_parameters", "{"), "takes JSON, and this is none"),
        (("talker/set_parameters", '{"vals": 1}'), "there is no `vals`; did you mean `values`?"),
        (("talker/describe", "--timeout", "0"), "--timeout 0"),
    ):
        assert words in refused("service", "call", *arguments, cwd=place)
    wrong = json.dumps({"values": {"loudness": 4}})
    assert "cannot be set while" in failed(
        "service", "call", "talker/set_parameters", wrong, cwd=place, code=1
    )


def test_goals_are_sent_listed_and_cancelled(live: Launched, place: Path) -> None:
    goal = json.dumps({"task": TASK, "limits": {}})
    sent = rlgpt("action", "send_goal", "planner/pursue", goal, "--id", "mine", cwd=place)
    assert sent.returncode == 0, sent.stderr
    assert json.loads(sent.stdout)["type"] == "GoalReport"
    assert "goal mine" in sent.stderr
    again = rlgpt("action", "send_goal", "planner/pursue", goal, "--id", "mine", cwd=place)
    assert json.loads(again.stdout) == json.loads(sent.stdout)

    def watched() -> bool:
        """A goal of its own each time: the first feedback may come before one listens."""
        words = ("action", "send_goal", "planner/pursue", goal, "--feedback")
        *feedback, result = (json.loads(line) for line in printed(*words, cwd=place).splitlines())
        assert result["result"]["type"] == "GoalReport"
        assert {each["feedback"]["type"] for each in feedback} <= {"PlanStatus"}
        return bool(feedback)

    (row,) = [
        row
        for row in run_json("action", "list", "--json", cwd=place)
        if row["action"] == "planner/pursue"
    ]
    assert (row["goals"], row["succeeded"], row["open"]) == (1, 1, 0)
    eventually(watched)
    one = run_json("action", "info", "planner/pursue", "mine", "--json", cwd=place)
    assert one["request"]["task"]["id"] == "log"
    assert one["status"] == "succeeded"
    assert "no goal `mime`" in failed("action", "info", "planner/pursue", "mime", cwd=place, code=2)
    assert "no goal `other`" in failed(
        "action", "cancel", "planner/pursue", "other", cwd=place, code=1
    )
    assert "mine: succeeded" in printed("action", "cancel", "planner/pursue", "mine", cwd=place)
    for arguments, words in (
        (("send_goal", "planner/pursue", "{}"), "`task` is missing"),
        (("send_goal", "planner/describe", "{}"), "`planner/describe` is no action: it is a serv"),
        (("info", "planner/describe"), "`planner/describe` is no action: it is a service"),
        (("send_goal", "planner/pursue", goal, "--timeout", "nan"), "--timeout nan: more than 0"),
        (("send_goal", "planner/pursue", goal, "--timeout", "-1"), "--timeout -1: more than 0"),
    ):
        assert words in refused("action", *arguments, cwd=place), arguments


def test_parameters_are_saved_and_loaded(live: Launched, place: Path) -> None:
    dumped = printed("param", "dump", "talker", cwd=place)
    values = yaml.safe_load(dumped)
    assert values["talker"]["loudness"] == 3
    file = place / "parameters.yaml"
    file.write_text(yaml.safe_dump({"talker": {**values["talker"], "text": "loaded"}}))
    assert printed("param", "load", str(file), cwd=place) == "1 parameter set\n"
    assert printed("param", "get", "talker", "text", cwd=place) == '"loaded"\n'
    for content, words in (
        ({"talker": {"text": "x", "loudness": 4}}, "`loudness` cannot be set while talker runs"),
        ({"talker": {"txt": "x"}}, "did you mean `text`?"),
        ({"tolker": {}}, "did you mean `talker`?"),
        ("text", "write node: {parameter: value}"),
        ([1, 2], "expected a mapping of names to values, got a list"),
        ({"talker": 3}, "`talker` has no mapping of parameters to values"),
        ({"talker": {"text": {"a": 1}}}, "`talker.text` is none of a number, a text, true"),
    ):
        file.write_text(yaml.safe_dump(content))
        assert words in refused("param", "load", str(file), cwd=place)
    assert printed("param", "get", "talker", "text", cwd=place) == '"loaded"\n'
    assert "cannot be read" in refused("param", "load", str(place / "none.yaml"), cwd=place)
    rows = run_json("param", "list", "talker", "--json", cwd=place)
    text = next(row for row in rows if row["parameter"] == "text")
    assert (text["node"], text["value"], text["live"]) == ("talker", "loaded", True)
    assert text["configured"] == "hello"


def test_the_graph_shows_which_node_uses_which_endpoint(live: Launched, place: Path) -> None:
    # `describe` is of every node, so it is shown only where all is.
    assert "talker/describe" not in printed("graph", cwd=place)
    found = run_json("graph", "--format", "json", "--all", cwd=place)
    edge = {"user": "caller", "owner": "talker", "name": "talker/describe", "kind": "service"}
    assert edge in found["edges"]
    mermaid = printed("graph", "--format", "mermaid", "--all", cwd=place)
    assert 'caller -->|"describe' in mermaid
    assert '"caller" -> "talker" [label="describe' in printed(
        "graph", "--format", "dot", "--all", cwd=place
    )
    assert "did you mean `dot`?" in refused("graph", "--format", "dott", cwd=place)


def test_interface_commands_list_types_and_print_schemas_and_templates(place: Path) -> None:
    rows = {row["type"]: row for row in run_json("interface", "list", "--json", cwd=place)}
    assert rows["PursueGoal"]["used_by"] == ["planner/pursue"]
    assert "planner/pursue" in rows["Condition"]["used_by"]  # in a task in it
    shown = printed("interface", "show", "PursueGoal", cwd=place)
    assert "task: Task" in shown
    schema = run_json("interface", "show", "PursueGoal", "--json", cwd=place)
    assert "PursueGoal" in schema["$defs"]
    template = run_json("interface", "show", "PursueGoal", "--template", cwd=place)
    assert template["task"]["success"] == {"kind": "", "name": "", "quantity": 1}
    assert "did you mean `PursueGoal`?" in refused("interface", "show", "PursuGoal", cwd=place)


def test_logs_and_goals_of_an_ended_run_can_be_listed(
    place: Path, live: Launched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its logs and goals are on disk."""
    run = place / "runs" / "ended"
    with launched("launch", "toys", "run=runs/ended", "-learner", cwd=place, run=run) as launch:
        launch.wait_for("there is no goal")
        goal = json.dumps({"task": TASK, "limits": {}})
        sent = rlgpt("action", "send_goal", "planner/pursue", goal, "--run", "ended", cwd=place)
        assert sent.returncode == 0, sent.stderr
        assert launch.stop() in (0, 130)
    rows = run_json("action", "list", "--json", "--run", "ended", cwd=place)
    assert {row["action"]: row["succeeded"] for row in rows}["planner/pursue"] == 1
    assert "is ready" in printed("node", "log", "talker", "--run", "ended", cwd=place)
    for words in (("node", "list"), ("topic", "list"), ("graph",), ("param", "dump")):
        assert "`rlgpt resume ended`" in refused(*words, "--run", "ended", cwd=place)
    # The four absent nodes are waited for together, not one by one.
    together = threading.Barrier(len(LAUNCH["nodes"]), timeout=PATIENCE)
    call = Bus.call

    def at_once(bus: Bus, service: Service, *arguments: Any, **options: Any) -> Any:
        together.wait()
        return call(bus, service, *arguments, **options)

    monkeypatch.setattr(Bus, "call", at_once)
    refused("param", "list", "--run", "ended", cwd=place)
    assert not together.broken


@pytest.mark.parametrize("given", [b"\xff\xfe\x00", b"[" * 100_000, None])
def test_a_standard_input_that_is_no_json_is_refused_in_one_sentence(
    live: Launched, place: Path, given: bytes | None
) -> None:
    """None: it was closed."""
    closed = ["bash", "-c", '"$@" <&-', "bash"] if given is None else []
    done = subprocess.run(
        [*closed, *command("action", "send_goal", "planner/pursue", "-", "--run", "it")],
        cwd=place,
        env=environment(),
        input=given,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert b"planner/pursue takes JSON, and this is none" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_file_that_is_no_text_is_refused_without_pythons_own_words(place: Path) -> None:
    (place / "binary").write_bytes(b"\xff\xfe\x00")
    assert refused("param", "load", "binary", cwd=place).endswith(
        "binary cannot be read: it is not text in UTF-8\n"
    )
    assert refused("param", "load", "nowhere", cwd=place).endswith(
        "nowhere cannot be read: No such file or directory\n"
    )
    os.mkfifo(place / "pipe")
    assert "pipe is no file but a pipe" in refused("param", "load", "pipe", cwd=place)
