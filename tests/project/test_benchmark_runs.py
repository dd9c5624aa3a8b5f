"""Benchmarks run: they reach into what they measure, so a change there may break them."""

import subprocess
import sys

import pytest

from benchmarks.training.parts import parts
from benchmarks.training.worlds import steps_spec
from tests.launch_toys.launched import CHECKOUT, environment

IN_RESETS = {"resets", "prefix"}


def test_each_part_of_a_training_is_seen() -> None:
    spent = parts(steps_spec(0, 10**9), rollouts=1).spent
    assert {name for name, time in spent.items() if time <= 0} == IN_RESETS  # no episode ends yet


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("benchmark", ["training", "world", "scaling"])
def test_a_quick_benchmark_ends_with_its_table(benchmark: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{benchmark}", "--quick"],
        cwd=CHECKOUT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=800,
    )
    assert ran.returncode == 0, ran.stderr[-2_000:]
    assert "Traceback" not in ran.stderr
    assert ran.stdout.count("\n|") > 3
