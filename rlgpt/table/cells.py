"""The cells of a table: tasks x methods x language models x seeds, by Hydra's multirun."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException

from rlgpt.composing.composition import compose_launch
from rlgpt.composing.configuration import check
from rlgpt.composing.override_keys import is_below, key_of
from rlgpt.refused import Refused, instead
from rlgpt.table import table_tasks
from rlgpt.table.definition import Definition

AXES = ("task", "method", "llm", "seed")
DEFAULT_LLM = "rulebook"
SAMPLES = "limits.samples"
"""The key of all the samples that a cell may take."""


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One launch of a table. ``limits`` are all of them, as composed; ``overrides`` is what else
    differs from the launch file. A result belongs to a cell only if both are the same."""

    launch: str
    task: str
    method: str
    llm: str
    seed: int
    limits: dict[str, Any]
    overrides: list[str]

    @property
    def name(self) -> str:
        return name_of(self.task, self.method, self.llm, self.seed)

    @property
    def arguments(self) -> list[str]:
        """What ``rlgpt launch`` is given."""
        limits = [f"limits.{key}={_shown(value)}" for key, value in self.limits.items()]
        # On the command line, the default would override a method's own model.
        model = [] if self.llm == DEFAULT_LLM else [f"llm={self.llm}"]
        return [
            self.launch,
            *table_tasks.arguments(self.task),
            f"method={self.method}",
            *model,
            f"seed={self.seed}",
            *limits,
            *self.overrides,
        ]

    def file(self, results: Path) -> Path:
        """The file in which a cell's result is kept, whichever table it was run for."""
        method = self.method if self.llm == DEFAULT_LLM else f"{self.method}+{self.llm}"
        return results / self.task / method / f"seed-{self.seed}.json"

    def matches(self, only: dict[str, set[str]]) -> bool:
        return all(str(getattr(self, axis)) in wanted for axis, wanted in only.items())


def is_of_llm(override: str) -> bool:
    """Whether it sets where a language model is. Such ones are passed on to the cells of other
    models than the rulebook, and do not change a cell's identity."""
    return is_below("llm", override)


def name_of(task: str, method: str, llm: str, seed: int) -> str:
    """What a cell is called in sentences."""
    model = "" if llm == DEFAULT_LLM else f" llm={llm}"
    return f"{task} {method}{model} seed {seed}"


def expand(
    definition: Definition, extra: list[str], wanted: Callable[[Cell], bool] = lambda cell: True
) -> list[Cell]:
    """Every cell of a table, in the order in which they are run: seed by seed, so that a table that
    is stopped early has all its rows. ``extra`` are the command line's overrides; ``wanted``:
    whether the limits of a cell are needed. Composing takes long, and others have none. Raises
    Refused.
    """
    fixed = [
        *(f"limits.{key}={_shown(value)}" for key, value in definition.limits.items()),
        f"nodes.fast_agent.parameters.evaluation_episodes={definition.episodes}",
        *definition.overrides,
        *extra,
    ]
    sweep = [
        f"seed={','.join(str(seed) for seed in definition.seeds)}",
        f"llm={','.join(definition.llms)}",
        f"task={','.join(definition.tasks)}",
        f"method={','.join(definition.methods)}",
    ]
    given = SAMPLES in map(key_of, extra)
    samples = {} if given else _samples(definition)
    ids = {task for task in definition.tasks if table_tasks.is_id(task)}
    limits: dict[tuple[str, str], dict[str, Any]] = {}
    cells: list[Cell] = []
    for job in _jobs(sweep, fixed):
        values = dict(argument.split("=", 1) for argument in job)
        chosen = {axis: values.pop(axis) for axis in AXES}
        task, method = chosen["task"], chosen["method"]
        overrides = [f"{key}={value}" for key, value in values.items()]
        if chosen["llm"] == DEFAULT_LLM:
            overrides = [each for each in overrides if not is_of_llm(each)]
        own = definition.limits_of.get(method, {})
        overrides = _cell_overrides(overrides, samples.get(task), own, extra)
        cell = Cell(
            launch=definition.launch,
            task=task,
            method=method,
            llm=chosen["llm"],
            seed=int(chosen["seed"]),
            limits={},
            overrides=[o for o in overrides if not is_below("limits", o)],
        )
        if not wanted(cell):
            cells.append(cell)
            continue
        group = ("" if task in ids else task, method)  # ids differ in their samples alone
        if group not in limits:
            limits[group] = _composed_limits(definition.launch, task, method, overrides)
        composed = limits[group]
        if task in samples and "samples" not in own:
            composed = {**composed, "samples": samples[task]}
        cells.append(msgspec.structs.replace(cell, limits=composed))
    return cells


