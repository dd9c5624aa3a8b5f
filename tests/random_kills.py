"""kill -9 and SIGSTOP of random processes of whole launches, at random moments: each comes to its
end with the table of a launch without kills.

    python -m tests.random_kills [--seed N] [--launches 10] [--kills 20]

Every process that a launcher starts may be hit, directly or by another: nodes, the fork server,
jailed workers, the guardian, and a stand-in for vLLM with its monitor and its engine. What a policy
learns here fits into one rollout, so that it is the same however often it is begun.
"""

import argparse
import collections
import contextlib
import itertools
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.launch_toys.launched import Launched, launched
from tests.launch_toys.process_tree import KINDS, Member, members
from tests.launch_toys.watching import summary

OVERRIDES = (
    "task=stick",
    "task.biome=forest",
    "task.horizon=500",
    "skills=skills",  # each run its own: they are compared
    "limits.iterations=1",
    "limits.success_rate=1.0",
    "nodes.llm.module=tests.launch_toys.served_llm",
    "nodes.fast_agent.parameters.budget=1500",
    "nodes.fast_agent.parameters.program_steps=400",
    "nodes.fast_agent.parameters.trial_episodes=4",
    "nodes.fast_agent.parameters.evaluation_episodes=8",
    "nodes.fast_agent.parameters.required_rate=0.0",  # however little it learns, it is kept
    "nodes.learner.parameters.environments=4",
    "nodes.learner.parameters.decisions=1500",  # one rollout is the whole budget
    "nodes.learner.parameters.minibatch=64",
    "nodes.learner.parameters.hidden=32",
    "nodes.learner.parameters.checkpoint_seconds=1e9",
)
PAUSE = 1.5  # seconds between two kills, at most
RARE = 5.0  # seconds to wait for a process of the kind that is to be hit
LATER = 1.0  # seconds that one has to live that was waited for, at most
STOPPED = 8.0  # seconds between SIGSTOP and SIGKILL, at most
ENOUGH = 5  # kills for each kind of process, after which each must have been hit
STOPS = 0.2  # the share of kills that are a SIGSTOP first
DEADLINE = 900.0  # seconds for a launch that takes one minute undisturbed


def stack(place: Path, name: str) -> AbstractContextManager[Launched]:
    run = place / name
    return launched("launch", "diamond", f"run={run}", *OVERRIDES, cwd=place, run=run)


def table(run: Path) -> dict[str, Any]:
    """The summary without times and restarts."""
    value = summary(run)
    names = ("success", "reason", "success_rate", "iterations", "performance", "samples", "jail",
             "programs_killed")  # fmt: skip
    return {name: _lasting(value[name]) for name in names}


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        # A video is named after the attempt that it is of.
        return {k: _lasting(v) for k, v in value.items() if k not in ("seconds", "video")}
    return [_lasting(each) for each in value] if isinstance(value, list) else value


