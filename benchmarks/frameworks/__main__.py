"""python -m benchmarks.frameworks [--quick]: how fast agents of other libraries learn in the
embedded world. The world, the network (two tanh layers of 64) and PPO's sizes are the same for
all; a figure is the median of three runs, each from the beginning of learning to its end.

CleanRL is a script, no package: CLEANRL_PPO is the path of a copy of its ppo.py.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-frameworks" / "bin" / "python"
PLAYER = Path(__file__).with_name("sb3_player.py")
ID = "rlgpt:rlgpt/HarvestLog-features-v0"
RUNS = 3


def main() -> int:
    parser = argparse.ArgumentParser(description="How fast other libraries' agents learn here.")
    parser.add_argument("--quick", action="store_true", help="only to see that it runs")
    samples = "1024" if parser.parse_args().quick else "16384"
    if not PYTHON.exists():
        print("The libraries are not installed: `make frameworks` does that.", file=sys.stderr)
        return 2
    # One core each, as the world's own table.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    commands = {"Stable-Baselines3 2.9.2, PPO": [str(PLAYER), ID, samples]}
    if script := os.environ.get("CLEANRL_PPO"):
        arguments = ["--env-id", ID, "--total-timesteps", samples, "--no-cuda"]
        commands["CleanRL, ppo.py"] = [os.path.abspath(script), *arguments]
    else:
        print("CleanRL is left out: CLEANRL_PPO names no copy of its ppo.py.", file=sys.stderr)
    print("| 4 environments, 128 steps a batch | median | worst to best | unit |")
    print("|---|---:|---|---|")
    for name, command in commands.items():
        rates = sorted(_rate(command) for _ in range(RUNS))
        median = statistics.median(rates)
        print(f"| {name} | {median:,.0f} | {rates[0]:,.0f} to {rates[-1]:,.0f} | samples/s |")
    return 0


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
