"""python -m benchmarks.frameworks [--quick]: how fast agents of other libraries learn in the
embedded world, beside how fast it steps without them. The world, the network (two tanh layers of
64) and PPO's sizes are the same for all; a figure is the median of three runs, each from its first
step to its last. Prints the table of docs/speed.md.

CleanRL is a script, no package: CLEANRL_PPO is the path of a copy of its ppo.py.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-frameworks" / "bin" / "python"
FEATURES = "rlgpt:rlgpt/HarvestLog-features-v0"
PIXELS = "rlgpt:rlgpt/HarvestLog-pixels-v0"
SAMPLES = {"features": 16384, "batch": 65536, "pixels": 4096}
QUICK = 1024
RUNS = 3


def main() -> int:
    parser = argparse.ArgumentParser(description="How fast other libraries' agents learn here.")
    parser.add_argument("--quick", action="store_true", help="only to see that it runs")
    quick = parser.parse_args().quick
    if not PYTHON.exists():
        print("The libraries are not installed: `make frameworks` does that.", file=sys.stderr)
        return 2
    if "CLEANRL_PPO" not in os.environ:
        print("CleanRL is left out: CLEANRL_PPO names no copy of its ppo.py.", file=sys.stderr)
    # One core each, as the world's own table.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print("| | environments | median | worst to best | unit |")
    print("|---|---:|---:|---|---|")
    samples = dict.fromkeys(SAMPLES, QUICK) if quick else SAMPLES
    for name, environments, command in _commands(samples):
        rates = sorted(_rate(command) for _ in range(RUNS))
        median = statistics.median(rates)
        spread = f"{rates[0]:,.0f} to {rates[-1]:,.0f}"
        print(f"| {name} | {environments} | {median:,.0f} | {spread} | samples/s |", flush=True)
    return 0


def _commands(samples: dict[str, int]) -> Iterator[tuple[str, int, list[str]]]:
    """What is measured, how many environments it has, and what Python is given."""
    few, many, pictures = (str(samples[name]) for name in ("features", "batch", "pixels"))
    yield "`make_vec`, features, no agent", 64, [_player("batch"), FEATURES, many, "64"]
    yield "`make_vec`, features, no agent", 4, [_player("batch"), FEATURES, few, "4"]
    yield "`make_vec`, pixels 64x64, no agent", 4, [_player("batch"), PIXELS, pictures, "4"]
    yield "PufferLib 1.0.1, Serial, features, no agent", 4, [_player("pufferlib"), FEATURES, few]
    yield "PufferLib 1.0.1, Serial, pixels, no agent", 4, [_player("pufferlib"), PIXELS, pictures]
    yield "Stable-Baselines3 2.9.2, PPO learns, features", 4, [_player("sb3"), FEATURES, few]
    if script := os.environ.get("CLEANRL_PPO"):
        arguments = ["--env-id", FEATURES, "--total-timesteps", few, "--no-cuda"]
        yield "CleanRL, ppo.py learns, features", 4, [os.path.abspath(script), *arguments]


def _player(name: str) -> str:
    return str(Path(__file__).with_name(f"{name}_player.py"))


def _rate(command: list[str]) -> float:
    """The last rate that a run prints, as CleanRL does: "SPS: 123"."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [str(PYTHON), *command], cwd=folder, capture_output=True, text=True, check=False
        )
    if done.returncode != 0:
        raise SystemExit(f"{command[0]} ended with {done.returncode}: {done.stderr[-500:]}")
    said = [line for line in done.stdout.splitlines() if line.startswith("SPS:")]
    return float(said[-1].removeprefix("SPS:"))


if __name__ == "__main__":
    sys.exit(main())
