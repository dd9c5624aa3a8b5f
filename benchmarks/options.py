"""Samples to 80 % success with coded actions as options, and without, on four tasks:

    python -m benchmarks.options [--seeds 0 1 2] [--tasks log milk wool dirt] [--json FILE]

Env server and learner are the real ones; specs, coded actions and the program that finds the block
or the mob are the rulebook's. With its macros a spec is trained until 80 % of the last 100 training
episodes succeed. Without, on the same seeds, it then gets three times the samples which that took:
the question is whether options need at most a third. Rows that FILE has already are not run again;
it has those of one budget.
"""

import argparse
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import yaml

from benchmarks.arguments import output_file, positive
from benchmarks.kept_rows import KeptRows
from messages.bus import Bus, BusError
from messages.empty import Empty
from messages.program import Program
from messages.system import describe
from messages.training import TRAIN, Train, TrainingSpec
from messages.world import Condition, Interface, SeedRange, Task
from nodes.llm.rulebook import filled_specs
from nodes.llm.rulebook.rules import Book

GOOD = 0.8
TIMES = 3
ROOT = Path(__file__).resolve().parents[1]
MOBS = {"initial_mobs": "cow,cow,cow,sheep,sheep,sheep", "initial_mob_range": 24}


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A task, how its block or mob is found by code, and its specs without and with macros."""

    task: Task
    find: str
    primitive: str
    macros: str


def _setting(item: str, find: str, specs: tuple[str, str], **task: Any) -> Setting:
    success = Condition(kind="have", name=item)
    return Setting(
        task=Task(id=item, prompt=f"Get one {item}.", success=success, **task),
        find=find,
        primitive=specs[0],
        macros=specs[1],
    )


_DIG = ("harvest", "harvest_with_macro")
_APPLY = ("apply", "apply_with_macro")
SETTINGS = {
    "log": _setting("log", "walk_up_to.py", _DIG),
    "dirt": _setting("dirt", "walk_up_to.py", _DIG, biome="plains"),
    "milk": _setting(
        "milk_bucket",
        "walk_up_to_mob.py",
        _APPLY,
        biome="plains",
        inventory={"bucket": 1},
        world=MOBS,
    ),
    "wool": _setting(
        "wool", "walk_up_to_mob.py", _APPLY, biome="plains", inventory={"shears": 1}, world=MOBS
    ),
}


def training_spec(setting: Setting, macros: bool, seed: int, budget: int) -> TrainingSpec:
    goal, held = setting.task.success, setting.task.inventory
    spec = filled_specs.spec(setting.macros if macros else setting.primitive, goal, held)
    return TrainingSpec(
        name=setting.task.id,
        task=setting.task,
        interface=Interface(
            observations=spec.observations,
            actions=spec.actions,
            macros=[
                Program(
                    name=macro.name,
                    source=Book().program(macro.file, goal, held),
                    max_steps=macro.max_steps,
                )
                for macro in spec.macros
            ],
            rewards=spec.rewards,
            success=goal,
            horizon=spec.horizon,
            targets=spec.targets,
        ),
        prefix=[
            Program(name="find", source=Book().program(setting.find, goal, held), max_steps=1000)
        ],
        seeds=SeedRange(first=seed * 1_000_000, count=900_000),
        budget=budget,
        stop_at=GOOD,
    )


@contextmanager
def nodes(
    folder: Path,
    changes: Mapping[str, Any] | None = None,
    servers: int = 1,
    env_server: Mapping[str, Any] | None = None,
) -> Iterator[Bus]:
    """Env servers and a learner with ``changes`` to its parameters, and a bus to them.
    ``env_server``: further parameters of the env servers."""
    learner = yaml.safe_load((ROOT / "launch" / "learner" / "default.yaml").read_text())
    learner |= changes or {}
    stack = {
        "nodes": {
            "env_server": {
                "parameters": {"world": {"kind": "embedded"}, **(env_server or {})},
                "replicas": servers,
            },
            "learner": {"parameters": learner},
        }
    }
    (folder / "launch").mkdir()
    (folder / "launch" / "options.yaml").write_text(yaml.safe_dump(stack))
    run = folder / "run"
    # Without this, a benchmark that is ended by `kill` would leave its launch to train on.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    command = [sys.executable, "-m", "rlgpt.main", "launch", "options", f"run={run}"]
    process = subprocess.Popen(command, cwd=folder, stdout=sys.stderr)
    try:
        while not (run / "config.yaml").exists() and process.poll() is None:
            time.sleep(0.1)
        _check_running(process)
        bus = Bus(run)
        for name in [*stack["nodes"], *(f"env_server_{n}" for n in range(2, servers + 1))]:
            while True:
                try:
                    bus.call(describe(name), Empty(), timeout=2.0)
                    break
                except BusError:
                    _check_running(process)
        yield bus
        bus.close()
    finally:
        process.terminate()
        process.wait()


def _check_running(launch: "subprocess.Popen[bytes]") -> None:
    if launch.poll() is not None:
        raise SystemExit(f"the launch ended with code {launch.returncode}: see above")


def measure(bus: Bus, name: str, macros: bool, seed: int, budget: int) -> dict[str, Any]:
    """Train once; what it took."""
    began = time.monotonic()
    spec = training_spec(SETTINGS[name], macros, seed, budget)
    trained = bus.run_goal(
        TRAIN, f"{name}/{seed}/{'macros' if macros else 'single'}", Train(spec=spec)
    )
    return {
        "task": name,
        "seed": seed,
        "macros": macros,
        "budget": budget,
        "samples_to_good": next((at for at, rate in trained.curve if rate >= GOOD), None),
        "samples": trained.samples,
        "prefix_samples": trained.prefix_samples,
        "success_rate": trained.success_rate,
        "seconds": round(time.monotonic() - began, 1),
    }


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as a Markdown table: one line for each task."""
    seeds = sorted({row["seed"] for row in rows})
    lines = [
        f"| task | with macros (seeds {', '.join(map(str, seeds))}) | single steps alone "
        "| a third at most? |",
        "|---|---|---|---|",
    ]
    for name in dict.fromkeys(row["task"] for row in rows):
        mine = {(r["macros"], r["seed"]): r for r in rows if r["task"] == name}
        cells = [
            ", ".join(_shown(mine[m, s]) for s in seeds if (m, s) in mine) for m in (True, False)
        ]
        lines.append(f"| {name} | {cells[0]} | {cells[1]} | {_verdict(mine)} |")
    return "\n".join(lines)


