"""What a fine-tuning does without the libraries that train: its examples are read, and its learning
rate rises over a share of the training, whatever ends it. Stand-ins take the libraries' place."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import msgspec
import pytest

from nodes.llm import training
from nodes.llm.examples.example import Example, write

RATE = 100.0


@pytest.fixture
def tune(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The program that trains, without torch."""
    names = {
        "torch": (),
        "torch.utils": (),
        "torch.utils.checkpoint": ("checkpoint",),
        "peft": ("LoraConfig", "PeftModel", "get_peft_model"),
        "transformers": ("AutoModelForCausalLM", "AutoTokenizer"),
        "transformers.cache_utils": ("DynamicCache",),
    }
    for name, members in names.items():
        module = ModuleType(name)
        for member in members:
            setattr(module, member, None)
        monkeypatch.setitem(sys.modules, name, module)
    torch: Any = sys.modules["torch"]
    torch.Tensor = torch.nn = SimpleNamespace(Parameter=None)
    path = Path(training.__file__).with_name("tune.py")
    spec = importlib.util.spec_from_file_location("tune_without_torch", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rates(tune: Any, monkeypatch: pytest.MonkeyPatch, lessons: int, minutes: float) -> list[float]:
    """Of each step, as a share of the full rate; a step takes a second."""
    found: list[float] = []

    class Masters:
        def __init__(self, *_: object) -> None:
            pass

        def step(self, rate: float) -> bool:
            found.append(rate / RATE)
            return True

    monkeypatch.setattr(tune, "Masters", Masters)
    monkeypatch.setattr(tune, "backward", lambda *_: 0.0)
    monkeypatch.setattr(
        tune, "time", SimpleNamespace(monotonic=lambda: float(len(found)), process_time=lambda: 0.0)
    )
    pack = SimpleNamespace(kind="PlanQuestion", tokens=1)
    settings = {"rate": RATE, "frozen_prefix": False, "together": 0, "minutes": minutes}
    adapted = SimpleNamespace(parameters=list)
    tune.train(None, adapted, [pack] * lessons, settings)
    return found


@pytest.mark.parametrize(
    ("lessons", "minutes"), [(100, 60.0), (100_000, 100 / 60)], ids=["lessons", "minutes"]
)
def test_the_rate_rises_over_six_percent_of_a_training_however_it_ends(
    tune: Any, monkeypatch: pytest.MonkeyPatch, lessons: int, minutes: float
):
    found = rates(tune, monkeypatch, lessons, minutes)
    assert len(found) == 100
    assert found[0] > 0
    peak = found.index(max(found))
    assert peak in (5, 6)
    assert found[peak] == pytest.approx(1 - peak / 100)
    assert found[:peak] == sorted(found[:peak])
    assert found[peak:] == sorted(found[peak:], reverse=True)


def test_a_training_of_one_step_is_of_the_full_rate(tune: Any, monkeypatch: pytest.MonkeyPatch):
    assert rates(tune, monkeypatch, 1, 60.0) == [1.0]


def test_other_line_ends_may_be_in_what_an_example_says(tune: Any, tmp_path: Path):
    said = "a\u2028b\x85c"
    one = Example(
        kind="plan",
        goal="log",
        source="rulebook",
        question=msgspec.Raw(b"{}"),
        system=said,
        user="",
        answer="{}",
    )
    write(tmp_path / "examples.jsonl", [one, one])
    found = tune.examples_of(tmp_path / "examples.jsonl")
    assert [each["system"] for each in found] == [said, said]
