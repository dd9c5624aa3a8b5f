"""What it costs that time is written down: python -m benchmarks.times [--rounds N]

Seconds of CPU time, not of the clock, so that other work on the machine counts less. The same
decisions of a session in the embedded world are played with its clock and with one that does
nothing, in turns; beside them a request's handler with and without its watch, and a call.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.arguments import positive
from messages.world import Condition, Interface, OpenSession, RewardTerm, SeedRange, Task
from nodes.env_server.games import make_world
from nodes.env_server.programs.part_clock import SESSION, Clock
from nodes.env_server.session import Session
from nodes.times import EVERY, FILE, Times

SIZE = 16
DECISIONS = 100
LOG = Condition(kind="have", name="log")
TASK = Task(id="log", prompt="a log", success=LOG, horizon=10**6, biome="plains")
INTERFACE = Interface(
    observations=["compass", "rays", "inventory", "previous_choice"],
    actions=["forward", "turn_left_15", "attack", "noop"],
    macros=[],
    rewards=[RewardTerm(kind="success", weight=10), RewardTerm(kind="step", weight=-0.01)],
    success=TASK.success,
    horizon=10**6,
)


def without(clock: Clock, part: int) -> int:
    return SESSION


def processor(do: Callable[[], Any]) -> float:
    began = time.process_time()
    do()
    return time.process_time() - began


def in_turns(do: Callable[[], Any], rounds: int) -> tuple[float, float, float]:
    """Seconds with the clock and without it, medians, and the median of their ratios."""
    real = Clock.switch
    with_, without_ = [], []
    for number in range(rounds):
        for on in (True, False) if number % 2 else (False, True):
            Clock.switch = real if on else without  # type: ignore[method-assign]
            (with_ if on else without_).append(processor(do))
    Clock.switch = real  # type: ignore[method-assign]
    ratios = [a / b for a, b in zip(with_, without_, strict=True)]
    return statistics.median(with_), statistics.median(without_), statistics.median(ratios)


def session() -> Callable[[], None]:
    world = make_world("embedded", SIZE, TASK)
    request = OpenSession(
        session="s", task=TASK, size=SIZE, seeds=SeedRange(first=0, count=SIZE), interface=INTERFACE
    )
    played = Session(request, world)
    played.opened()
    choices = np.random.default_rng(0).integers(0, 4, (DECISIONS, SIZE))

    def play() -> None:
        for each in choices:
            played.step(each)

    play()
    return play


def each(do: Callable[[], Any], count: int = 20_000) -> float:
    """Microseconds of CPU time, of the best of five rounds."""

    def repeated() -> None:
        for _ in range(count):
            do()

    return min(processor(repeated) for _ in range(5)) / count * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description="What it costs that time is written down.")
    parser.add_argument("--rounds", type=positive, default=21)
    rounds = parser.parse_args().rounds
    on, off, ratio = in_turns(session(), rounds)
    print(f"{DECISIONS} decisions of {SIZE} environments, {rounds} rounds in turns:")
    print(f"  with the clock {on * 1e3:.1f} ms, without {off * 1e3:.1f} ms of CPU time")
    print(f"  median of the ratios {ratio:.4f}")
    clock = Clock()
    print(f"a switch of the clock: {each(lambda: clock.switch(SESSION)):.2f} us")
    with tempfile.TemporaryDirectory() as folder:
        times = Times(Path(folder) / FILE, "agents", lambda: 0.0)
        handler = times.timed("a/service", lambda request: None, lambda request: "")
        bare = each(lambda: None)
        print(f"a handler with its watch: {each(lambda: handler(None)) - bare:.2f} us more")

        def call() -> None:
            with times.calling("b/service", "b"):
                pass

        print(f"a call: {each(call) - bare:.2f} us more")

        def line() -> None:
            handler(None)
            times.write()

        print(f"a line, every {EVERY:g} s of a node that works: {each(line, 500):.0f} us")


if __name__ == "__main__":
    main()
