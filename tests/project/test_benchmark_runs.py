"""Benchmarks run: they reach into what they measure, so a change there may break them."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from benchmarks.training.parts import parts
from benchmarks.training.worlds import fight_spec, steps_spec
from messages.training import TrainingSpec
from tests.launch_toys.launched import CHECKOUT, environment

IN_RESETS = {"resets", "prefix"}


@pytest.mark.parametrize("spec", [steps_spec, fight_spec])
def test_each_part_of_a_training_is_seen(spec: Callable[[int, int], TrainingSpec]) -> None:
    spent = parts(spec(0, 10**9), rollouts=1).spent
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
