"""A whole stack at work for long: python -m benchmarks.soak --minutes 60 [--out FOLDER]

`rlgpt launch harvest_log ~task bag=true`, with goals one after the other (each plans, writes code,
trains and evaluates), a node restarted or killed every so often, a page open in headless Chromium
and a bag that records everything. Every few seconds memory, file descriptors, threads and sockets
of each process are sampled. It ends with a table, a verdict, and exit code 1 where something grows,
fails or cannot be judged.
"""

import argparse
import contextlib
import itertools
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import yaml

import rlgpt
from benchmarks.soak.growth import growths, table, verdict
from benchmarks.soak.samples import MEASURES, PAGE, Sample, held, tab_state
from messages.system import KILL, RESTART, NodeName
from rlgpt.connecting import Connection
from tests.dash.browser import PROGRAM, Browser
from tests.launch_toys.launched import Launched, command, environment, launched

EVERY = 5.0  # seconds between two samples
TAB = "the page's tab"
RESTARTS = 40.0  # seconds between two restarts
PANELS = ("overview", "learning", "nodes", "graph", "world", "log")
MEASURED = "nodes"
"""The panel on which the tab is measured: what it shows does not grow with the run."""
LIMITS = {"iterations": 3, "samples": 150_000}
TASK = Path("launch/task/harvest_log.yaml")


class Soak:
    """The goals and the restarts, in threads, until it is ended."""

    def __init__(self, connection: Connection, seed: int) -> None:
        self._connection = connection
        self._random = random.Random(seed)
        self._over = threading.Event()
        self.goals: list[str] = []
        self.restarts: list[str] = []
        self.failures: list[str] = []
        for work in (self._pursue, self._restart):
            threading.Thread(target=work, name=work.__name__, daemon=True).start()

    def end(self) -> None:
        self._over.set()

    def _pursue(self) -> None:
        known = yaml.safe_load(TASK.read_text())
        task = {key: known[key] for key in ("id", "prompt", "success", "biome", "horizon")}
        for number in itertools.count():
            if self._over.is_set():
                return
            # Each goal is another one, so that nothing is answered from memory.
            wanted = {"task": {**task, "horizon": task["horizon"] - number}, "limits": LIMITS}
            try:
                goal = self._connection.send_goal("planner/pursue", wanted, f"soak-{number}")
                self.goals.append(goal.result().reason)
            except Exception as error:  # else the thread ends, and the soak is of an idle stack
                self.failures.append(f"{type(error).__name__}: {error}")
                self._over.wait(5.0)

    def _restart(self) -> None:
        nodes = [each.node for each in self._connection.nodes()]
        while not self._over.wait(RESTARTS):
            node, service = self._random.choice(nodes), self._random.choice((RESTART, KILL))
            try:
                self._connection.call(service, NodeName(node=node), timeout=60.0)
                self.restarts.append(f"{node} {service.name}")
            except Exception as error:
                self.failures.append(f"{type(error).__name__}: {error}")


@contextlib.contextmanager
def page_of(run: Path, place: Path) -> Iterator[tuple[int, str]]:
    """`rlgpt dash` as a process: its number and its address."""
    served = subprocess.Popen(
        command("dash", str(run), "--port", "0"),
        cwd=place,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert served.stdout is not None
    try:
        yield served.pid, served.stdout.readline().split()[-1]
    finally:
        served.send_signal(signal.SIGINT)
        served.wait(60.0)
        served.stdout.close()


def soak(minutes: float, place: Path, seed: int) -> tuple[list[Sample], int, int]:
    """The samples, which are also lines of ``samples.jsonl``, and the numbers of goals that ended
    and of failures."""
    run = place / "run"
    samples: list[Sample] = []
    with (
        launched(
            "launch", "harvest_log", "~task", "bag=true", f"run={run}", cwd=place, run=run
        ) as launch,
        contextlib.ExitStack() as opened,
        (place / "samples.jsonl").open("wb") as lines,
    ):
        launch.wait_for("there is no goal")
        page, address = opened.enter_context(page_of(run, place))
        browser = opened.enter_context(Browser()) if PROGRAM is not None else None
        if browser is not None:
            browser.send("Performance.enable")
        connection = opened.enter_context(rlgpt.connect(run))
        work = Soak(connection, seed)
        began = time.monotonic()
        for number in itertools.count():
            at = time.monotonic() - began
            if at > 60.0 * minutes:
                break
            panel = PANELS[number // 4 % len(PANELS)]
            if browser is not None and number % 4 == 0:
                browser.open(f"{address}#/{run.name}/{panel}")
            sample = Sample(at=at, held=held(launch.process.pid, {PAGE: page}))
            if browser is not None and panel == MEASURED and number % 4 == 3:
                sample.tab = tab_state(browser)
            samples.append(sample)
            lines.write(msgspec.json.encode(sample) + b"\n")
            lines.flush()
            assert launch.process.poll() is None, launch.text[-2000:]
            time.sleep(max(began + (number + 1) * EVERY - time.monotonic(), 0.0))
        goals, failures = len(work.goals), len(work.failures)  # before it is stopped in the middle
        work.end()
        _report(work, browser, launch)
    return samples, goals, failures


def _report(work: Soak, browser: Browser | None, launch: Launched) -> None:
    print(f"{len(work.goals)} goals were pursued, {len(work.restarts)} nodes restarted or killed")
    for each in work.failures:
        print(f"failed: {each}")
    if browser is not None and browser.errors:
        print(f"errors of the page: {browser.errors[:5]}")
    size = sum(each.stat().st_size for each in launch.run.rglob("*") if each.is_file())
    print(f"the run folder has {size / 2**20:.0f} MiB, the bag among it")


def judge(samples: list[Sample], goals: int, failures: int) -> bool:
    """Print the table and the verdict; whether nothing speaks against the stack."""
    series: dict[tuple[str, str], tuple[list[float], list[float]]] = {}

    def add(of: str, measure: str, at: float, value: float) -> None:
        times, values = series.setdefault((of, measure), ([], []))
        times.append(at)
        values.append(value)

    for sample in samples:
        for kind, each in sample.held.items():
            # Of workers there are one or two by chance: how many is a series of its own.
            add(kind, "processes", sample.at, each.processes)
            for measure in MEASURES:
                add(kind, measure, sample.at, getattr(each, measure) / each.processes)
        for measure, value in sorted(sample.tab.items()):
            add(TAB, measure, sample.at, value)
    found = growths(series)
    tab = [each for each in found if each.of == TAB]
    print(table([each for each in found if each.of != TAB]))
    print()
    print(table(tab))
    against = verdict(found, goals, failures)
    spent = samples[-1].at / 60.0 if samples else 0.0
    print(f"{len(samples)} samples in {spent:.0f} minutes; an hour's growth is extrapolated")
    print("\n".join(against) or "nothing grows")
    return not against


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", help="the folder with the run and the samples; default: a new one")
    given = parser.parse_args()
    place = Path(given.out or tempfile.mkdtemp(prefix="rlgpt-soak-")).resolve()
    place.mkdir(parents=True, exist_ok=True)
    print(f"in {place}", flush=True)
    os.environ.setdefault("PYTHONPATH", os.getcwd())
    sys.exit(0 if judge(*soak(given.minutes, place, given.seed)) else 1)


if __name__ == "__main__":
    main()
