"""Placed nodes for which there is no room: what is refused, and what waits and says so."""

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from rlgpt.cluster import host_choice, placed_process
from rlgpt.cluster.found_cluster import Cluster, HostFound
from rlgpt.cluster.placed_process import NO_ROOM, Signals
from rlgpt.cluster.remote_process import RemoteNode
from rlgpt.composing.configuration import NodePlan, Stack, check
from rlgpt.launching.child import Child
from rlgpt.launching.readiness import PLACED, STATUS, UNPLACED, Readiness
from rlgpt.refused import Refused
from tests.launch_toys.launched import launched, printed
from tests.launching.direct_ray import DirectRay
from tests.launching.test_cluster_end import NODE, stack_of

TOY = "tests.launch_toys.env_server"


def stack(count: int, cpus: int, learner: int) -> Stack:
    """So many env servers, and the CPUs of each and of the learner."""
    nodes: dict[str, Any] = {
        f"env_server_{number}": {"kind_of": "env_server", "resources": {"cpus": cpus}}
        for number in range(2, count + 1)
    }
    nodes["env_server"] = {"resources": {"cpus": cpus}}
    if learner:
        nodes["learner"] = {"resources": {"cpus": learner}}
    return check({"name": "it", "run": "", "engine": "ray", "nodes": nodes}, "it")


@pytest.mark.parametrize(
    ("count", "cpus", "learner", "excluded", "words"),
    [
        (6, 1, 0, [], ""),
        (7, 1, 0, [], "no room for all 7 nodes that it is to place: once the largest have theirs"),
        (7, 1, 0, ["env_server_7"], ""),
        (2, 1, 4, [], ""),  # the learner first, though it comes last in the launch file
        (3, 1, 4, [], "none is left for env_server (1 CPUs); take fewer env servers"),
        (2, 3, 0, [], "none is left for env_server (3 CPUs)"),
        (9, 0, 4, [], ""),
    ],
)
def test_nodes_that_do_not_fit_together_are_refused(
    monkeypatch: pytest.MonkeyPatch,
    count: int,
    cpus: int,
    learner: int,
    excluded: list[str],
    words: str,
) -> None:
    hosts = [HostFound(address="10.0.0.1", cpus=2), HostFound(address="10.0.0.2", cpus=4)]
    cluster = Cluster(address="10.0.0.1:6379", host="10.0.0.1", hosts=hosts)
    monkeypatch.setattr(host_choice, "find_cluster", lambda: cluster)
    wanted = stack(count, cpus, learner)
    if not words:
        assert host_choice.cluster_of(wanted, excluded) == "10.0.0.1"
        return
    with pytest.raises(Refused) as refused:
        host_choice.cluster_of(wanted, excluded)
    assert words in refused.value.sentence


def launch_of(place: Path, **parameters: Any) -> Path:
    """Two env servers, with parameters of their own."""
    (place / "launch").mkdir()
    nodes = {
        "env_server": {"module": TOY, "replicas": 2, "patience": 0.5},
        **{name: {"parameters": of} for name, of in parameters.items() if name != "env_server"},
    }
    nodes["env_server"]["parameters"] = parameters.get("env_server", {})
    (place / "launch" / "two.yaml").write_text(yaml.safe_dump({"nodes": nodes}))
    return place / "out"


def test_a_launch_begins_without_an_env_server_that_waits_for_room(tmp_path: Path) -> None:
    run = launch_of(tmp_path, env_server_2={"room": False})
    with launched("launch", "two", f"run={run}", cwd=tmp_path, run=run) as launch:
        launch.wait_for("env_server_2 waits for room")
        launch.wait_for("all nodes are ready")
        assert "waits for room" in printed("node", "list", "--run", "out", cwd=tmp_path)
        assert launch.stop() == 130
        assert sorted(launch.events()[-2:]) == ["env_server stop", "env_server_2 stop"]
        assert "was not ready" not in launch.text


def test_a_node_that_has_a_host_has_its_patience_from_then_on(tmp_path: Path) -> None:
    run = launch_of(tmp_path, env_server={"room": True, "silent": True})
    with launched("launch", "two", f"run={run}", cwd=tmp_path, run=run) as launch:
        assert launch.ended() == 1
        assert "env_server: was not ready within 0.5 s" in launch.text


def test_the_time_without_a_host_does_not_count(tmp_path: Path) -> None:
    child = Child("it", ["sleep", "1000"], NodePlan(patience=50.0), tmp_path)
    (tmp_path / "it").mkdir()
    child.spawn("")
    try:
        begun = child.late_at
        assert begun is not None
        assert child.placing([UNPLACED]) == ""
        assert child.late_at is None
        assert child.placing([f"{STATUS}waits"]) == "waits"
        assert child.described().notes == ["waits"]
        before = time.monotonic()
        assert child.placing([PLACED]) == ""
        assert child.described().notes == []
        assert child.late_at is not None
        assert child.late_at >= before + 50.0 > begun
        assert child.placing([f"{STATUS}of another kind"]) == ""
    finally:
        child.send(signal.SIGKILL)
        child.reap()


class FullCluster(DirectRay):
    """There is room at the third look."""

    looks = 0

    def wait(self, answers: list[Any], timeout: float) -> tuple[list[Any], list[Any]]:
        self.looks += 1
        return (answers, []) if self.looks > 2 else ([], answers)


def test_the_supervisor_is_told_of_the_waiting_and_of_the_host(
    tmp_path: Path, signals: Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    readiness = Readiness()
    monkeypatch.setenv("NOTIFY_SOCKET", readiness.address)
    monkeypatch.setattr(placed_process, "ROOM", 0.0)

    def stopping(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        if name == "put":
            signal.raise_signal(signal.SIGTERM)
        return method

    ray = FullCluster(stopping)
    node = RemoteNode(ray, ray.options().remote(), stack_of(tmp_path), tmp_path, NODE, signals)
    try:
        assert node.play() == 0
        lines = [line for _, lines in readiness.messages() for line in lines]
        assert lines == [UNPLACED, f"{STATUS}{NO_ROOM}", PLACED]
    finally:
        readiness.close()
