"""`rlgpt.connect`: a run from Python, with real nodes under a real launcher."""

import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import yaml

import rlgpt
from messages.bus import DeadlineExceeded, GoalCancelled, RemoteError
from messages.plan import PURSUE, Limits, PursueGoal
from messages.system import Heartbeat, Parameters, get_parameters
from messages.world import Condition, Task
from rlgpt.connecting import Connection, StackError
from tests.bags.bag_stack import LAST, Number, describe_itself, make_bag_run, serving
from tests.launch_toys.launched import (
    CHECKOUT,
    PATIENCE,
    Launched,
    environment,
    eventually,
    launched,
)
from tests.launch_toys.launched import rlgpt as command

LAUNCH = {
    "seed": 0,
    "nodes": {
        "talker": {"module": "tests.launch_toys.talker"},
        "planner": {"module": "tests.launch_toys.planner", "parameters": {"seconds": 0.5}},
    },
}
TASK = Task(id="log", prompt="a log", success=Condition(kind="have", name="log"))
GOAL = {"task": {"id": "log", "prompt": "a log", "success": {"kind": "have", "name": "log"}}}
ENOUGH = PATIENCE / 2  # seconds


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launched]:
    place = tmp_path_factory.mktemp("connecting")
    (place / "launch").mkdir()
    (place / "launch" / "toys.yaml").write_text(yaml.safe_dump(LAUNCH))
    run = place / "runs" / "it"
    with launched("launch", "toys", "run=runs/it", cwd=place, run=run) as launch:
        launch.wait_for("there is no goal")
        yield launch


@pytest.fixture
def stack(live: Launched) -> Iterator[Connection]:
    with rlgpt.connect(live.run) as stack:
        yield stack


