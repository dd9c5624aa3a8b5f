"""Numbers of a training spec that comes from Python, where no agent has checked it."""

from typing import Any

import msgspec
import pytest

from messages.program import Program
from messages.training import LeadingStage, TrainingSpec, Tryouts
from messages.world import Guard, RewardTerm, SeedRange
from nodes.learner.spec_bounds import spec_problem
from tests.learning.corridor import corridor_spec

NO_SEEDS = SeedRange(first=0, count=0)


def changed(**fields: Any) -> TrainingSpec:
    return msgspec.structs.replace(corridor_spec(budget=100), **fields)


def with_interface(**fields: Any) -> TrainingSpec:
    spec = changed()
    return msgspec.structs.replace(
        spec, interface=msgspec.structs.replace(spec.interface, **fields)
    )


def macro(**fields: Any) -> Program:
    return Program(name="dig", source="def action(obs):\n    dig()\n", **fields)


DIG = macro(interrupt=1)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (changed(seeds=NO_SEEDS), "seeds.count is 0; it is at least 1."),
        (changed(tryouts=Tryouts(seeds=NO_SEEDS)), "tryouts.seeds.count is 0"),
        (changed(seeds=SeedRange(first=2**63 - 1, count=5)), "seeds.first is 9223372036854775807"),
        (changed(seeds=SeedRange(first=-1, count=5)), "seeds.first is -1; seeds are 0 to"),
        (changed(budget=0), "budget is 0; it is at least 1 step."),
        (changed(give_up_at=-1), "give_up_at is -1"),
        (changed(stop_at=float("nan")), "stop_at is nan"),
        (changed(stop_at=-1.0), "stop_at is -1.0"),
        (
            with_interface(rewards=[RewardTerm(kind="step", weight=float("inf"))]),
            "interface.rewards[0].weight is not a finite number of at most 1e+06 either way.",
        ),
        (with_interface(rewards=[RewardTerm(kind="step", weight=-1e39)]), "of at most 1e+06"),
        (
            with_interface(rewards=[RewardTerm(kind="step", weight=1e-320)]),
            "interface.rewards[0].weight is 9.99989e-321; it is 0, or at least 1e-06 either way.",
        ),
        (with_interface(macros=[DIG, macro(interrupt=0)]), "macros[1].interrupt is 0; it is at"),
        (with_interface(macros=[macro(max_steps=-2)]), "macros[0].max_steps is -2; it is at"),
        (with_interface(horizon=0), "interface.horizon is 0; it is at least 1 step."),
        (changed(prefix=[DIG, macro(max_steps=-2)]), "prefix[1].max_steps is -2; it is at"),
        (changed(lead=[LeadingStage(program=macro(max_steps=0))]), "lead[0].max_steps is 0"),
        (changed(clone=[macro(max_steps=0)]), "clone[0].max_steps is 0"),
        (changed(guards=[Guard(name="flee", when="", max_steps=-9)]), "guards[0].max_steps is -9"),
        (with_interface(memory="gru", memory_size=10**12), "at most 512 numbers"),
        (
            changed(
                guard=Guard(name="flee", when="True", max_steps=3),
                tryouts=Tryouts(seeds=SeedRange(first=0, count=5)),
            ),
            "guard is trained without tryouts",
        ),
    ],
)
def test_numbers_that_no_training_can_have_are_named(spec: TrainingSpec, words: str) -> None:
    assert words in spec_problem(spec)


def test_a_spec_without_such_numbers_has_no_problem() -> None:
    assert spec_problem(changed()) == ""
    assert spec_problem(with_interface(macros=[DIG])) == ""