class Killer:
    """Hits one process after the other: first a kind is chosen, then a process of it, so that what
    is rarely there is hit as often as what always is. ``hits``: of the launches before."""

    def __init__(
        self,
        launch: Launched,
        chance: random.Random,
        hits: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._launch = launch
        self._chance = chance
        self._before = hits
        self._stopped: list[tuple[float, Member]] = []
        self.hits: collections.Counter[str] = collections.Counter()

    def kill(self, most: int) -> None:
        """Until the launch has ended, or so many were hit."""
        while self.hits.total() < most and self._running():
            self._wait(self._chance.uniform(0.0, PAUSE))
            self._hit()
        while self._stopped and self._running():
            self._wait(0.1)

    def _running(self) -> bool:
        return self._launch.process.poll() is None

    def _wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while self._running():
            now = time.monotonic()
            for due, member in list(self._stopped):
                if due <= now:
                    member.send(signal.SIGKILL)
                    self._stopped.remove((due, member))
            if now >= until:
                return
            time.sleep(0.02)

    def _hit(self) -> None:
        kind = self._kind()
        stops = self._chance.random() < STOPS
        after = self._chance.uniform(1.0, STOPPED)
        member = self._one(kind)
        if member and member.send(signal.SIGSTOP if stops else signal.SIGKILL):
            self.hits[member.kind] += 1
            if stops:
                self._stopped.append((time.monotonic() + after, member))

    def _kind(self) -> str:
        """The less likely the more it was hit."""
        counts = [self._before.get(kind, 0) + self.hits[kind] for kind in KINDS]
        weights = [0.5 ** (count - min(counts)) for count in counts]
        return self._chance.choices(KINDS, weights)[0]

    def _one(self, kind: str) -> Member | None:
        """One of this kind: at once, or some time after there is one; None if there is none for
        long."""
        until = time.monotonic() + RARE
        later = self._chance.uniform(0.0, LATER)
        waited = False
        while self._running() and time.monotonic() < until:
            found = [each for each in members(self._launch.process.pid) if each.kind == kind]
            if found and waited:
                waited = False
                self._wait(later)
            elif found:
                return self._chance.choice(found)
            else:
                waited = True
                self._wait(0.02)
        return None


def ended(launch: Launched) -> int:
    deadline = time.monotonic() + DEADLINE
    while launch.process.poll() is None:
        if time.monotonic() > deadline:
            raise AssertionError(f"the launch does not end:\n{launch.text}")
        time.sleep(0.1)
    return launch.ended()


def straight(place: Path) -> dict[str, Any]:
    """The table of an undisturbed launch."""
    with stack(place, "straight") as launch:
        assert ended(launch) == 0, launch.text
    return table(launch.run)


def killed(
    place: Path,
    name: str,
    seed: int,
    kills: int,
    expected: dict[str, Any],
    hits: Mapping[str, int] = MappingProxyType({}),
) -> Killer:
    """One launch with ``kills`` kills. ``hits``: of the launches before.

    Raises:
        AssertionError: it did not end as it should, or with another table.
    """
    with stack(place, name) as launch:
        killer = Killer(launch, random.Random(seed), hits)
        killer.kill(kills)
        code = ended(launch)
        assert code == 0, f"exit code {code}:\n{launch.text}"
        assert "Traceback" not in launch.text, launch.text
    found = table(launch.run)
    for name, value in expected.items():
        assert found[name] == value, f"{name}: {found[name]}\nis not {value}\n{launch.text}"
    return killer


@contextlib.contextmanager
def _place() -> Iterator[Path]:
    """A folder that stays where something failed."""
    place = Path(tempfile.mkdtemp(prefix="rlgpt-kills-"))
    try:
        yield place
    except BaseException:
        print(f"the run folders are in {place}", file=sys.stderr)
        raise
    shutil.rmtree(place)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    parser.add_argument("--launches", type=int, default=10)
    parser.add_argument("--kills", type=int, default=20, help="in each launch")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    total: collections.Counter[str] = collections.Counter()
    with _place() as place:
        expected = straight(place)
        wanted = options.launches * options.kills
        for number in itertools.count():  # one more where some ended before all their kills
            left = wanted - total.total()
            if left <= 0:
                break
            seed = options.seed + number
            began = time.monotonic()
            try:
                killer = killed(
                    place, f"killed-{number}", seed, min(options.kills, left), expected, total
                )
            except AssertionError as error:
                print(f"launch {number} (--seed {seed} --launches 1) failed: {error}")
                print(f"its run folder is {place / f'killed-{number}'}")
                sys.exit(1)  # the folder is kept
            total += killer.hits
            seconds = time.monotonic() - began
            hits = ", ".join(f"{kind} {count}" for kind, count in sorted(killer.hits.items()))
            print(f"launch {number}: {killer.hits.total()} kills ({hits}), the same table, "
                  f"{seconds:.0f} s", flush=True)  # fmt: skip
    print(f"{total.total()} kills in {number} launches:")
    for kind in KINDS:
        print(f"  {total[kind]:4} {kind}")
    missed = [kind for kind in KINDS if not total[kind]]
    if missed and total.total() >= ENOUGH * len(KINDS):
        print(f"never hit: {', '.join(missed)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
