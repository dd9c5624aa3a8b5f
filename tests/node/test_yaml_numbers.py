"""Numbers like ``5e-4`` in the YAML that a user writes and that a run folder holds."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.breaking import Held, HeldNote
from nodes.common.storage.yaml_numbers import read_yaml, written_yaml
from nodes.config import read_config
from rlgpt.composing.configuration import save
from rlgpt.composing.user_files import read_user_yaml
from rlgpt.inspecting.answer_text import answer_of, draft

VALUES = [5e-4, 1e-7, 1e16, -2.5, 3, "5e3", "1e-05", "-1.e+2", ".5E1", "5e", "e5", "yes", None]


@pytest.mark.parametrize("value", VALUES)
def test_what_is_written_is_read_as_it_was(value: Any):
    read = read_yaml(written_yaml({"it": value}))["it"]
    assert (type(read), read) == (type(value), value)


def test_a_text_that_looks_like_a_number_stays_a_text_in_a_run_folder(tmp_path: Path):
    launch = {"task": {"prompt": "1e5"}, "llm": {"model": "7e9"}, "learner": {"clip": 5e-4}}
    save(launch, tmp_path)
    assert read_config(tmp_path) == launch


@pytest.mark.parametrize(("text", "number"), [("5e-4", 0.0005), ("1E3", 1000.0), ("+.5e1", 5.0)])
def test_a_users_file_may_have_numbers_with_an_exponent_and_no_dot(
    tmp_path: Path, text: str, number: float
):
    path = tmp_path / "spec.yaml"
    path.write_text(f"weight: {text}\n")
    assert read_user_yaml(path, "a training spec") == {"weight": number}


def test_an_answer_that_is_edited_keeps_its_numbers_and_its_texts():
    answer = {"name": "5e3", "weight": 5e-4}
    text = draft(held(msgspec.json.encode(answer).decode()))
    assert msgspec.json.decode(answer_of(text, "it")) == answer
    assert msgspec.json.decode(answer_of('{"weight": 5e-4}', "it")) == {"weight": 5e-4}


def held(answer: str) -> Held:
    note = HeldNote(
        id="goal/program-0", agent="fast_agent", kind="program", model="m", since=0.0, answered=True
    )
    return Held(note=note, question="{}", prompt="", answer=answer, failure="", problems=[])
