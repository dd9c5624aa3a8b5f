"""``engine=ray``: env servers on the hosts of a Ray cluster. `make test-ray` runs it.

Two hosts are two network namespaces, each with a Ray of its own. The launcher and the head are on
the first one.
"""

import importlib.util
import json
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from rlgpt.curves.joining import Key, read_curves
from tests.launch_toys.launched import CHECKOUT, command, environment, eventually, refused
from tests.launching.ray_cluster import Cluster, processes
from tests.launching.toy_table import TABLE, make_toy_table
from tests.launching.two_machines import A, B, machines

__all__ = ["machines"]  # a fixture

HERE = importlib.util.find_spec("ray") is not None
needs_ray = [
    pytest.mark.ray,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not HERE, reason="Ray is not installed here; `make test-ray` installs it"),
]
EXAMPLE = CHECKOUT / "docs" / "examples" / "train"
SMALL = ("learner.environments=8", "seed=1")
RAY = ("engine=ray",)
OF_THE_CLOCK = ("second", "time", "busy", "wait")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "mine")
    spec = tmp_path / "mine" / "harvest_log.yaml"
    text = spec.read_text().replace("budget: 60000", "budget: 30000")
    spec.write_text(text.replace("stop_at: 0.9", "stop_at: 1.0"))
    return tmp_path


@pytest.fixture
def cluster(machines: tuple[str, str]) -> Iterator[Callable[..., Cluster]]:
    made: list[Cluster] = []

    def make(cpus: int, token: bool = True) -> Cluster:
        made.append(Cluster(*machines, cpus, token))
        return made[-1]

    yield make
    for each in made:
        each.close()


def train(cluster: Cluster, place: Path, *arguments: str) -> "subprocess.Popen[str]":
    return on_host_a(cluster, place, "train", "mine/harvest_log.yaml", *SMALL, *arguments)


def on_host_a(cluster: Cluster, place: Path, *arguments: str) -> "subprocess.Popen[str]":
    """An `rlgpt` command."""
    line = command(*arguments)
    with (place / "output").open("w") as out:
        return subprocess.Popen(
            ["ip", "netns", "exec", cluster.a, *line],
            cwd=place,
            env=cluster.environment,
            stdout=out,
            stderr=out,
            text=True,
        )


def said(place: Path) -> str:
    return (place / "output").read_text()


def learned(run: Path) -> dict[Key, tuple[list[int], list[float]]]:
    """The curves of a run, but for those of the clock."""
    curves = read_curves(run / "learner")
    return {
        key: (np.asarray(steps).tolist(), np.asarray(values).tolist())
        for key, (steps, values, _) in curves.items()
        if not any(word in key[1] for word in OF_THE_CLOCK)
    }


def placed_on(run: Path, host: str, node: str = "env_server") -> int:
    """How often a node has begun on this host."""
    log = run / node / "output.log"
    return log.read_text().count(f"runs on the host {host}") if log.exists() else 0


