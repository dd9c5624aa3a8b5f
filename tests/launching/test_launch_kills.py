"""kill -9 of each of the seven nodes in turn, in the middle of training: nothing is lost, nothing
is counted twice. A torn checkpoint and garbage on every socket do not change that either. The stack
is the real one; only the budgets are small."""

import contextlib
import json
import os
import signal
import socket
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
import zmq

from messages.bus.actions.goal_store import FINISHED
from nodes.common.storage.stored_goals import StoredGoals
from nodes.learner.checkpoints import checkpoint
from tests.launch_toys.launched import launched
from tests.launch_toys.watching import DEADLINE, NODES, Watch, ended, summary

BUDGET = 12_000
LAST_DECISION = 4 * 150
"""The longest macro in each environment, with which a training may overrun its budget."""
UNDISTURBED = 3_000
"""Samples of a training without a kill: the comparison does not depend on them."""
OVERRIDES = (
    "llm=paper_example",  # which trains
    "limits.success_rate=1.0",
    "limits.iterations=4",
    "nodes.fast_agent.parameters.trial_episodes=8",
    "nodes.fast_agent.parameters.evaluation_episodes=8",
    "nodes.fast_agent.parameters.skills=skills",  # each run its own: they are compared
    # Training asks the world for four steps at a time, so two of them take longer than seven
    # restarts do.
    "nodes.learner.parameters.environments=4",
    "nodes.learner.parameters.minibatch=64",
    "nodes.learner.parameters.hidden=32",
    "nodes.learner.parameters.checkpoint_seconds=0.5",
)


def stack(place: Path, name: str, budget: int):
    run = place / name
    spent = f"nodes.fast_agent.parameters.budget={budget}"
    return launched("launch", "harvest_log", f"run={run}", spent, *OVERRIDES, cwd=place, run=run)


def shape(run: Path) -> list[tuple[int, str, int]]:
    rows = summary(run)["iterations"]
    return [(row["number"], row["decomposition"], row["episodes"]) for row in rows]


def goals(run: Path) -> dict[tuple[str, str], str]:
    """(action, goal) -> status, of all goals whose ids do not depend on how often a play began."""
    found: dict[tuple[str, str], str] = {}
    for path in run.glob("*/goals.sqlite"):
        store = StoredGoals(path)
        with sqlite3.connect(path) as table:
            named = table.execute("select action, goal from goals").fetchall()
        table.close()
        for action, goal in named:
            if "/play-" not in goal:
                record = store.load(action, goal)
                assert record is not None
                found[action, goal] = record.status
        store.close()
    return found


def trained(run: Path) -> dict[int, int]:
    """Iteration -> samples that its policy's checkpoint has counted."""
    found: dict[int, int] = {}
    for path in run.glob(f"learner/*/{checkpoint.NAME}"):
        counters = checkpoint.read(path)["counters"]
        assert counters["samples"] < BUDGET + LAST_DECISION
        number = int(path.parent.name.split("+iteration-")[1].split("+")[0])
        found[number] = counters["samples"] + counters["prefix_samples"]
    return found


def check_samples(run: Path) -> None:
    """Every sample of training is in exactly one row, once; the rows add up to the totals."""
    result = summary(run)
    rows = {row["number"]: row["samples"] for row in result["iterations"]}
    counted = trained(run)
    assert counted
    assert {n: samples["training"] for n, samples in rows.items() if samples["training"]} == counted
    for kind in ("training", "trial", "evaluation", "total"):
        assert sum(samples[kind] for samples in rows.values()) == result["samples"][kind]


def check_questions(run: Path) -> None:
    """Every question was answered once; its other askings were answered from memory."""
    lines = (run / "llm" / "transcript.jsonl").read_text().splitlines()
    ids = [json.loads(line)["answered"]["id"] for line in lines]
    assert len(ids) == len(set(ids))


def tear_checkpoint(run: Path, learner: int) -> None:
    """Cut off the newest checkpoint of a training that goes on."""
    until = time.monotonic() + DEADLINE
    while not list(run.glob(f"learner/*/{checkpoint.PREVIOUS}")):
        assert time.monotonic() < until
        time.sleep(0.05)
    os.kill(learner, signal.SIGSTOP)  # so that no newer one takes its place
    while "\nState:\tT" not in Path(f"/proc/{learner}/status").read_text():
        assert time.monotonic() < until
        time.sleep(0.005)
    # An earlier training left checkpoints, too: the one that goes on has the newest.
    torn = [
        path.with_name(checkpoint.NAME) for path in run.glob(f"learner/*/{checkpoint.PREVIOUS}")
    ]
    newest = max(torn, key=lambda path: path.stat().st_mtime)
    # Another file by the same name: while a save goes on, both names are links to the same one.
    half = newest.read_bytes()[: newest.stat().st_size // 2]
    newest.unlink()
    newest.write_bytes(half)


def pour_garbage(run: Path) -> None:
    """Bytes that mean nothing, into every socket of a run: as ZeroMQ messages and bare."""
    sockets = sorted((run / "s").iterdir())
    assert len(sockets) >= 2 * len(NODES)
    context: zmq.Context[Any] = zmq.Context()
    for path in sockets:
        with socket.socket(socket.AF_UNIX) as bare, contextlib.suppress(OSError):
            bare.connect(str(path))
            bare.sendall(os.urandom(4096))  # it may have hung up after the first few
        line = context.socket(zmq.DEALER)
        line.setsockopt(zmq.LINGER, 2000)
        line.connect(f"ipc://{path}")
        for frames in ([b""], [b"{"], [os.urandom(64)], [os.urandom(9), b"\xc1", b""]):
            line.send_multipart(frames)
        line.close()
    context.term()


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_every_node_is_killed_while_training(run_folder: Path) -> None:
    with stack(run_folder, "killed", BUDGET) as launch:
        launch.wait_for("all nodes are ready")
        watch = Watch(launch)
        watch.until(lambda: bool(watch.training))
        for node in NODES:
            watch.more_training()
            if node == "learner":
                tear_checkpoint(launch.run, watch.state(node).pid)
            watch.kill(node)
        watch.more_training()  # they all work together again
        watch.close()
        assert ended(launch) == 0, launch.text
        assert "Traceback" not in launch.text
        result = (launch.run / "learner" / "node.log").read_text()
        assert "goes on from the previous checkpoint" in result
    with stack(run_folder, "straight", UNDISTURBED) as straight:
        straight.wait_for("all nodes are ready")
        watch = Watch(straight)
        watch.until(lambda: bool(watch.training))
        pour_garbage(straight.run)
        watch.more_training()
        watch.close()
        assert ended(straight) == 0, straight.text
        assert "Traceback" not in straight.text
    for node in NODES:
        assert "dropped" in (straight.run / node / "node.log").read_text(), node
    assert summary(straight.run)["restarts"] == dict.fromkeys(NODES, 0)

    assert summary(launch.run)["restarts"] == dict.fromkeys(NODES, 1)
    assert shape(launch.run) == shape(straight.run)
    assert [number for number, _, _ in shape(launch.run)] == [0, 1, 2, 3]
    assert goals(launch.run) == goals(straight.run)
    assert set(goals(launch.run).values()) <= FINISHED
    for run in (launch.run, straight.run):
        check_samples(run)
        check_questions(run)
    # Undisturbed, what the rows say was spent is what the worlds were stepped.
    assert summary(straight.run)["env_server_steps"] == summary(straight.run)["samples"]["total"]
