"""Numbers of a training spec that no training can have. Agents check theirs before
(nodes/common/checks/spec_check.py); a spec from Python is first looked at here."""

from collections.abc import Iterator

from messages.bounds import LARGEST
from messages.training import TrainingSpec
from messages.world import SeedRange
from nodes.common.checks.spec_check import MOST_REMEMBERED, weight_problem


def spec_problem(spec: TrainingSpec) -> str:
    """The first number that is out of range, as a sentence that begins with its field; empty if
    there is none."""
    return next(_problems(spec), "")


def _problems(spec: TrainingSpec) -> Iterator[str]:
    yield from _of_seeds("seeds", spec.seeds)
    if spec.tryouts is not None:
        yield from _of_seeds("tryouts.seeds", spec.tryouts.seeds)
    if spec.guard is not None and (spec.tryouts is not None or spec.clone):
        yield "guard is trained without tryouts and without programs to clone; leave them out."
    if not spec.stop_at > 0:
        yield f"stop_at is {spec.stop_at}; it is a success rate above 0."
    for place, term in enumerate(spec.interface.rewards):
        if wrong := weight_problem(term.weight):
            yield f"interface.rewards[{place}].weight is {wrong}."
    for name, steps in _limits(spec):
        if steps is not None and steps < 1:
            yield f"{name} is {steps}; it is at least 1 step."
    if spec.interface.memory_size > MOST_REMEMBERED:
        yield (
            f"interface.memory_size is {spec.interface.memory_size}; at most {MOST_REMEMBERED} "
            "numbers can be remembered."
        )


def _limits(spec: TrainingSpec) -> Iterator[tuple[str, int | None]]:
    """The limits of what is played, in primitive steps, by their places in the spec."""
    for field in ("budget", "grows_to", "most", "give_up_at"):
        yield field, getattr(spec, field)
    yield "interface.horizon", spec.interface.horizon
    for field, programs in (
        ("interface.macros", spec.interface.macros),
        ("prefix", spec.prefix),
        ("lead", [stage.program for stage in spec.lead]),
        ("clone", spec.clone),
        ("guarded", [stage.program for stage in spec.guarded]),
    ):
        for place, program in enumerate(programs):
            if program is not None:
                yield f"{field}[{place}].max_steps", program.max_steps
                yield f"{field}[{place}].interrupt", program.interrupt
    for place, guard in enumerate(spec.guards):
        yield f"guards[{place}].max_steps", guard.max_steps
    if spec.guard is not None:
        yield "guard.max_steps", spec.guard.max_steps


def _of_seeds(name: str, seeds: SeedRange) -> Iterator[str]:
    if seeds.count < 1:
        yield f"{name}.count is {seeds.count}; it is at least 1."
    if not 0 <= seeds.first <= LARGEST - max(seeds.count, 0):
        yield f"{name}.first is {seeds.first}; seeds are 0 to {LARGEST:,}."
