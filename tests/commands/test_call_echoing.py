"""`rlgpt service echo` and `rlgpt action echo`, on a live run of toys."""

import itertools
import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

import rlgpt as rlgpt_package
from messages.bus import GoalCancelled, RemoteError
from messages.empty import Empty
from messages.pausing import Pause, set_pause
from messages.plan import PURSUE, PursueGoal
from messages.system import Description, describe
from nodes.common.running.process import hold
from rlgpt.composing.conversion import convert
from tests.bags.bag_stack import LAST, TOYS, make_bag_run, serving
from tests.launch_toys.launched import (
    PATIENCE,
    Launched,
    command,
    environment,
    failed,
    launched,
    refused,
    rlgpt,
)

NODES = {**TOYS, "planner": {**TOYS["planner"], "parameters": {"seconds": 0.3}}}
GOAL = {
    "task": {"id": "log", "prompt": "a log", "success": {"kind": "have", "name": "log"}},
    "limits": {},
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("echoing")
    (place / "launch").mkdir()
    (place / "launch" / "toys.yaml").write_text(yaml.safe_dump({"seed": 0, "nodes": NODES}))
    return place


@pytest.fixture(scope="module")
def live(place: Path) -> Iterator[Launched]:
    run = place / "runs" / "it"
    with launched("launch", "toys", "run=runs/it", cwd=place, run=run) as launch:
        launch.wait_for("there is no goal")
        yield launch


@contextmanager
def echoed(place: Path, *arguments: str) -> Iterator[Callable[[], dict[str, Any]]]:
    """The command in the background; each call returns its next line."""
    process = subprocess.Popen(
        command(*arguments), cwd=place, env=environment(), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    lines = process.stdout
    try:
        yield lambda: json.loads(lines.readline())
    finally:
        process.kill()
        process.wait(PATIENCE)
        lines.close()


def test_service_echo_prints_requests_and_replies(live: Launched, place: Path) -> None:
    with echoed(place, "service", "echo", "talker/describe") as line:
        first = line()
        while first["kind"] != "request":
            first = line()
        assert first["caller"] == "caller"
        assert first["message"] == {"type": "Empty"}
        reply = line()
        assert (reply["kind"], reply["id"]) == ("reply", first["id"])
        assert reply["message"]["node"] == "talker"
        assert 0.0 < reply["took"] < PATIENCE


@contextmanager
def repeating(do: Callable[[], object]) -> Iterator[None]:
    """Do it again and again meanwhile: a subscription takes a moment to arrive."""
    over = threading.Event()

    def repeat() -> None:
        while not over.wait(0.05):
            do()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(PATIENCE)


def test_service_echo_prints_an_error_with_its_reason(live: Launched, place: Path) -> None:
    with rlgpt_package.connect(live.run) as stack:

        def reject() -> None:
            with suppress(RemoteError):
                stack.call("planner/set_parameters", {"values": {"wrong": 1}})

        with echoed(place, "service", "echo", "planner/*") as line, repeating(reject):
            seen = line()
            while seen["kind"] != "error":
                seen = line()
    assert seen["service"] == "planner/set_parameters"
    assert "planner has no parameter 'wrong'" in seen["text"]
    assert "message" not in seen


def test_action_echo_prints_the_goal_its_feedback_and_its_result(
    live: Launched, place: Path
) -> None:
    with (
        rlgpt_package.connect(live.run) as stack,
        echoed(place, "action", "echo", "planner/pursue") as line,
    ):
        numbers = itertools.count()

        def pursue() -> None:
            stack.send_goal("planner/pursue", GOAL, f"goal {next(numbers)}").result(PATIENCE)

        with repeating(pursue):
            seen = line()
            while seen["kind"] != "goal":
                seen = line()
            goal = seen["goal"]
            assert seen["message"]["task"]["prompt"] == "a log"
            kinds = []
            while kinds[-1:] != ["result"]:
                seen = line()
                if seen["goal"] == goal:
                    kinds.append(seen["kind"])
        assert set(kinds[:-1]) == {"feedback"}
        assert seen["message"]["success"] is True


def test_action_echo_prints_the_cancelling_of_a_goal(live: Launched, place: Path) -> None:
    goal = convert(GOAL, PursueGoal)
    numbers = itertools.count()
    with (
        serving(live.run, None) as bus,
        echoed(place, "action", "echo", "planner/*") as line,
    ):

        def cancel() -> None:
            id = f"cancelled {next(numbers)}"
            bus.send_goal(PURSUE, id, goal)
            bus.cancel_goal(PURSUE, id)
            with suppress(GoalCancelled):
                bus.run_goal(PURSUE, id, goal)

        with repeating(cancel):
            kinds: list[str] = []
            while not {"goal", "cancel", "cancelled"} <= set(kinds):
                kinds.append(line()["kind"])


def test_echo_ends_after_its_count_or_timeout_and_refuses_unknown_endpoints(
    live: Launched, place: Path
) -> None:
    done = rlgpt("service", "echo", "talker/describe", "--count", "3", cwd=place)
    assert (done.returncode, done.stdout.count("\n")) == (0, 3)
    silent = ("service", "echo", "planner/describe", "--timeout", "0.3")
    assert "planner/describe was not called for 0.3 s" in failed(*silent, cwd=place, code=1)
    for arguments, words in (
        (("service", "echo", "talker/describ"), "did you mean `talker/describe`?"),
        (("service", "echo", "tolker/*"), "there is no node `tolker`; did you mean `talker`?"),
        (("service", "echo", "nosuch/*"), "there is no node `nosuch` (there are: "),
        (("action", "echo", "planner/persue"), "did you mean `planner/pursue`?"),
        (("service", "echo", "talker/describe", "--count", "-1"), "--count -1"),
    ):
        assert words in refused(*arguments, cwd=place)


def test_echo_ends_with_the_launch(place: Path) -> None:
    echoes = [
        ("topic", "echo", "talker/chatter"),
        ("topic", "echo", "talker/chatter", "--count", "100000"),
        ("service", "echo", "talker/describe", "--count", "100000"),
    ]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with (
        launched("launch", "toys", "run=runs/ends", cwd=place, run=place / "runs/ends") as launch,
        ExitStack() as open_processes,
    ):
        launch.wait_for("there is no goal")
        processes: list[subprocess.Popen[str]] = []
        for echo in echoes:
            arguments = command(*echo, "--run", "ends")
            process = subprocess.Popen(arguments, cwd=place, env=environment(), **pipes)
            processes.append(open_processes.enter_context(process))
            open_processes.callback(process.kill)
        for process in processes:  # it listens
            assert process.stdout is not None
            assert process.stdout.readline()
        launch.stop()
        texts = [process.communicate(timeout=PATIENCE)[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 1, 1]
    assert "ends has ended, after " in texts[1]
    assert " of 100000" in texts[2]


@pytest.mark.parametrize(
    "arguments",
    [
        ("topic", "echo", "talker/last"),
        ("service", "echo", "talker/set_pause"),
        ("bag", "record", "talker/last", "--output", "a.mcap"),
    ],
)
def test_what_waits_ends_where_the_launch_ends_while_nodes_are_asked(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    run = make_bag_run(tmp_path)
    launcher = hold(run / "lock", "launcher")
    with serving(run, "talker") as bus:

        def described(_: Empty) -> Description:
            launcher.close()
            return Description(node="talker", epoch="1", pid=1, endpoints=bus.endpoints)

        bus.advertise(LAST)
        bus.serve(set_pause("talker"), lambda _: Pause(node="talker", paused=False))
        bus.serve(describe("talker"), described)
        done = rlgpt(*arguments, "--run", str(run), cwd=tmp_path)
    assert launcher.closed
    assert done.returncode == 0, done.stderr
