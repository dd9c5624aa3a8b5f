"""Several env servers as processes: in a launch, under a learner, on two machines."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from messages.bus import Bus, RemoteError
from messages.training import TRAIN, Train
from messages.world import CLOSE, SessionName
from nodes.config import env_servers
from rlgpt.replicas import with_replicas
from rlgpt.run_folder import env_server_folders
from tests.bus_processes import ECHO, PATIENCE, Process, make_run
from tests.corridor import corridor_spec
from tests.launch_toys.launched import eventually, launched, refused, rlgpt
from tests.test_learner import House
from tests.test_node import echo

TOY = "tests.launch_toys.env_server"


def several(place: Path, count: object, **more: Any) -> Path:
    (place / "launch").mkdir()
    nodes = {"env_server": {"module": TOY, "replicas": count}, **more}
    (place / "launch" / "several.yaml").write_text(yaml.safe_dump({"nodes": nodes}))
    return place


def test_replicas_are_nodes_of_their_own() -> None:
    composed = {
        "nodes": {
            "env_server": {
                "replicas": 3,
                "parameters": {"world": {"kind": "embedded"}, "jail": True},
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
def test_a_number_that_cannot_be_is_refused(tmp_path: Path, count: object) -> None:
    several(tmp_path, count)
    sentence = refused("launch", "several", cwd=tmp_path)
    assert "several: nodes.env_server.replicas is" in sentence
    assert "1 to 64" in sentence


def test_other_nodes_have_no_replicas(tmp_path: Path) -> None:
    several(tmp_path, 1, learner={"module": TOY})
    sentence = refused("launch", "several", "nodes.learner.replicas=2", cwd=tmp_path)
    assert "only env_server may be started more than once" in sentence


def test_the_folders_of_all_env_servers(tmp_path: Path) -> None:
    for name in ("env_server_10", "env_server_2", "env_server", "env_server_films", "learner"):
        (tmp_path / name).mkdir()
    found = [folder.name for folder in env_server_folders(tmp_path)]
    assert found == ["env_server", "env_server_2", "env_server_10"]


def test_a_launch_starts_them_and_goes_on_without_one_that_cannot_run(tmp_path: Path) -> None:
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


def test_the_first_one_is_needed(tmp_path: Path) -> None:
    several(tmp_path, 2)
    run = tmp_path / "out"
    wrong = "nodes.env_server.parameters.code=2"
    with launched("launch", "several", wrong, f"run={run}", cwd=tmp_path, run=run) as launch:
        assert launch.ended() == 1
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


class Servers(House):
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
            bus.call(CLOSE.at(node), SessionName(session="none"), timeout=PATIENCE)
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


def test_one_joins_and_one_is_killed_while_it_trains(servers: Servers) -> None:
    id, budget = "demo/several/train", 60_000
    spec = corridor_spec(budget=budget, stop_at=2.0, macro=False)
    first = servers.processes["env_server"]

    def while_nothing_goes_on(node: str) -> None:
        """A step takes as long as its slowest server: the training waits while ``node`` starts."""
        first.send_signal(signal.SIGSTOP)
        servers.start(node)
        first.send_signal(signal.SIGCONT)

    servers.bus.send_goal(TRAIN, id, Train(spec=spec))
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
    trained = servers.train(id, spec)
    samples = [count for count, _ in trained.curve]
    assert samples == sorted(set(samples))
    assert budget - 16 < trained.samples <= budget
    assert samples[-1] == trained.samples == servers.samples(id)
    assert trained.reason == "the budget is spent"
    assert trained.success_rate > 0.9
    assert "discarded, uncounted, and the session opened again" not in servers.log