def test_the_example_on_the_page_runs_and_prints_what_it_states(live: Launched) -> None:
    page = (CHECKOUT / "docs" / "connecting.md").read_text()
    found = re.search(r"```python\n(.*?)```", page, flags=re.S)
    assert found is not None
    done = subprocess.run(
        [sys.executable, "-c", found[1]],
        cwd=live.run.parents[1],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "{'planner': 'ready', 'talker': 'ready'}"
    assert "'seconds': 0.5" in lines[1]
    assert lines[2] == "0 of 1 subtasks are done"
    assert "95 % of 20 episodes" in lines
    assert lines[-1] == "['log']"


def test_importing_rlgpt_loads_no_library() -> None:
    """A notebook imports it at once; torch and numba are for those who need them."""
    code = (
        "import sys, rlgpt; before = set(sys.modules)\n"
        "assert not before & {'zmq', 'numpy', 'torch', 'numba', 'hydra', 'rich'}, before\n"
        "rlgpt.connect\n"
        "import rlgpt.connecting\n"
        "assert not set(sys.modules) & {'torch', 'numba', 'hydra'}, set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=environment())


def test_all_topics_are_listed_on_a_fresh_run(live: Launched, stack: Connection) -> None:
    """None of these but the heartbeats was published by then."""
    names = {"planner/plan", "planner/pursue/feedback", "talker/chatter", "planner/diagnostics"}
    assert names <= set(stack.names("topic"))
    assert "planner/pursue" in stack.names("action")
    assert "launcher/list" in stack.names("service")
    listed = command("topic", "list", "--run", str(live.run), cwd=live.run)
    assert all(name in listed.stdout for name in names)


def test_a_subscription_yields_messages_until_it_is_closed_or_times_out(stack: Connection) -> None:
    with stack.subscribe("talker/heartbeat") as beats:
        assert isinstance(beats.receive(ENOUGH), Heartbeat)
    messages = stack.subscribe("talker/chatter", timeout=ENOUGH)  # of a type that messages/ has not
    body = next(messages)
    assert body["text"] == "hello"
    assert np.array_equal(body["numbers"], [0, 1, 2])
    messages.close()
    assert all(each["text"] == "hello" for each in messages)  # what had come by then
    with pytest.raises(StackError, match="the subscription is closed"):
        messages.receive(ENOUGH)
    assert list(stack.subscribe("talker/diagnostics", timeout=0.05)) == []
    with pytest.raises(DeadlineExceeded, match=r"no message within 0\.05 seconds"):
        stack.subscribe("talker/diagnostics").receive(0.05)


def test_a_later_subscription_to_a_latched_topic_begins_with_its_last_message(
    stack: Connection,
) -> None:
    stack.send_goal("planner/pursue", GOAL | {"limits": {}}, "latched").result(ENOUGH)
    first = stack.subscribe("planner/plan").receive(ENOUGH)
    assert stack.subscribe("planner/plan").receive(ENOUGH) == first
    assert stack.call(get_parameters("planner")).values["seconds"] == 0.5


def test_a_latched_topic_of_ones_own_keeps_what_was_published_to_a_subscriber(
    tmp_path: Path,
) -> None:
    run = make_bag_run(tmp_path)
    with serving(run, "talker") as bus:
        bus.advertise(LAST)
        describe_itself(bus, "talker")
        with rlgpt.connect(run) as stack:
            first = stack.subscribe(LAST.name)
            eventually(lambda: bus.subscribed(LAST))
            bus.publish(LAST, Number(number=1))
            assert first.receive(ENOUGH)["number"] == 1
            assert stack.subscribe(LAST.name).receive(ENOUGH)["number"] == 1


def test_a_goal_yields_feedback_and_its_result_and_the_same_id_is_not_done_again(
    stack: Connection, live: Launched
) -> None:
    goal = stack.send_goal(PURSUE, PursueGoal(task=TASK, limits=Limits()), "mine")
    assert [status.goal for status in goal.feedback(ENOUGH)][:1] == ["a log"]
    report = goal.result(ENOUGH)
    assert goal.done
    assert report.success
    # The same id from another connection: answered from memory, not done once more.
    with rlgpt.connect(live.run) as other:
        assert other.send_goal("planner/pursue", GOAL | {"limits": {}}, "mine").result() == report
        differs = other.send_goal("planner/pursue", GOAL | {"limits": {"iterations": 7}}, "mine")
        with pytest.raises(StackError, match="another request was sent as the goal mine before"):
            differs.result()
    assert (live.run / "planner" / "pursued").read_text().splitlines().count("mine") == 1


def test_cancelling_a_goal_ends_it_and_leaves_the_others(stack: Connection) -> None:
    first = stack.send_goal("planner/pursue", GOAL | {"limits": {}})
    goal = stack.send_goal("planner/pursue", GOAL | {"limits": {}})
    with pytest.raises(DeadlineExceeded, match=f"goal {goal.id} has no result after"):
        goal.result(0.01)
    goal.cancel()
    with pytest.raises(GoalCancelled):
        goal.result(ENOUGH)
    assert first.result(ENOUGH).success


def test_a_goal_and_a_subscription_outlive_a_restart_of_the_node(
    stack: Connection, live: Launched
) -> None:
    messages = stack.subscribe("talker/chatter", timeout=ENOUGH)
    next(messages)
    goal = stack.send_goal("planner/pursue", GOAL | {"limits": {}}, "restarted")
    next(iter(goal))
    before = {node.node: node.pid for node in stack.nodes()}
    for node in ("planner", "talker"):
        stack.call("launcher/kill", {"node": node})
    assert goal.result(ENOUGH).success

    def restarted() -> bool:
        return all(n.state == "ready" and n.pid != before[n.node] for n in stack.nodes())

    eventually(restarted)
    fresh = stack.subscribe("talker/heartbeat", timeout=ENOUGH)
    assert any(beat.pid != before["talker"] for beat in fresh)
    assert isinstance(stack.call("talker/get_parameters"), Parameters)
    messages.close()


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda s: s.call("planer/describe"), "no node `planer` in it; did you mean `planner`?"),
        (
            lambda s: s.call("planner/descibe"),
            "no service `planner/descibe`; did you mean `planner/",
        ),
        (lambda s: s.call("planner/pursue"), "there is no service `planner/pursue`"),
        (lambda s: s.call(3), "3 is no service and no name of one"),
        (
            lambda s: s.subscribe("planner/plam"),
            "no topic `planner/plam`; did you mean `planner/pl",
        ),
        (
            lambda s: s.send_goal("planner/persue"),
            "did you mean `planner/pursue`? (there are: plan",
        ),
        (lambda s: s.names("topics"), "there is no kind `topics`; did you mean `topic`?"),
        (lambda s: s.subscribe("planner/plan", keep=0), "keep=0: 1 to 10,000,000 messages"),
        (lambda s: s.subscribe("planner/plan", keep=1.5), "keep=1.5: 1 to 10,000,000 messages"),
        (lambda s: s.subscribe("planner/plan", "5"), "a timeout is a number of seconds or None"),
        (lambda s: s.call("talker/get_parameters", timeout=math.nan), "a timeout is a number of"),
        (lambda s: s.send_goal("planner/pursue", GOAL | {"limits": {}}, 5), "id is a text, not 5"),
        (
            lambda s: s.send_goal("planner/pursue", GOAL | {"limits": {}}, ""),
            "a text, not ''",
        ),
        (
            lambda s: s.send_goal("planner/pursue", GOAL | {"limits": {}}, "\ud800"),
            "all of which can be printed",
        ),
        (
            lambda s: s.call("talker/set_parameters", {"values": {"loudness": 10**30}}),
            "talker/set_parameters: ",
        ),
        (
            lambda s: s.call("talker/get_parameters", object()),
            "names to values, got object",
        ),
        (lambda s: s.call("talker/get_parameters", np.zeros(3)), "names to values, got an array"),
        (lambda s: s.names(None), "there is no kind `None`"),
        (
            lambda s: s.call("talker/set_parameters", {"value": {}}),
            "talker/set_parameters: there is no `value`; did you mean `values`?",
        ),
        (
            lambda s: s.call("talker/set_parameters", {"values": 3}),
            "talker/set_parameters: `values`: expected a mapping of names to values, got `int`",
        ),
        (
            lambda s: s.call("talker/set_parameters", Limits()),
            "talker/set_parameters takes SetParameters or a dict, not Limits",
        ),
        (lambda s: s.send_goal("planner/pursue", GOAL), "planner/pursue: `limits` is missing"),
        (
            lambda s: s.send_goal("planner/pursue", GOAL | {"limits": {"iterations": "two"}}),
            "planner/pursue: `limits.iterations`: expected `int`, got `str`",
        ),
    ],
)
def test_calls_with_wrong_names_or_values_are_refused_in_words(
    stack: Connection, ask, words: str
) -> None:
    with pytest.raises(StackError, match=re.escape(words)):
        ask(stack)


