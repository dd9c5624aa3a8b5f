"""The rulebook's programs do the same in an independent interpreter (pydantic-monty, optional)."""

import ast
import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nodes.env_server.programs import Run, compile_program, grammar
from tests.fake_world import GROUND, FakeWorld
from voxeldojo.world_interface import Ints
from worlds.minecraft.card import CARD
from worlds.minecraft.card.language import LANGUAGE
from worlds.minecraft.play.observation import (
    RADIUS,
    Observation,
    Observations,
    find,
    nearest,
    nearest_mob,
)
from worlds.minecraft.play.primitives import ARGUMENT, VECTORS
from worlds.minecraft.play.readings import Readings
from worlds.minecraft.play.runtime import RUNTIME

monty = pytest.importorskip(
    "pydantic_monty", reason="pydantic-monty is not installed: pip install .[admission]"
)
PROGRAMS = sorted(CARD.rulebook.programs.glob("*.py"))
STEPS = 60
SEEDS = 4
LIMITS: Any = {"max_suspensions": 100_000}  # a block that is looked at is one
SIMPLE = ("position", "yaw", "pitch", "inventory", "facing", "facing_distance")
FIELDS = frozenset({*SIMPLE, "nearby_table", "nearby_furnace"})


@dataclasses.dataclass(frozen=True)
class Seen:
    """An observation as a value that can cross into another interpreter."""

    position: tuple[float, float, float]
    yaw: float
    pitch: float
    inventory: dict[str, int]
    facing: str
    facing_distance: float
    craftable: tuple[str, ...]
    nearby_table: bool
    nearby_furnace: bool
    steps: int


class Grounded(FakeWorld):
    """The fake world with one ground, whatever the radius in which it is read."""

    def voxels(self, radius: int = 1, environments: Ints | None = None) -> Ints:
        found = super().voxels(radius, environments)
        found[:, :, :radius] = GROUND
        return found


class TooLong(Exception):
    pass


class Host:
    """The fake world at the other end, and the trace of what was done in it."""

    def __init__(self, seed: int) -> None:
        self.world = Grounded(1)
        self.world.reset(np.arange(1), np.array([seed]))
        self.world.yaw[0] = 15.0 * (seed % 3)
        self.readings = Readings(self.world)
        self.trace: list[int] = []
        self._seen: Observation | None = None

    def seen(self) -> Observation:
        """What there is to see now, with what was read of it before."""
        if self._seen is None:
            self._seen = Observations(self.readings, FIELDS).row(0, len(self.trace))
        return self._seen

    def take(self, code: int) -> None:
        self.trace.append(code)
        self.world.step(VECTORS[code][None], np.ones(1, bool))
        self.readings.forget()
        self._seen = None


def ours(source: str, seed: int) -> list[int]:
    host = Host(seed)
    run = Run(compile_program(source, RUNTIME), STEPS)
    code = run.start(host.seen())
    while code is not None:
        assert isinstance(code, int)
        host.take(code)
        code = run.send(host.seen())
    return host.trace


class _BlocksOfTheHost(ast.NodeTransformer):
    """``obs.block(...)`` as ``block_at(obs, ...)``: a value has no methods there."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "block":
            of = node.func.value
            return ast.Call(ast.Name("block_at", ast.Load()), [of, *node.args], node.keywords)
        return node


def elsewhere(source: str) -> str:
    """A program with our helpers before it, as the other interpreter can run it."""
    helpers, program = ast.parse("\n\n".join(LANGUAGE.helper_files())), ast.parse(source)
    taken = {part.name for part in helpers.body if isinstance(part, ast.FunctionDef)}
    assert not taken & {part.name for part in program.body if isinstance(part, ast.FunctionDef)}
    whole = _BlocksOfTheHost().visit(ast.Module([*helpers.body, *program.body], []))
    return ast.unparse(ast.fix_missing_locations(whole))


def theirs(source: str, seed: int) -> list[int]:
    host = Host(seed)

    def value() -> Any:
        obs = host.seen()
        fields = {f.name: getattr(obs, f.name) for f in dataclasses.fields(Seen)}
        seen = Seen(**{**fields, "inventory": dict(obs.inventory)})
        return monty.ClassInstance(seen, eager_attrs="all")

    def act(code: int) -> Any:
        if len(host.trace) >= STEPS:
            raise TooLong
        host.take(code)
        return value()

    lookup: dict[str, Any] = {
        name: getattr(math, name) for name in sorted(grammar.PURE) if hasattr(math, name)
    }
    for name, count in LANGUAGE.primitives.items():
        if count:
            lookup[name] = lambda argument, check=ARGUMENT[name]: act(check(argument))
        else:
            lookup[name] = lambda code=LANGUAGE.codes[name]: act(code)
    lookup["nearest"] = lambda obs, block: nearest(host.seen(), block)
    lookup["nearest_mob"] = lambda obs, mob: nearest_mob(host.seen(), mob)
    lookup["find"] = lambda obs, block, radius=RADIUS: find(host.seen(), block, radius)
    lookup["block_at"] = lambda obs, dx, dy, dz: host.seen().block(dx, dy, dz)
    with monty.Monty() as pool, pool.checkout(limits=LIMITS) as session:
        try:
            session.feed_run(
                elsewhere(source) + "\naction(first)\n",
                inputs={"first": value()},
                external_lookup=lookup,
            )
        except monty.MontyRuntimeError:
            if len(host.trace) < STEPS:
                raise
    return host.trace


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_acts_the_same_in_plain_python(path: Path) -> None:
    source = path.read_text()
    for seed in range(SEEDS):
        mine = ours(source, seed)
        assert theirs(source, seed) == mine, seed
