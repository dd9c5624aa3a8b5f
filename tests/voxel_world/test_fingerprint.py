"""The fingerprint of the embedded world notices another world."""

import subprocess
import sys
from typing import Any

import pytest

from voxeldojo.engine.fingerprint import fingerprint
from voxeldojo.engine.rulebook import rules


@pytest.fixture(scope="module")
def mine() -> str:
    return fingerprint()


def test_the_fingerprint_is_twelve_digits_and_the_same_as_the_commands(mine: str) -> None:
    command = [sys.executable, "-m", "voxeldojo.engine.fingerprint"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout == f"{mine}\n", done
    assert len(bytes.fromhex(mine)) == 6


@pytest.mark.parametrize(
    ("table", "field", "factor"),
    [
        ("block", "hardness", 1.5),
        ("biome", "grass", 1.5),
        ("mob", "pace", 1.01),
        ("mob", "damage", 2.0),
        ("yields", None, 2),
    ],
)
def test_a_world_with_other_rules_has_another_fingerprint(
    mine: str, table: str, field: str | None, factor: float
) -> None:
    rule: Any = getattr(rules(), table)
    numbers = rule if field is None else rule[field]
    before = numbers.copy()
    try:
        numbers *= factor
        assert fingerprint() != mine
    finally:
        numbers[:] = before
    assert (before != 0).any()
