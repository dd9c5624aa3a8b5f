"""What a primitive step of a coded action costs: python -m benchmarks.programs [--json FILE]

First the language alone: a program's run (`nodes/env_server/programs/running.py`) against a raw
generator that yields the same codes, in the same process and the same run, with a host that does
nothing. Then in a session of the embedded world: a program that does nothing against the same steps
without it, so that the difference is what programs add to a step. Then the process jail: sessions
in a jailed worker against sessions in this process.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.arguments import output_file
from messages.program import Program
from messages.world import Condition, Interface, OpenSession, SeedRange, Task
from nodes.env_server.games import make_world
from nodes.env_server.hosting import OwnProcess, WorldSetup
from nodes.env_server.jail.jailed import JailedHost
from nodes.env_server.programs import Batch, Run, compile_program
from nodes.env_server.quarantine import Quarantine
from nodes.env_server.session import Session
from nodes.env_server.session.steps import Steps
from worlds.minecraft.play.runtime import RUNTIME

STEPS = 200_000
SIDE = 64  # programs side by side
ROUNDS = 7
MOST = 10**9

PROGRAMS = {
    "while True: attack()": "def action(obs):\n    while True:\n        attack()\n",
    "for _ in range(20): attack()": (
        "def action(obs):\n    while True:\n        for _ in range(20):\n            attack()\n"
    ),
    "a function and a condition": (
        "def hit(obs, n):\n    obs = attack()\n    return obs\n\n"
        "def action(obs):\n    n = 0\n    while n >= 0:\n"
        "        obs = hit(obs, n)\n        n += 1\n"
    ),
}


def raw() -> Iterator[int]:
    """What a program comes to without any of its checks."""
    while True:
        yield 8


def raw_function() -> Any:
    def hit(n: int) -> Any:
        return (yield 8)

    n = 0
    while n >= 0:
        yield from hit(n)
        n += 1


def seconds_raw(make: Callable[[], Any]) -> float:
    generator = make()
    next(generator)
    send = generator.send
    begun = time.perf_counter()
    for _ in range(STEPS):
        send(None)
    return time.perf_counter() - begun


def seconds_run(source: str) -> float:
    """Seconds for the same number of steps, by a batch of ``SIDE`` programs."""
    compiled = compile_program(source, RUNTIME)
    seen: Any = None
    runs = {row: Run(compiled, MOST) for row in range(SIDE)}
    codes = {row: run.start(seen) for row, run in runs.items()}
    batch = Batch(runs, codes)  # type: ignore[arg-type]
    send = batch.send
    begun = time.perf_counter()
    for _ in range(STEPS // SIDE):
        send(seen)
    taken = time.perf_counter() - begun
    assert len(batch.runs) == SIDE
    return taken


TASK = Task(id="bench", prompt="", success=Condition(kind="have", name="dragon_egg"), horizon=MOST)


def opening(size: int) -> OpenSession:
    interface = Interface(
        observations=["compass"],
        actions=["noop"],
        success=Condition(kind="have", name="dragon_egg"),
        horizon=MOST,
    )
    return OpenSession(
        session="bench",
        task=TASK,
        size=size,
        seeds=SeedRange(first=0, count=size),
        interface=interface,
    )


def us_without(size: int, steps: int) -> float:
    """Microseconds a primitive step of one environment: what a session does for each, independent
    of what chooses it."""
    world = make_world("embedded", size, TASK)
    batch = Steps(opening(size), world)
    every_row, rows = np.ones(size, bool), np.arange(size)
    world.reset(rows, batch.episodes.next_seeds(rows))
    batch.episodes.begin(rows, batch.readings)
    batch.warm()
    begun = time.perf_counter()
    for _ in range(steps):
        batch.of_episode(every_row, batch.tick(every_row))
    taken = time.perf_counter() - begun
    world.close()
    return taken / steps / size * 1e6


def us_with(source: str, size: int, steps: int) -> float:
    """Microseconds a primitive step where a program chooses."""
    played = Session(opening(size), make_world("embedded", size, TASK))
    program = Program(name="p", source=source, max_steps=steps)
    begun = time.perf_counter()
    played.run_program(program)
    taken = time.perf_counter() - begun
    played.close()
    return taken / steps / size * 1e6


def measure() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for name, source in PROGRAMS.items():
        bare = raw_function if "function" in name else raw
        pairs = [(seconds_raw(bare), seconds_run(source)) for _ in range(ROUNDS)]
        base = min(pair[0] for pair in pairs) / STEPS * 1e6
        ours = min(pair[1] for pair in pairs) / STEPS * 1e6
        ratio = statistics.median(b / a for a, b in pairs)
        rows.append({"what": name, "raw_us": base, "us": ours, "over_us": ours - base,
                     "ratio": ratio})  # fmt: skip
    source = PROGRAMS["while True: attack()"].replace("attack", "noop")
    for size, steps in ((1, 2000), (16, 1000)):
        us_with(source, size, 20)
        pairs = [(us_without(size, steps), us_with(source, size, steps)) for _ in range(3)]
        base, ours = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
        ratio = statistics.median(b / a for a, b in pairs)
        rows.append({"what": f"in a session of {size}", "raw_us": base, "us": ours,
                     "over_us": ours - base, "ratio": ratio})  # fmt: skip
    return rows


def in_jail(rounds: int = 3) -> list[dict[str, Any]]:
    """Milliseconds of opening a session of 16, of a decision, and of a primitive step of a run."""
    rows: list[dict[str, Any]] = []
    source = PROGRAMS["while True: attack()"].replace("attack", "noop")
    with tempfile.TemporaryDirectory() as folder:
        quarantine = Quarantine(Path(folder) / "quarantine.json")
        setup = WorldSetup(kind="embedded", options={}, task=TASK)
        jailed = JailedHost(setup, quarantine, 1024)
        found: dict[str, list[list[float]]] = {}
        for _ in range(rounds + 1):
            for place, host in enumerate((OwnProcess(setup, "measured"), jailed)):
                begun = time.perf_counter()
                played = host.open(opening(16), None, lambda steps: None)
                opened = time.perf_counter()
                for _ in range(300):
                    played.step(np.zeros(16, np.int64))
                decided = time.perf_counter()
                played.run_program(Program(name="p", source=source, max_steps=500))
                ran = time.perf_counter()
                played.close()
                for what, seconds in (
                    ("opening a session of 16", opened - begun),
                    ("a decision in it", (decided - opened) / 300),
                    ("a primitive step of 16 programs in it", (ran - decided) / 500),
                ):
                    found.setdefault(what, [[], []])[place].append(seconds * 1e3)
        jailed.close()
    for what, (own, other) in found.items():
        base, ours = min(own[1:]), min(other[1:])  # the first round loads kernels
        rows.append({"what": what, "own_ms": base, "jailed_ms": ours, "over_ms": ours - base})
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    lines = [
        "| a primitive step | without, us | with, us | added, us | ratio |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row['what']} | {row['raw_us']:.3f} | {row['us']:.3f} | {row['over_us']:.3f} "
            f"| {row['ratio']:.2f} |"
        )
    return "\n".join(lines)


def jail_table(rows: list[dict[str, Any]]) -> str:
    lines = ["| jail | own process, ms | jailed, ms | added, ms |", "|---|---|---|---|"]
    lines += [
        f"| {row['what']} | {row['own_ms']:.3f} | {row['jailed_ms']:.3f} | {row['over_ms']:.3f} |"
        for row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a primitive step of a program costs.")
    parser.add_argument("--json", type=output_file, help="write the rows to this file, too")
    arguments = parser.parse_args()
    rows, jail = measure(), in_jail()
    print(table(rows), jail_table(jail), sep="\n\n")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(rows + jail, indent=1) + "\n")


if __name__ == "__main__":
    main()
