"""python -m benchmarks.acting [--turns 3] [--horizon 2000]: what a decision of a trained policy
takes where its session makes it, and where the learner makes it and sends it, in turns over a real
bus.

In a batch of 20 environments, of which all or one are played: what is left of a batch at its end is
often one.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import msgspec
import torch

from benchmarks.arguments import positive
from benchmarks.options import nodes
from benchmarks.training.worlds import steps_spec
from messages.bus import Bus
from messages.training import TRAIN, Act, Policy, Train, TrainingSpec
from messages.world import (
    CLOSE,
    INTERFACE,
    OPEN,
    CloseSession,
    Condition,
    OpenSession,
    SeedRange,
    TakeInterface,
)
from nodes.learner.acting import ActingSession, played_from_here, played_there
from nodes.learner.checkpoints.exporting import exported
from nodes.learner.checkpoints.policies import folder_of
from nodes.learner.checkpoints.state import load, stored_networks, stored_spaces
from nodes.learner.deciding import Deciding

SIZE = 20
NEVER = Condition(kind="have", name="diamond", quantity=64)  # so that episodes last


def main() -> None:
    parser = argparse.ArgumentParser(description="A decision here and there.")
    parser.add_argument("--turns", type=positive, default=3)
    parser.add_argument("--horizon", type=positive, default=2000, help="decisions of a turn")
    given = parser.parse_args()
    found: dict[tuple[int, str], list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="acting-") as folder, nodes(Path(folder)) as bus:
        spec = _spec(given.horizon)
        policy = bus.run_goal(TRAIN, "acting", Train(spec=spec)).policy
        for turn in range(given.turns):
            for playing in (SIZE, 1):
                for way in ("learner", "session"):
                    name = f"{turn}-{playing}-{way}"
                    micros = _decision(bus, Path(folder) / "run", spec, policy, name, playing, way)
                    found.setdefault((playing, way), []).append(micros)
                    print(f"{turn} {playing} of {SIZE}, by the {way}: {micros:,.0f} µs", flush=True)
    print("| µs a decision | by the learner | by the session | ratio |\n|---|---:|---:|---:|")
    for playing in (SIZE, 1):
        sent, own = found[playing, "learner"], found[playing, "session"]
        ratio = statistics.median(a / b for a, b in zip(sent, own, strict=True))
        of_each = " | ".join(f"{statistics.median(each):,.0f}" for each in (sent, own))
        print(f"| {playing} of {SIZE} | {of_each} | {ratio:.1f} |")


def _spec(horizon: int) -> TrainingSpec:
    spec = steps_spec(0, 4096)
    task = msgspec.structs.replace(spec.task, success=NEVER, horizon=horizon)
    interface = msgspec.structs.replace(spec.interface, success=NEVER, horizon=horizon)
    return msgspec.structs.replace(spec, task=task, interface=interface)


def _decision(
    bus: Bus, run: Path, spec: TrainingSpec, policy: Policy, name: str, playing: int, way: str
) -> float:
    """Microseconds of the clock for one decision of the batch."""
    state, _ = load(folder_of(run / "learner", policy), reads_only=True)
    assert state is not None
    network = stored_networks(state).actor
    seeds = SeedRange(first=100, count=SIZE)
    bus.call(OPEN, OpenSession(session=name, task=spec.task, size=SIZE, seeds=seeds))
    act = Act(session=name, policy=policy, environments=list(range(playing)))
    take = TakeInterface(session=name, interface=spec.interface, environments=act.environments)
    opened = bus.call(INTERFACE, take)
    session = ActingSession(bus.call, act)
    began = time.perf_counter()
    if way == "session":
        actor = exported(stored_spaces(state), network, greedy=False)
        played_there(session, actor, 0, lambda: None)
    else:
        generator = torch.Generator().manual_seed(0)
        played_from_here(session, Deciding(network, generator), opened, lambda: None)
    took = time.perf_counter() - began
    episodes = bus.call(CLOSE, CloseSession(session=name)).episodes
    return 1e6 * took / max(episode.steps for episode in episodes)


if __name__ == "__main__":
    main()