class TestTwoHosts:
    pytestmark = needs_ray

    def test_two_hosts_train_the_same_curve_as_one(
        self, cluster: Callable[..., Cluster], place: Path
    ) -> None:
        two = cluster(cpus=0)
        two.join()
        assert train(two, place, *RAY, "run=two").wait(600) == 0, said(place)
        assert placed_on(place / "two", B) == 1
        # Its files came back, and nothing is left on its host.
        assert int((place / "two" / "env_server" / "steps").read_text()) > 0
        one = subprocess.run(
            command("train", "mine/harvest_log.yaml", *SMALL, "run=one"),
            cwd=place,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert one.returncode == 0, one.stderr
        assert learned(place / "one")
        assert learned(place / "two") == learned(place / "one")

    def test_a_host_that_is_killed_costs_only_its_episodes(
        self, cluster: Callable[..., Cluster], place: Path
    ) -> None:
        two = cluster(cpus=1)
        two.join()
        launch = train(two, place, *RAY, "run=it")
        run = place / "it"
        try:
            eventually(lambda: "learner: " in said(place), lambda: said(place))
            assert placed_on(run, B) == 1
            assert processes(two.b)
            two.kill(two.b)
            assert launch.wait(600) == 0, said(place)
        finally:
            launch.kill()
            launch.wait()
        assert placed_on(run, "10.77.0.1") == 1, said(place)
        assert " keys " not in said(place)  # those of the learner are not rejected meanwhile
        summary = json.loads((run / "summary.json").read_text())
        assert summary["samples"]["training"] >= 30_000 - 8
        restarts = json.loads((run / "launches.json").read_text())
        assert "env_server" in json.dumps(restarts)
        assert "its host was lost" in (run / "env_server" / "output.log").read_text()

    def test_a_learner_goes_on_on_another_host_from_its_checkpoint(
        self, cluster: Callable[..., Cluster], place: Path
    ) -> None:
        two = cluster(cpus=4)
        two.join()
        # Host b has one CPU: the learner goes there, and the env server does not fit.
        placed = ("nodes.learner.resources.cpus=1", "nodes.env_server.resources.cpus=2")
        launch = train(two, place, *RAY, *placed, "run=it")
        run = place / "it"
        try:
            # Each step may take long where many processes begin at once.
            eventually(lambda: "all nodes are ready" in said(place), lambda: said(place))
            eventually(lambda: list(run.glob("learner/**/spec.json")), lambda: said(place))
            eventually(lambda: list(run.glob("learner/**/checkpoint.pt")), lambda: said(place))
            assert placed_on(run, B, "learner") == 1
            two.kill(two.b)
            assert launch.wait(600) == 0, said(place)
        finally:
            launch.kill()
            launch.wait()
        assert placed_on(run, A, "learner") == 1, said(place)
        assert "goes on from its checkpoint at" in (run / "learner" / "output.log").read_text()
        summary = json.loads((run / "summary.json").read_text())
        assert summary["samples"]["training"] >= 30_000 - 8
        assert learned(run)

    def test_a_language_model_answers_from_another_host_and_goes_on_when_that_is_killed(
        self, cluster: Callable[..., Cluster], tmp_path: Path
    ) -> None:
        two = cluster(cpus=4)
        two.join()
        # Host b has one CPU: the llm node goes there, and the env server does not fit.
        placed = ("nodes.llm.resources.cpus=1", "nodes.env_server.resources.cpus=2")
        goal = ("launch", "harvest_log", "llm=paper_example", "limits.iterations=2")
        launch = on_host_a(two, tmp_path, *goal, *RAY, *placed, "run=it")
        run = tmp_path / "it"
        try:
            tried = "fast_agent: trying program 0"
            eventually(lambda: tried in said(tmp_path), lambda: said(tmp_path))
            assert placed_on(run, B, "llm") == 1
            transcript = run / "llm" / "transcript.jsonl"  # is copied from there
            eventually(lambda: transcript.exists() and transcript.read_text())
            before = transcript.read_text()
            two.kill(two.b)
            assert launch.wait(600) in (0, 1), said(tmp_path)  # two iterations may be too few
        finally:
            launch.kill()
            launch.wait()
        assert placed_on(run, A, "llm") == 1, said(tmp_path)
        summary = json.loads((run / "summary.json").read_text())
        assert len(summary["iterations"]) == 2, said(tmp_path)
        assert transcript.read_text().startswith(before)

    def test_resources_that_no_host_has_are_refused(
        self, cluster: Callable[..., Cluster], place: Path
    ) -> None:
        one = cluster(cpus=1)
        wanted = "nodes.learner.resources.gpus=1"
        assert train(one, place, *RAY, wanted, "run=it").wait(300) == 2
        assert "no host of the cluster has 1 GPUs; the most is 0" in said(place)
        assert "Traceback" not in said(place)
        assert not (place / "it").exists()

    def test_another_token_than_that_of_the_cluster_is_refused(
        self, cluster: Callable[..., Cluster], place: Path
    ) -> None:
        one = cluster(cpus=1)
        other = one.folder / "other"
        other.touch(mode=0o600)
        other.write_text("0" * 64)
        one.environment |= {"RAY_AUTH_TOKEN_PATH": str(other)}
        assert train(one, place, *RAY, "run=it").wait(300) == 2
        assert f"does not accept the token in {other}" in said(place)
        assert "Traceback" not in said(place)
        assert not (place / "it").exists()

    def test_a_cluster_that_answers_without_a_token_is_refused(
        self, cluster: Callable[..., Cluster], place: Path
    ) -> None:
        open_one = cluster(cpus=1, token=False)
        file = open_one.folder / "token"
        file.touch(mode=0o600)
        file.write_text("0" * 64)
        open_one.environment |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(file)}
        assert train(open_one, place, *RAY, "run=it").wait(300) == 2
        assert "runs code for every client that reaches it" in said(place)
        assert "Traceback" not in said(place)
        assert not (place / "it").exists()


OF_THE_RUN = {"wall_s", "written", "run"}
"""Fields of a cell that two runs of it do not share."""


def cell(file: Path) -> dict[str, Any]:
    return {k: v for k, v in json.loads(file.read_text()).items() if k not in OF_THE_RUN}


def contents(run: Path) -> set[str]:
    """The files of a run folder that a table's cell leaves, films too."""
    found = (str(path.relative_to(run)) for path in run.rglob("*") if path.is_file())
    return {each for each in found if not each.endswith(("-wal", "-shm", "lock"))}