def _shown(row: dict[str, Any]) -> str:
    at = row["samples_to_good"]
    if at is not None:
        return f"{at:,}"
    return f"not in {row['samples']:,} ({row['success_rate']:.2f})"


def _verdict(rows: dict[tuple[bool, int], dict[str, Any]]) -> str:
    """By the medians over the seeds; what was not reached took longer than what it was given."""

    def median(macros: bool) -> float:
        found = [row["samples_to_good"] for (m, _), row in rows.items() if m == macros]
        return statistics.median(at if at is not None else float("inf") for at in found)

    return "yes" if median(True) * TIMES <= median(False) and median(True) < 1e12 else "no"


def main() -> None:
    parser = argparse.ArgumentParser(description="What options are worth, on four tasks.")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--tasks", nargs="+", default=list(SETTINGS), choices=list(SETTINGS))
    parser.add_argument("--budget", type=positive, default=150_000, help="samples, with macros")
    parser.add_argument("--json", type=output_file, help="keep the rows in this file")
    given = parser.parse_args()
    kept = KeptRows(given.json, {"budget": given.budget})
    with tempfile.TemporaryDirectory(prefix="options-") as folder, nodes(Path(folder)) as bus:
        for seed in given.seeds:
            for name in given.tasks:
                for macros in (True, False):
                    known = {(r["task"], r["seed"], r["macros"]): r for r in kept.rows}
                    if (name, seed, macros) in known:
                        continue
                    budget = given.budget
                    if not macros:
                        reached = known[name, seed, True]["samples_to_good"]
                        # Beyond three times, by less than a rollout, so that just that may be seen.
                        budget = budget if reached is None else TIMES * reached
                    kept.add(measure(bus, name, macros, seed, budget))
    print(table(kept.rows))


if __name__ == "__main__":
    main()
