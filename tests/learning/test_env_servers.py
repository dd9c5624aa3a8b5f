"""Several env servers as processes: in a launch, under a learner, on two machines."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console

from messages.bus import Bus, RemoteError
from messages.empty import Empty
from messages.system import get_parameters
from messages.training import TRAIN, Train
from messages.world import CLOSE, Activity, CloseSession
from nodes.common.storage.episode_store import FILE as EPISODES
from nodes.common.storage.episode_store import StoredEpisodes
from nodes.config import env_servers
from nodes.times import WAITS, TimesLine
from rlgpt.composing.replicas import with_replicas
from rlgpt.launching.launch_progress import LaunchView, LiveView
from rlgpt.profiling.trainings import trainings
from rlgpt.report import node_files, played_episodes
from rlgpt.report.summary import env_server_steps
from rlgpt.runs.run_folder import env_server_folders
from tests.bus_processes import ECHO, Process, make_run
from tests.launch_toys.launched import CHECKOUT, eventually, launched, refused, rlgpt
from tests.launching.two_machines import Machine, machines, make_tools
from tests.learning.corridor import corridor_spec
from tests.learning.learner_stack import PATIENCE, LearnerStack
from tests.node.example_node import echo

__all__ = ["machines"]  # a fixture

TOY = "tests.launch_toys.env_server"


def several(place: Path, count: object, **more: Any) -> Path:
    (place / "launch").mkdir()
    nodes = {"env_server": {"module": TOY, "replicas": count}, **more}
    (place / "launch" / "several.yaml").write_text(yaml.safe_dump({"nodes": nodes}))
    return place


def test_replicas_become_nodes_with_names_and_parameters_of_their_own() -> None:
    composed = {
        "nodes": {
            "env_server": {
                "replicas": 3,
                "parameters": {"world": {"kind": "any"}, "jail": True},
            },
            "learner": {},
            "env_server_2": {"parameters": {"jail": False}},
        }
    }
    nodes = with_replicas(composed, "it")["nodes"]
    assert list(nodes) == ["env_server", "env_server_2", "env_server_3", "learner"]
    assert "replicas" not in nodes["env_server"]
    assert nodes["env_server_2"]["parameters"] == {"world": {"kind": "any"}, "jail": False}
    assert nodes["env_server_3"]["parameters"] == nodes["env_server"]["parameters"]
    assert env_servers({"nodes": nodes}) == ["env_server", "env_server_2", "env_server_3"]
    one = {"nodes": {"env_server": {"replicas": 1}}}
    assert with_replicas(one, "it") == {"nodes": {"env_server": {}}}


@pytest.mark.parametrize("count", [0, 65, "two", True, None])
def test_an_invalid_number_of_replicas_is_refused(tmp_path: Path, count: object) -> None:
    several(tmp_path, count)
    sentence = refused("launch", "several", cwd=tmp_path)
    assert "several: nodes.env_server.replicas is" in sentence
    assert "1 to 64" in sentence


def test_replicas_of_another_node_are_refused(tmp_path: Path) -> None:
    several(tmp_path, 1, learner={"module": TOY})
    sentence = refused("launch", "several", "nodes.learner.replicas=2", cwd=tmp_path)
    assert "only env_server may be started more than once" in sentence


def test_folders_of_env_servers_are_found_and_sorted_by_number(tmp_path: Path) -> None:
    for name in ("env_server_10", "env_server_2", "env_server", "env_server_films", "learner"):
        (tmp_path / name).mkdir()
    found = [folder.name for folder in env_server_folders(tmp_path)]
    assert found == ["env_server", "env_server_2", "env_server_10"]


def test_episodes_steps_and_kills_of_all_env_servers_are_added_up(tmp_path: Path) -> None:
    for name, seeds in (("env_server", [1, 2]), ("env_server_2", [3])):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "steps").write_text("70")
        jail = {"jail": "on" if name == "env_server" else "partial (no landlock)", "killed": 1}
        (folder / "jail.json").write_text(json.dumps(jail))
        kept = StoredEpisodes(folder / EPISODES)
        kept.keep_trained("a/train", [(seed, "success", 10) for seed in seeds])
        kept.close()
    (counted,) = played_episodes.trained(tmp_path)
    assert (counted.play, counted.episodes, counted.steps) == ("a/train", 3, 30)
    assert counted.successes == 3
    assert node_files.jail(tmp_path) == node_files.Jail(jail="partial (no landlock)", killed=2)
    assert env_server_steps(tmp_path) == 140
    assert env_server_steps(tmp_path / "learner") is None


def test_time_waited_for_any_env_server_is_counted_to_the_training(tmp_path: Path) -> None:
    def line(**spent: float) -> TimesLine:
        return TimesLine(at=10.0, seconds=10.0, spent={"a/train": spent})

    waits = {WAITS + "env_server": 3.0, WAITS + "env_server_2": 1.0, "update": 6.0}
    lines = {
        "learner": [line(**waits)],
        "env_server": [line(world=3.0)],
        "env_server_2": [line(world=5.0)],
    }
    (training,) = trainings(lines)
    parts = {part.part: part.seconds for part in training.parts}
    # Eight seconds of worlds, side by side, for which was waited four.
    assert parts == {"update": 6.0, "world": 4.0}


def test_the_terminal_shows_the_load_of_all_env_servers_together(tmp_path: Path) -> None:
    one = Activity(sessions=1, environments=32, steps=100, steps_per_second=50.0)
    view = LaunchView(Console(file=io.StringIO(), force_terminal=True, width=100))
    view.on_activity("env_server", one)
    view.on_activity("env_server_2", one)
    shown = Console(file=io.StringIO(), width=100)
    shown.print(LiveView(view, list)._render())
    assert "world: 64 environments, 200 steps, 100 steps/s" in shown.file.getvalue()  # pyright: ignore[reportAttributeAccessIssue]


def test_a_launch_starts_all_replicas_and_continues_without_one_that_is_invalid(
    tmp_path: Path,
) -> None:
    several(tmp_path, 3, env_server_3={"parameters": {"code": 2}})
    run = tmp_path / "out"
    with launched("launch", "several", f"run={run}", cwd=tmp_path, run=run) as launch:
        launch.wait_for("all nodes are ready")
        assert "env_server_3: this is invalid; the launch goes on without it" in launch.text
        done = rlgpt("node", "kill", "env_server_2", "--run", "out", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        launch.wait_for("env_server_2 is ready", count=2)
        assert launch.stop() == 130
        events = launch.events()
    assert events.count("env_server start") == 1
    assert events.count("env_server_2 start") == 2
    assert events.count("env_server_3 start") == 1


def test_a_launch_whose_first_env_server_is_invalid_fails(tmp_path: Path) -> None:
    several(tmp_path, 2)
    run = tmp_path / "out"
    wrong = "nodes.env_server.parameters.code=2"
    with launched("launch", "several", wrong, f"run={run}", cwd=tmp_path, run=run) as launch:
        assert launch.ended() == 2
        assert "env_server: this is invalid" in launch.text


def test_a_node_of_another_name_has_its_endpoints_under_that_name(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    first, second = Process(ECHO, run), Process(ECHO, run, "--name", "echo_2")
    bus = Bus(run=run)
    try:
        for node in ("echo", "echo_2"):
            assert bus.call(echo.SAY.at(node), echo.Say(text="hello"), timeout=PATIENCE)
        assert (run / "echo_2" / "node.log").exists()
    finally:
        bus.close()
        first.kill()
        second.kill()


def test_one_that_is_added_by_hand_has_the_parameters_of_the_first(tmp_path: Path) -> None:
    nodes = {
        "echo": {"parameters": {"log_level": "warning"}},
        "echo_2": {"kind_of": "echo"},
        "echo_3": {"kind_of": "echo", "parameters": {"log_level": "error"}},
    }
    run = make_run(tmp_path, nodes=nodes)
    added = [Process(ECHO, run, "--name", name) for name in ("echo_2", "echo_3")]
    bus = Bus(run=run)
    try:
        levels = [
            bus.call(get_parameters(name), Empty(), timeout=PATIENCE).values["log_level"]
            for name in ("echo_2", "echo_3")
        ]
        assert levels == ["warning", "error"]
    finally:
        bus.close()
        for each in added:
            each.kill()


class Servers(LearnerStack):
    """A learner and corridors on three env servers, of which the third is not started."""

    names = ("env_server", "env_server_2", "env_server_3")

    def __init__(self, run: Path) -> None:
        super().__init__(run)
        config = yaml.safe_load((run / "config.yaml").read_text())
        for name in self.names[1:]:
            config["nodes"][name] = {"kind_of": "env_server"}
        (run / "config.yaml").write_text(yaml.safe_dump(config))
        self.kill("learner")
        self.start("env_server_2")
        self.start("learner")

    def start(self, node: str) -> None:
        super().start(node)
        if node in self.names[1:]:
            self.wait_answers(node)

    def wait_answers(self, node: str) -> None:
        bus = Bus(run=self.run)
        try:
            bus.call(CLOSE.at(node), CloseSession(session="none"), timeout=PATIENCE)
        except RemoteError:
            pass  # it is there: it knows of no such session
        finally:
            bus.close()

    @property
    def log(self) -> str:
        return (self.run / "learner" / "node.log").read_text()


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    made = Servers(tmp_path)
    yield made
    made.close()


def test_a_training_continues_when_one_env_server_joins_and_one_is_killed(servers: Servers) -> None:
    id, budget = "demo/several/train", 20_000
    spec = corridor_spec(budget=budget, stop_at=2.0, macro=False)
    first = servers.processes["env_server"]

    def while_nothing_goes_on(node: str) -> None:
        """A step takes as long as its slowest server: the training waits while ``node`` starts."""
        first.send_signal(signal.SIGSTOP)
        servers.start(node)
        first.send_signal(signal.SIGCONT)

    servers.bus.send_goal(TRAIN, id, Train(spec=spec), timeout=PATIENCE)
    servers.wait_for(lambda: servers.samples(id) > 500)
    while_nothing_goes_on("env_server_3")
    eventually(
        lambda: "env_server_3 is taken in: 6 environments, 16 of 16 are there" in servers.log,
        lambda: servers.log,
    )
    servers.kill("env_server_2")
    eventually(lambda: "env_server_2 is lost" in servers.log, lambda: servers.log)
    assert "its 5 episodes, and what it played in this rollout" in servers.log
    kept = servers.samples(id)
    servers.wait_for(lambda: servers.samples(id) > kept)  # it goes on with two
    while_nothing_goes_on("env_server_2")
    eventually(lambda: "env_server_2 is taken in" in servers.log, lambda: servers.log)
    trained = servers.bus.run_goal(TRAIN, id, Train(spec=spec), timeout=4 * PATIENCE)
    samples = [count for count, _ in trained.curve]
    assert samples == sorted(set(samples))
    assert budget <= trained.samples < budget + 16
    assert samples[-1] == trained.samples == servers.samples(id)
    assert trained.reason == "the budget is spent"
    assert trained.success_rate > 0.9
    assert "discarded, uncounted, and the session opened again" not in servers.log


BUDGET = 100_000
SMALL = "learner.environments=8 learner.minibatch=64 learner.hidden=32 +world.area=64"


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_env_servers_on_two_machines_train_on_when_one_loses_its_own(
    tmp_path: Path, machines: tuple[str, str]
) -> None:
    """The page's steps: the second env server is reached by the network, with keys; it is killed,
    and comes back."""
    page = (CHECKOUT / "docs" / "several_env_servers.md").read_text()
    launch_file = re.search(r"```yaml\n(# launch/wide.yaml\n.*?)```", page, flags=re.S)
    assert launch_file is not None
    _, training, running = re.findall(r"```sh\n(.*?)```", page, flags=re.S)
    here, there = tmp_path / "a", tmp_path / "b"
    tools = make_tools(tmp_path, there)
    for folder in (here / "launch", here / "mine", there / "runs" / "wide"):
        folder.mkdir(parents=True)
    (here / "launch" / "wide.yaml").write_text(launch_file[1])
    for file in (CHECKOUT / "docs" / "examples" / "train").iterdir():
        shutil.copy(file, here / "mine")
    spec = here / "mine" / "harvest_log.yaml"
    values = yaml.safe_load(spec.read_text())
    # Nothing succeeds without an attack: the whole budget is played, in single steps.
    actions = [each for each in values["actions"] if each != "attack"]
    long = {"actions": actions, "macros": [], "prefix": [], "budget": BUDGET}
    spec.write_text(yaml.safe_dump({**values, **long}))
    a, b = Machine(machines[0], here, tools), Machine(machines[1], there, tools)
    a.do("rlgpt keys wide")
    (there / "runs" / "keys").mkdir(mode=0o700)
    for key in (*(here / "runs/keys").glob("*.key"), here / "runs/keys/env_server_2.key_secret"):
        shutil.copy(key, there / "runs" / "keys")
    run, config = here / "runs" / "wide", there / "runs" / "wide" / "config.yaml"
    log = run / "learner" / "node.log"
    started: list[subprocess.Popen[str]] = []

    def start_there(times: int) -> None:
        """Its env server, while the training waits for the one that is here."""
        first = node_process(run / "env_server")
        os.kill(first, signal.SIGSTOP)
        started.append(b.start(running.strip()))
        eventually(lambda: b.output().count("env_server_2 is ready") == times, b.output)
        os.kill(first, signal.SIGCONT)

    try:
        command = training.strip().replace("SPEC.yaml", "mine/harvest_log.yaml")
        started.append(a.start(f"{command} {SMALL}"))
        eventually(lambda: (run / "config.yaml").exists(), a.output)
        shutil.copy(run / "config.yaml", config)
        eventually(lambda: "learner: " in a.output(), a.output)  # it trains with one
        start_there(1)
        eventually(lambda: "env_server_2 is taken in" in log.read_text(), a.output)
        os.kill(node_process(config.parent / "env_server_2"), signal.SIGKILL)
        eventually(lambda: "env_server_2 is lost" in log.read_text(), a.output)
        start_there(2)
        eventually(lambda: log.read_text().count("env_server_2 is taken in") == 2, a.output)
        assert started[0].wait(1500) == 0, (a.output(), b.output())
    finally:
        for process in started:
            process.terminate()
            process.wait(PATIENCE)
    assert "files of env_server_2 were brought to wide/env_server_2" in a.output()
    summary = json.loads((run / "summary.json").read_text())
    assert BUDGET - 8 < summary["samples"]["training"] <= BUDGET
    counted = sum(int((run / name / "steps").read_text()) for name in Servers.names[:2])
    assert summary["env_server_steps"] == counted > summary["samples"]["training"]
    # It was reached by the network alone.
    assert not (run / "s" / "env_server_2.srv").exists()


def node_process(folder: Path) -> int:
    """Of the node that holds this folder."""
    return int((folder / "lock").read_text())