def _cell_overrides(
    overrides: list[str], samples: int | None, own: dict[str, Any], extra: list[str]
) -> list[str]:
    """``overrides`` with the table's ``samples`` of the task, if it states them, and the method's
    ``own`` limits, except where ``extra``, the command line, has the same."""
    if samples is not None:
        overrides = [each for each in overrides if key_of(each) != SAMPLES]
        overrides.append(f"{SAMPLES}={samples}")
    for key, value in own.items():
        limit = f"limits.{key}"
        if limit not in map(key_of, extra):
            overrides = [each for each in overrides if key_of(each) != limit]
            overrides.append(f"{limit}={_shown(value)}")
    return overrides


def _composed_limits(launch: str, task: str, method: str, overrides: list[str]) -> dict[str, Any]:
    """The limits of the launch that a cell is. Raises Refused."""
    # No language model has limits; and a model may lack what its profile needs.
    groups = [*table_tasks.arguments(task), f"method={method}"]
    others = [each for each in overrides if not is_of_llm(each)]
    composed = compose_launch(launch, [*groups, *others])
    check({**composed, "run": ""}, launch)
    return composed.get("limits") or {}


def _samples(definition: Definition) -> dict[str, int]:
    """``limits.samples`` by task."""
    learn, episodes = definition.learn, definition.episodes
    by_rule = [task for task in definition.tasks if learn is not None and table_tasks.is_id(task)]
    found = {task: table_tasks.samples(task, learn or 0, episodes) for task in by_rule}
    return {**found, **definition.samples}


def _jobs(sweep: list[str], fixed: list[str]) -> list[list[str]]:
    """The overrides of each job, as Hydra's multirun splits them.

    Multirun itself composes each job twice and runs it in its own process; a launch composes itself
    in a process of its own, so only the sweeper's split is taken.
    """
    try:
        parsed = OverridesParser.create().parse_overrides([*sweep, *fixed])
    except HydraException as error:
        broken = next((o for o in fixed if o in str(error)), " ".join(fixed))
        raise Refused(
            f"`{broken}` is no override; write key=value, with values as Hydra reads them"
        ) from None
    for override in parsed[len(sweep) :]:
        if override.is_delete():
            raise Refused(f"`{override.input_line}` takes something away: write key=value")
        if override.is_sweep_override():
            raise Refused(f"`{override.input_line}` has several values; give one")
        if override.key_or_group in AXES:
            raise Refused(
                f"`{override.input_line}` is an axis of the table: --only {override.input_line}"
            )
    return [job for batch in BasicSweeper.split_arguments(parsed, None) for job in batch]


def selection(words: list[str], definition: Definition) -> dict[str, set[str]]:
    """What ``--only task=stick,bed seed=0`` asks for, by axis. Raises Refused."""
    there = {
        "task": definition.tasks,
        "method": definition.methods,
        "llm": definition.llms,
        "seed": [str(seed) for seed in definition.seeds],
    }
    chosen: dict[str, set[str]] = {}
    for word in words:
        axis, _, values = word.partition("=")
        if axis not in there or not values:
            raise Refused(f"--only {word}: write {'=..., '.join(AXES)}=...")
        for value in values.split(","):
            if value not in there[axis]:
                raise Refused(f"the table has no {axis} `{value}`{instead(value, there[axis])}")
            chosen.setdefault(axis, set()).add(value)
    return chosen


def _shown(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
