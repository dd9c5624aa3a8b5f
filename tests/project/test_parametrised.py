"""The ids of parametrised tests state their values."""

import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from messages.program import Program
from tests.parametrised import LONGEST, id_of

VALUES: list[tuple[Any, str | None]] = [
    (["launch", "two", 3, None], "launch two 3 None"),
    ({"seed": 1, "inventory": {"log": 2}, "lead": []}, "seed=1 inventory=log=2 lead=nothing"),
    ((3, 64, 64), "3 64 64"),
    (Path("launch/task/bed.yaml"), "bed"),
    (np.zeros((2, 3), np.float32), "float32 (2, 3)"),
    (Program(name="dig", source=""), "dig"),
    ([Program(name="dig", source=""), int], "dig int"),
    ({}, "no changes"),
    (["ü\udcff\0\n x"], r"\xfc\udcff? x"),
    ("short", None),
    ("long\n" * 30, ("long " * 30)[:LONGEST]),
    (7, None),
    (signal.SIGKILL, None),
    (int, None),
    (object(), None),
]


@pytest.mark.parametrize("number", range(len(VALUES)))
def test_an_id_is_one_line_of_text_that_states_the_value(number: int) -> None:
    value, expected = VALUES[number]
    assert id_of(value, "changes") == expected


@pytest.mark.parametrize("words", [["a", "list"], {"of": "words"}])
def test_a_parametrised_test_has_such_an_id(words: object, request: pytest.FixtureRequest) -> None:
    assert request.node.name.endswith(("[a list]", "[of=words]"))