class TestTables:
    pytestmark = needs_ray

    def test_a_cell_on_another_host_is_that_of_a_local_table(
        self, cluster: Callable[..., Cluster], tmp_path: Path
    ) -> None:
        two = cluster(cpus=0)
        two.join()
        filmed = "nodes.env_server.parameters.longest_film=100"  # of itself a cell films nothing
        table = ("table", "harvest", "--quick", "--only", "method=rlgpt", filmed)
        away = on_host_a(two, tmp_path, *table, *RAY, "--results", "away")
        assert away.wait(600) == 0, said(tmp_path)
        (there,) = (tmp_path / "runs" / "cells").iterdir()
        assert f"runs on the host {B}" in (there / "launch.txt").read_text()
        here = on_host_a(two, tmp_path, *table, "--results", "here")
        assert here.wait(600) == 0, said(tmp_path)
        (local,) = {*(tmp_path / "runs" / "cells").iterdir()} - {there}
        file = "quick/harvest_log/rlgpt/seed-0.json"
        assert cell(tmp_path / "away" / file) == cell(tmp_path / "here" / file)
        assert contents(there) == contents(local)
        assert any(each.endswith(".mp4") for each in contents(there))

    def test_a_host_that_is_killed_costs_the_cells_on_it(
        self, cluster: Callable[..., Cluster], tmp_path: Path
    ) -> None:
        place = make_toy_table(tmp_path)
        table = {**TABLE, "methods": ["slow"], "seeds": [0, 1]}
        (place / "launch/table/toys.yaml").write_text(yaml.safe_dump(table))
        slow = yaml.safe_dump({"nodes": {"planner": {"parameters": {"seconds": 40.0}}}})
        (place / "launch/method/slow.yaml").write_text(f"# @package _global_\n{slow}")
        two = cluster(cpus=2)
        two.join()
        playing = on_host_a(two, place, "table", "toys", *RAY, "--jobs", "2")

        def on_b() -> list[Path]:
            printed = place.glob("runs/cells/*/launch.txt")
            return [p.parent for p in printed if f"runs on the host {B}" in p.read_text()]

        try:
            eventually(on_b, lambda: said(place))
            (lost,) = on_b()
            eventually(lambda: "plan: " in (lost / "launch.txt").read_text())
            two.kill(two.b)
            assert playing.wait(600) == 0, said(place)
        finally:
            playing.kill()
            playing.wait()
        lost_name = lost.relative_to(place)
        assert f"its host was lost, and it is begun again ({lost_name})" in said(place)
        results = [json.loads(p.read_text()) for p in place.glob("results/log/slow/seed-*.json")]
        assert len(results) == 2
        assert lost.name not in [each["run"] for each in results]
        assert not list(place.glob("results/log/slow/.*"))

    def test_a_stopped_table_goes_on_on_the_cluster(
        self, cluster: Callable[..., Cluster], tmp_path: Path
    ) -> None:
        place = make_toy_table(tmp_path)
        two = cluster(cpus=0)
        two.join()
        table = ("table", "toys", *RAY, "--only", "method=slow")
        playing = on_host_a(two, place, *table)

        def begun() -> list[Path]:
            return [
                p.parent for p in place.glob("runs/cells/*/launch.txt") if "plan: " in p.read_text()
            ]

        eventually(begun, lambda: said(place))
        playing.send_signal(signal.SIGINT)
        assert playing.wait(300) == 130, said(place)
        (run,) = begun()
        config = (run / "config.yaml").read_text()
        (run / "config.yaml").write_text(config.replace("seconds: 100.0", "seconds: 0.1"))
        assert on_host_a(two, place, *table).wait(300) == 0, said(place)
        assert "log slow seed 0: goes on" in said(place)
        launches = json.loads((run / "launches.json").read_text())
        assert [each["how"] for each in launches] == ["interrupted", "finished"]


@pytest.mark.ray
@pytest.mark.skipif(not HERE, reason="Ray is not installed here; `make test-ray` installs it")
def test_a_launch_without_a_cluster_is_refused(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "0" * 64)
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    sentence = refused("train", "mine/harvest_log.yaml", *RAY, cwd=place)
    assert "no Ray cluster can be reached at 127.0.0.1:1" in sentence
    monkeypatch.delenv("RAY_AUTH_MODE")
    sentence = refused("train", "mine/harvest_log.yaml", *RAY, cwd=place)
    assert "needs a cluster with token authentication" in sentence
    assert not (place / "runs").exists()


@pytest.mark.skipif(HERE, reason="Ray is installed here")
def test_a_launch_without_ray_is_refused(place: Path) -> None:
    sentence = refused("train", "mine/harvest_log.yaml", *RAY, cwd=place)
    assert "engine=ray needs Ray, which is not installed; in the checkout: " in sentence
    assert not (place / "runs").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*RAY, "hosts.env_server={host: 10.0.0.1, port: 7000}"), "engine=ray chooses its host"),
        (("nodes.learner.resources.gpus=1",), "nodes.learner.resources are for engine=ray"),
        (("nodes.env_server.resources.cpus=2",), "nodes.env_server.resources are for engine=ray"),
        ((*RAY, "mineclip.weights=/w"), "mineclip.weights are not brought to other hosts"),
        (("engine=slurm",), "engine"),
    ],
)
def test_what_an_engine_cannot_do_is_refused(
    place: Path, arguments: tuple[str, ...], words: str
) -> None:
    assert words in refused("train", "mine/harvest_log.yaml", *arguments, cwd=place)
    assert not (place / "runs").exists()
