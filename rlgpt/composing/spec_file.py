"""The file that `rlgpt train` reads: a training spec as a user writes it."""

import os
from pathlib import Path
from typing import Literal

import msgspec

from messages.bounds import LARGEST, Positive, Share
from messages.chat import SpecAnswer
from messages.program import Program
from messages.training import TrainingSpec
from messages.world import REWARDS, Interface, RewardTerm, SeedRange, Task
from nodes.common.checks.spec_check import spec_problems
from nodes.common.goals.goal_ids import slug
from rlgpt.composing.configuration import StrictCondition, StrictTask
from rlgpt.composing.conversion import complaint
from rlgpt.composing.user_files import read_user_text, read_user_yaml
from rlgpt.refused import Refused, did_you_mean
from worlds import card
from worlds.card import Card
from worlds.common.mineclip_feature import MINECLIP
from worlds.foreign import foreign_problem

_SEEDS = 900_000  # of training episodes; those after them are for tryouts and evaluations
_PER_RUN = 1_000_000


class CodedAction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program in a file of its own, which is looked for beside the spec."""

    file: str
    name: str = ""  # empty: the file's
    purpose: str = ""
    max_steps: Positive = 50


class Reward(RewardTerm, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A term of the reward, see `RewardTerm`."""


class SpecFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``task`` is the name of one in ``launch/task/``, or a task written out."""

    task: str | StrictTask
    observations: list[str]
    actions: list[str]
    rewards: list[Reward]
    horizon: Positive
    budget: Positive  # primitive samples to learn from
    name: str = ""  # of the policy; empty: the file's
    macros: list[CodedAction] = []  # coded actions added to the action space
    prefix: list[CodedAction] = []  # run inside resets, before the policy begins
    success: StrictCondition | None = None  # None: the task's
    targets: list[str] = []
    autocraft: bool = False
    memory: Literal["none", "gru"] = "none"  # what is carried from decision to decision
    memory_size: Positive = 64  # numbers of it
    # The budget may be doubled to so many samples while the success rate still rises.
    grows_to: Positive | None = None
    stop_at: Share = 0.98  # success rate of recent training episodes that ends it early
    give_up_at: Positive | None = None  # samples within which an episode must succeed


def read_spec_file(path: Path) -> SpecFile:
    """Raises Refused, in one sentence, for what is no spec."""
    data = read_user_yaml(path, "a training spec")
    if not isinstance(data, dict):
        raise Refused(f"{path}: it is no training spec: it should be a mapping of names to values")
    try:
        return msgspec.convert(data, SpecFile)
    except msgspec.ValidationError as error:
        raise Refused(f"{path}: {complaint(str(error), SpecFile, data)}") from None


def training_spec(spec: SpecFile, path: Path, task: Task, seed: int, gamma: float) -> TrainingSpec:
    """The spec for the learner. Raises Refused for a reward or a success that the task's game does
    not have, and for a program that cannot be read or is another game's."""
    game = card(task.game)
    rewards = [*REWARDS, *game.specs.rewards]
    for term in spec.rewards:
        if term.kind not in rewards:
            raise Refused(
                f"{path}: there is no reward `{term.kind}`{did_you_mean(term.kind, rewards)}"
            )
    if spec.success is not None and (problem := game.conditions.problem(spec.success)):
        raise Refused(f"{path}: success: {problem}")
    macros = [_program(each, path, game) for each in spec.macros]
    if problems := _problems(spec, macros, task.game):
        raise Refused(f"{path}: {' '.join(problems)}")
    return TrainingSpec(
        name=slug(spec.name or path.stem),
        task=task,
        interface=Interface(
            observations=spec.observations,
            actions=spec.actions,
            macros=macros,
            rewards=list(spec.rewards),
            success=spec.success or task.success,
            horizon=spec.horizon,
            targets=spec.targets,
            gamma=gamma,
            autocraft=spec.autocraft,
            memory=spec.memory,
            memory_size=spec.memory_size,
        ),
        prefix=[_program(each, path, game) for each in spec.prefix],
        seeds=SeedRange(first=seed * _PER_RUN, count=_SEEDS),
        budget=spec.budget,
        grows_to=spec.grows_to,
        stop_at=spec.stop_at,
        give_up_at=spec.give_up_at,
    )


def _problems(spec: SpecFile, macros: list[Program], game: str) -> list[str]:
    """What is wrong with its names and numbers, in sentences. Of MineCLIP only the learner knows
    whether its weights are there; programs are checked by the env server."""
    specs = card(game).specs
    written = SpecAnswer(
        observations=spec.observations,
        actions=spec.actions,
        rewards=list(spec.rewards),
        horizon=spec.horizon,
        targets=spec.targets,
        budget=spec.budget,
        memory=spec.memory,
        memory_size=spec.memory_size,
    )
    known = [*specs.features, MINECLIP.name]
    problems = spec_problems(written, known, specs.actions, True, LARGEST, game)
    names = [macro.name for macro in macros]
    twice = sorted({name for name in names if names.count(name) > 1})
    return [*problems, *(f"Two macros are called {name!r}." for name in twice)]


def _program(action: CodedAction, path: Path, game: Card) -> Program:
    file = path.parent / action.file
    try:
        if where := _outside(file, path.parent):
            raise Refused(f"the program {action.file} {where} the spec's folder; put it there")
        source = read_user_text(file)
    except Refused as refused:
        raise Refused(f"{path}: {refused}") from None
    if problem := foreign_problem(source, game.language):
        raise Refused(f"{path}: {file}: {problem}")
    return Program(
        name=action.name or file.stem,
        source=source,
        purpose=action.purpose,
        max_steps=action.max_steps,
    )


def _outside(file: Path, folder: Path) -> str:
    """How a program's file is outside the spec's folder; empty where it is inside. A spec may be
    another's, with links among its files, and what a program holds is copied into the run
    folder."""
    try:
        real, inside = os.path.realpath(file), os.path.realpath(folder)
    except ValueError:  # a NUL in its name, which reading refuses
        return ""
    if Path(real).is_relative_to(inside):
        return ""
    link = Path(os.path.normpath(file)).is_relative_to(folder)
    return f"is a link to {real}, outside" if link else "is outside"