def test_a_closed_connection_refuses_everything_in_words(live: Launched) -> None:
    stack = rlgpt.connect(live.run)
    stack.close()
    for ask in (
        stack.nodes,
        lambda: stack.names("topic"),
        lambda: stack.subscribe("planner/plan"),
        lambda: stack.subscribe("planner/plan"),  # once more: nothing is left of the first
        lambda: stack.call("talker/get_parameters"),
    ):
        with pytest.raises(StackError, match=r"the connection to .* is closed"):
            ask()


def test_a_refusal_of_the_node_is_passed_on(stack: Connection) -> None:
    with pytest.raises(RemoteError, match="'loudness' cannot be set while talker runs"):
        stack.call("talker/set_parameters", {"values": {"loudness": 4}})


def test_a_service_of_ones_own_node_is_called_by_the_service_and_not_by_its_name(
    tmp_path: Path, live: Launched
) -> None:
    """A service of a node of one's own is passed itself; its name alone has no types."""
    sys.path.insert(0, str(CHECKOUT / "docs" / "examples" / "echo_node"))
    try:
        from echo import LAST, SAY, Say  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    run = tmp_path / "run"
    run.mkdir()
    (run / "config.yaml").write_text("nodes: {echo: {}}\n")
    script = CHECKOUT / "docs" / "examples" / "echo_node" / "echo.py"
    node = subprocess.Popen(
        [sys.executable, str(script), "--run", str(run)],
        env=environment(),
        stderr=subprocess.DEVNULL,
    )
    try:
        eventually(lambda: (run / "s" / "echo.srv").exists())
        stack = None
        while stack is None:  # it binds before it answers
            try:
                stack = rlgpt.connect(run)
            except StackError:
                assert node.poll() is None
        with stack:
            assert stack.call(SAY, {"text": "you"}, timeout=ENOUGH).text == "hello you"
            assert stack.call(SAY, Say(text="me"), timeout=ENOUGH).times == 2
            assert stack.subscribe(LAST).receive(ENOUGH).text == "hello me"
            with pytest.raises(
                StackError, match="types of `echo/say` are not declared in messages"
            ):
                stack.call("echo/say", {"text": "you"})
            with pytest.raises(StackError, match="the launcher of run does not answer"):
                stack.nodes()
    finally:
        node.terminate()
        node.wait(PATIENCE)


def test_connecting_to_a_missing_ended_or_damaged_run_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StackError, match="there is no run folder runs/it"):
        rlgpt.connect("runs/it")
    with pytest.raises(StackError, match=r"there is no run in \./runs; start one with"):
        rlgpt.connect()
    with pytest.raises(StackError, match="'' names no run: give a run folder"):
        rlgpt.connect("")
    run = tmp_path / "runs" / "it"
    run.mkdir(parents=True)
    (run / "config.yaml").write_text("nodes: {echo: {}}\n")
    with pytest.raises(StackError, match="it is not running; `rlgpt resume it` starts"):
        rlgpt.connect("it")
    (run / "config.yaml").write_text("nodes: [\n")
    with pytest.raises(StackError, match="is not valid YAML"):
        rlgpt.connect(os.path.relpath(run))


def test_who_waits_is_told_that_the_launch_has_ended_and_goes_on_when_it_is_resumed(
    tmp_path: Path,
) -> None:
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "toys.yaml").write_text(yaml.safe_dump(LAUNCH))
    run = tmp_path / "runs" / "it"
    slow = "nodes.planner.parameters.seconds=1000"
    with launched("launch", "toys", "run=runs/it", slow, cwd=tmp_path, run=run) as launch:
        launch.wait_for("there is no goal")
        stack = rlgpt.connect(run)
        beats = stack.subscribe("talker/heartbeat")
        goal = stack.send_goal("planner/pursue", GOAL | {"limits": {}})
        assert next(iter(goal))
        assert launch.stop() == 130
    with stack:
        ended = "it has ended; `rlgpt resume .*` goes on with it"
        with pytest.raises(StackError, match=ended):
            for _ in beats:
                pass
        with pytest.raises(StackError, match=ended):
            for _ in goal:
                pass
        with pytest.raises(StackError, match=f"has no result: {ended}"):
            goal.result()
        with launched("resume", "runs/it", cwd=tmp_path, run=run) as launch:
            launch.wait_for("all nodes are ready")
            assert isinstance(beats.receive(PATIENCE), Heartbeat)
            assert not goal.done
            assert launch.stop() == 130
