"""Real launches of small processes: order, restarts, orphans, and nodes run by hand."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
import yaml

from nodes.common.running.exit_codes import ALREADY_RUNNING
from rlgpt.composing.configuration import NodePlan, Restart
from rlgpt.launching.child import LONGEST_BACKOFF, Child
from tests.launch_toys.launched import (
    PATIENCE,
    Launched,
    command,
    environment,
    eventually,
    failed,
    launched,
    printed,
    processes_of,
    refused,
    rlgpt,
)
from tests.launch_toys.process_tree import members

THREE = {
    "first": {"module": "tests.launch_toys.first"},
    "second": {"module": "tests.launch_toys.second", "after": ["first"]},
    "third": {"module": "tests.launch_toys.third", "after": ["second"]},
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "three.yaml").write_text(yaml.safe_dump({"nodes": THREE}))
    return tmp_path


def three(place: Path, *arguments: str):
    run = place / "out"
    return launched("launch", "three", f"run={run}", *arguments, cwd=place, run=run)


def ready(launch: Launched) -> None:
    launch.wait_for("all nodes are ready")


@contextmanager
def run_by_hand(
    place: Path, node: str, *overrides: str
) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """`rlgpt run` of a node in another terminal, and what it prints there."""
    with subprocess.Popen(
        command("run", node, "--run", "out", *overrides),
        cwd=place,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as by_hand:
        assert by_hand.stdout is not None
        yield by_hand, by_hand.stdout


def test_nodes_start_in_order_and_stop_in_reverse(place: Path) -> None:
    with three(place) as launch:
        ready(launch)
        assert launch.stop() == 130
        names = ["first", "second", "third"]
        starts, stops = [f"{n} start" for n in names], [f"{n} stop" for n in reversed(names)]
        assert launch.events() == starts + stops
        assert "rlgpt resume out" in launch.text
        assert "Traceback" not in launch.text


def test_a_run_folder_that_is_removed_or_moved_ends_the_launch(place: Path) -> None:
    with three(place) as launch:
        ready(launch)
        launch.run.rename(place / "elsewhere")
        # As the learner's next checkpoint does. What is written there is no run any more.
        (launch.run / "learner" / "policy").mkdir(parents=True)
        assert launch.ended() == 1  # by itself: what it did from then on would be lost
        assert (
            "rlgpt: the run folder out was removed or moved while it ran: launch again, or `rlgpt "
            "resume` it where it is now\n" in launch.text
        )
        assert "rlgpt resume out" not in launch.text
        assert "Traceback" not in launch.text


def test_sigterm_stops_the_nodes_in_order_too(place: Path) -> None:
    with three(place) as launch:
        ready(launch)
        assert launch.stop(signal.SIGTERM) == 128 + signal.SIGTERM
        assert launch.events()[-1] == "first stop"


def test_failing_node_is_started_again_with_growing_pauses(place: Path) -> None:
    with three(place, "nodes.second.parameters.fail_times=3") as launch:
        ready(launch)
        pauses = [
            line.split("started again in ")[1].split()[0]
            for line in launch.lines
            if "second ended with code 1" in line
        ]
        assert pauses == ["0.2", "0.4", "0.8"]
        listed = printed("node", "list", "--run", "out", cwd=place)
        assert [line.split()[3] for line in listed.splitlines()[1:]] == ["0", "3", "0"]


def test_node_that_keeps_failing_ends_the_launch(place: Path) -> None:
    limits = ("nodes.second.restart.max=2", "nodes.second.restart.backoff=0.01")
    with three(place, "nodes.second.parameters.fail_times=99", *limits) as launch:
        assert launch.ended() == 1
        assert "second: ended with code 1; 2 restarts did not get it ready" in launch.text
        assert "second: failing start 3" in launch.text  # the last words of its log
        assert launch.events()[-1] == "first stop"


def test_node_that_runs_elsewhere_is_not_started_again(place: Path) -> None:
    with three(place, "nodes.second.parameters.code=3") as launch:
        assert launch.ended() == 1
        assert launch.events() == ["first start", "second start", "first stop"]
        assert "rlgpt: second: this is invalid" in launch.text


def test_node_that_refuses_its_configuration_is_not_started_again(place: Path) -> None:
    """Nothing was done: no run folder is left."""
    with three(place, "nodes.second.parameters.code=2") as launch:
        assert launch.ended() == 2
        assert launch.text.count("rlgpt: second: this is invalid") == 1
        assert not launch.run.exists()


def test_node_that_is_never_ready_ends_the_launch(place: Path) -> None:
    silent = ("nodes.second.parameters.silent=true", "nodes.second.patience=0.5")
    with three(place, *silent) as launch:
        assert launch.ended() == 1
        assert "second: was not ready within 0.5 s" in launch.text


def test_module_that_is_no_node_ends_the_launch_at_its_second_start(place: Path) -> None:
    with three(place, "nodes.second.module=this") as launch:
        assert launch.ended() == 1
        assert "second: ended twice with code 0 before it was ready: is `this` the" in launch.text
        assert launch.text.count("second ended with code 0; started again") == 1


def test_node_that_cannot_be_started_ends_the_launch(place: Path) -> None:
    (place / "out").mkdir()
    (place / "out" / "third").write_text("in the way")
    with three(place) as launch:
        assert launch.ended() == 1
        assert "third: cannot be started: File exists" in launch.text
        assert launch.events() == ["first start", "second start", "second stop", "first stop"]


@pytest.mark.parametrize("patience", ["inf", "1e300"])
def test_endless_patience_is_accepted(place: Path, patience: str) -> None:
    with three(place, f"nodes.first.patience={patience}") as launch:
        ready(launch)
        assert launch.stop() == 130
        assert "Traceback" not in launch.text


def test_node_that_takes_long_to_fail_at_its_start_is_given_up_too(place: Path) -> None:
    """Its failures are never `max` within the window."""
    child = Child("first", ["first"], NodePlan(restart=Restart(max=3, window=0)), place)
    child.state = "starting"
    assert [child.next_backoff() is None for _ in range(4)] == [False, False, False, True]
    child.state = "ready"
    assert child.next_backoff() is not None


def test_pauses_between_restarts_stop_growing(place: Path) -> None:
    restart = Restart(max=5000, window=1e9, backoff=0.1)
    child = Child("first", ["first"], NodePlan(restart=restart), place)
    pauses = [child.next_backoff() for _ in range(2000)]
    assert pauses[:3] == [0.1, 0.2, 0.4]
    assert pauses[-1] == LONGEST_BACKOFF


def test_killed_launcher_leaves_no_process(place: Path) -> None:
    with three(place, "nodes.second.parameters.helper=true") as launch:
        ready(launch)
        assert len(processes_of(launch.run)) >= 4
        launch.process.kill()
        eventually(lambda: not processes_of(launch.run), lambda: processes_of(launch.run))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_a_guardian_is_replaced_and_sent_all_nodes(place: Path, number: signal.Signals) -> None:
    with three(place, "nodes.second.parameters.helper=true") as launch:
        ready(launch)
        first = guardian_of(launch)
        os.kill(first, number)
        printed("node", "kill", "second", "--run", "out", cwd=place)  # it is not held up by that
        eventually(lambda: guardian_of(launch) not in (0, first), lambda: launch.text)
        launch.wait_for("the guardian process was killed")
        assert launch.process.poll() is None
        launch.process.kill()
        eventually(lambda: not processes_of(launch.run), lambda: processes_of(launch.run))


def test_a_stopped_guardian_does_not_hold_up_the_end_of_a_launch(place: Path) -> None:
    with three(place) as launch:
        ready(launch)
        os.kill(guardian_of(launch), signal.SIGSTOP)
        assert launch.stop() == 130


def guardian_of(launch: Launched) -> int:
    """0 while there is none."""
    pid = launch.process.pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        try:
            if b"guardian.py" in Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
        except OSError:
            continue
    return 0


def test_helper_of_a_node_ends_with_it(place: Path) -> None:
    with three(place, "nodes.second.parameters.helper=true") as launch:
        ready(launch)
        before = set(processes_of(launch.run))
        printed("node", "kill", "second", "--run", "out", cwd=place)
        launch.wait_for("second is ready", 2)
        eventually(lambda: len(before & set(processes_of(launch.run))) == len(before) - 2)
        assert launch.stop() == 130


def test_second_signal_stops_a_node_that_ignores_the_first(place: Path) -> None:
    with three(place, "nodes.third.parameters.deaf=true") as launch:
        ready(launch)
        launch.process.send_signal(signal.SIGINT)
        eventually(lambda: "stopping" in launch.text, lambda: launch.text)
        assert launch.stop() == 130


def test_node_restart_and_kill_start_a_node_again_and_refuse_an_unknown_one(place: Path) -> None:
    with three(place) as launch:
        ready(launch)
        done = printed("node", "restart", "second", "--run", "out", cwd=place)
        assert done.startswith("second is ready again")
        assert launch.events()[-2:] == ["second stop", "second start"]
        done = printed("node", "kill", "third", "--run", "out", cwd=place)
        assert done.startswith("third is ready again")
        launch.wait_for("third was ended by SIGKILL")
        sentence = refused("node", "restart", "secnod", "--run", "out", cwd=place)
        assert "there is no node `secnod`; did you mean `second`?" in sentence
        assert launch.stop() == 130


def test_run_takes_a_node_over_and_hands_it_back(place: Path) -> None:
    with three(place) as launch:
        ready(launch)
        with run_by_hand(place, "second", "a=1") as (by_hand, words):
            assert "this one takes its place" in words.readline()
            assert words.readline() == "second runs, ['a=1']\n"
            listed = printed("node", "list", "--run", "out", cwd=place).splitlines()
            assert listed[2].split()[:2] == ["second", "released"]
            # Its node is killed outright; it is handed back all the same.
            child = Path(f"/proc/{by_hand.pid}/task/{by_hand.pid}/children").read_text().split()
            os.kill(int(child[0]), signal.SIGKILL)
            assert by_hand.wait(PATIENCE) == 128 + signal.SIGKILL
        launch.wait_for("second is ready", 2)
        assert launch.stop() == 130


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_ended_during_the_release_leaves_the_node_to_the_launcher(
    place: Path, number: signal.Signals
) -> None:
    with three(place, "nodes.third.parameters.deaf=true") as launch:
        ready(launch)
        with run_by_hand(place, "third") as (by_hand, words):
            launch.wait_for("third is released")
            by_hand.send_signal(number)
            assert by_hand.wait(PATIENCE) == 130
            assert words.read() == "rlgpt: third is the launcher's again\n"
        launch.wait_for("third is taken back")
        rlgpt("node", "kill", "third", "--run", "out", cwd=place)
        launch.wait_for("third is ready", 2)
        launch.process.send_signal(signal.SIGINT)
        launch.wait_for("stopping")
        assert launch.stop() == 130


def test_node_kill_during_a_release_ends_the_node_and_leaves_it_released(place: Path) -> None:
    with three(place, "nodes.third.parameters.deaf=true") as launch:
        ready(launch)
        with run_by_hand(place, "third") as (by_hand, words):
            launch.wait_for("third is released")
            killed = rlgpt("node", "kill", "third", "--run", "out", cwd=place)
            assert "third is released" in killed.stderr, killed
            assert "this one takes its place" in words.readline()
            assert words.readline() == "third runs, []\n"
            listed = printed("node", "list", "--run", "out", cwd=place).splitlines()
            assert listed[3].split()[:2] == ["third", "released"]
            assert "third was ended" not in launch.text
            child = Path(f"/proc/{by_hand.pid}/task/{by_hand.pid}/children").read_text().split()
            os.kill(int(child[0]), signal.SIGKILL)
            assert by_hand.wait(PATIENCE) == 128 + signal.SIGKILL
        launch.wait_for("third is ready", 2)
        launch.process.send_signal(signal.SIGINT)
        launch.wait_for("stopping")
        assert launch.stop() == 130


def test_node_that_already_runs_elsewhere_at_its_restart_is_released(place: Path) -> None:
    with three(place) as launch:
        ready(launch)
        config = place / "out" / "config.yaml"
        launch_file = yaml.safe_load(config.read_text())
        launch_file["nodes"]["third"]["parameters"] = {"code": ALREADY_RUNNING}
        config.write_text(yaml.safe_dump(launch_file))
        rlgpt("node", "kill", "third", "--run", "out", cwd=place)
        launch.wait_for("third: this is invalid")
        listed = printed("node", "list", "--run", "out", cwd=place).splitlines()
        assert listed[3].split()[:2] == ["third", "released"]
        assert launch.stop() == 130


def test_left_out_node_is_run_by_the_user_and_never_by_the_launcher(place: Path) -> None:
    with three(place, "-second") as launch:
        ready(launch)
        assert "rlgpt run second --run out" in launch.text
        assert sorted(launch.events()) == ["first start", "third start"]
        with run_by_hand(place, "second") as (by_hand, words):
            assert "leaves second to you" in words.readline()
            assert words.readline() == "second runs, []\n"
            by_hand.terminate()
            assert by_hand.wait(PATIENCE) == 0
        assert launch.stop() == 130
        assert launch.events().count("second start") == 1


def test_run_starts_a_node_without_a_launcher(place: Path) -> None:
    with three(place) as launch:
        ready(launch)
        launch.stop()
    with run_by_hand(place, "second") as (by_hand, words):
        assert "no launcher of out runs on this machine; second runs alone" in words.readline()
        assert words.readline() == "second runs, []\n"
        by_hand.terminate()
        assert by_hand.wait(PATIENCE) == 0


def test_resume_goes_on_in_the_same_folder(place: Path) -> None:
    with three(place) as launch:
        ready(launch)
        launch.stop()
    moved = place / "moved"
    (place / "out").rename(moved)
    with launched("resume", "moved", cwd=place, run=moved) as launch:
        ready(launch)
        assert launch.stop() == 130
        assert launch.events().count("first start") == 2
    assert yaml.safe_load((moved / "config.yaml").read_text())["run"] == str(moved)


def test_only_a_node_without_heartbeats_is_killed_and_none_by_a_stopped_launch(place: Path) -> None:
    """Only time in which the launch receives counts: a stopped launch (Ctrl-Z) kills no node."""
    hang = {"restart": {"hang": 3.0, "max": 0}}  # a heartbeat a second, on a busy machine
    nodes = {"talker": {"module": "tests.launch_toys.talker", **hang}}
    (place / "launch" / "talking.yaml").write_text(yaml.safe_dump({"nodes": nodes}))
    run = place / "out"
    with launched("launch", "talking", f"run={run}", cwd=place, run=run) as launch:
        ready(launch)
        for _ in range(2):
            launch.process.send_signal(signal.SIGSTOP)
            time.sleep(4.0)
            launch.process.send_signal(signal.SIGCONT)
            assert "talker" in printed("node", "list", "--run", "out", cwd=place)
        assert "hangs" not in launch.text
        os.kill(int((run / "talker" / "lock").read_text()), signal.SIGSTOP)
        assert launch.ended() == 1
        assert "talker hangs; it is killed" in launch.text


def test_a_heartbeat_is_its_senders_whatever_name_is_in_it(place: Path) -> None:
    modules = {name: {"module": f"tests.launch_toys.{name}"} for name in ("talker", "impostor")}
    (place / "launch" / "talking.yaml").write_text(yaml.safe_dump({"nodes": modules}))
    run = place / "out"
    with launched("launch", "talking", f"run={run}", cwd=place, run=run) as launch:
        launch.wait_for("impostor: reports under a wrong name")
        nodes = json.loads(printed("node", "list", "--run", "out", "--json", cwd=place))
        notes = {each["node"]: each["notes"] for each in nodes}
        assert notes == {"talker": [], "impostor": ["reports under a wrong name"]}


def test_a_node_that_was_stopped_is_named_and_waited_for(place: Path) -> None:
    with three(place) as launch:
        ready(launch)
        pids = {each.kind: each.pid for each in members(launch.process.pid)}
        for node in ("second", "third"):  # both at once: it takes ten seconds until one is named
            os.kill(pids[node], signal.SIGSTOP)
        for node in ("second", "third"):
            words = f"{node} is stopped by a signal; `kill -CONT {pids[node]}` lets it go on"
            launch.wait_for(words)
        assert listed(place).count("stopped by a signal") == 2
        os.kill(pids["second"], signal.SIGCONT)
        eventually(lambda: listed(place).count("stopped by a signal") == 1)
        printed("node", "restart", "third", "--run", "out", cwd=place)
        assert "stopped by a signal" not in listed(place)
        assert launch.stop() == 130


def test_a_launcher_that_was_stopped_is_named(place: Path) -> None:
    with three(place) as launch:
        ready(launch)
        launch.process.send_signal(signal.SIGSTOP)
        pid = launch.process.pid
        words = f"was stopped, as by Ctrl-Z: `fg` in its terminal or `kill -CONT {pid}`"
        try:
            assert words in failed("node", "list", "--run", "out", cwd=place, code=1)
            assert words in failed("run", "third", "--run", "out", cwd=place, code=2)
        finally:
            launch.process.send_signal(signal.SIGCONT)
        assert launch.stop() == 130


def listed(place: Path) -> str:
    return printed("node", "list", "--run", "out", cwd=place)


def test_a_launch_without_a_jail_reports_it(place: Path) -> None:
    parameters = {"world": {"kind": "embedded", "area": 32}, "jail": False}
    nodes = {"env_server": {"parameters": parameters}, **THREE}
    (place / "launch" / "unjailed.yaml").write_text(yaml.safe_dump({"nodes": nodes}))
    run = place / "out"
    with launched("launch", "unjailed", f"run={run}", cwd=place, run=run) as launch:
        launch.wait_for("env_server: jail: off (jail=false)")
        ready(launch)
        eventually(lambda: Path(run / "env_server" / "jail.json").exists())
        listed = printed("node", "list", "--run", "out", cwd=place).splitlines()
        assert [line.endswith("jail: off (jail=false)") for line in listed[1:]] == [True] + [
            False
        ] * 3
        assert launch.stop() == 130
        assert launch.text.count("jail: off") == 1


def test_a_log_that_cannot_be_written_is_reported_once(place: Path) -> None:
    run = place / "out"
    run.mkdir()
    (run / "launcher.log").symlink_to("/dev/full")
    with three(place) as launch:
        ready(launch)
        launch.stop()
        assert launch.text.count("launcher.log cannot be written: No space left on device") == 1
        assert "Traceback" not in launch.text
