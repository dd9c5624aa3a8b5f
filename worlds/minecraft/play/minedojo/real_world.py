"""The real MineDojo behind the World interface: one player process for each environment."""

import logging
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from voxeldojo.actions import ACTION_SIZES, EQUIP
from voxeldojo.rules import ITEMS, block_names, item_id, item_names
from voxeldojo.tasks import WrongArgument, WrongValue, argument_names, make_kwargs, slots_in
from voxeldojo.world_interface import NOON, Bools, Floats, Ints, World
from worlds.minecraft.card import features
from worlds.minecraft.play.minedojo import ports as taken_ports
from worlds.minecraft.play.minedojo.instance import Instance, Lost, RefusedByPackage
from worlds.minecraft.play.minedojo.seen import Seen, Statistics, observation_of
from worlds.minecraft.play.readings import GRIDS
from worlds.play import WorldError

LOG = logging.getLogger("minedojo")
ENVIRONMENT = Path(__file__).parents[4] / ".venv-minedojo"
SLOTS = 36  # to pack into
OWN_OPTIONS = (
    "ports", "connections", "python", "fast_reset", "timeout", "reset_timeout", "memory_limit",
    "restarts", "strict", "voxel_radius", "initial_slots",
)  # fmt: skip
OURS = ("sim_name", "use_voxel", "voxel_size", "use_lidar", "event_level_control", "use_depth")


class MineDojoWorld(World):
    """``size`` environments of one task, each with an instance of the real game.

    ``ports``: of instances that are running already, one for each environment; without it the
    package starts Minecraft itself. ``connections``: how many environments each of them takes, one
    for Minecraft, many for the embedded world's Malmo server. ``python``: of the environment that
    ``make minedojo`` makes. ``timeout`` and ``reset_timeout``: seconds for a step and for a start
    or reset. ``memory_limit``: MiB of an instance beyond which it is started again. ``restarts``:
    how often in a row an instance may be lost before the world gives up. ``initial_slots``: where
    items of the start inventory lie, as in the embedded world. ``lidar_rays``: (pitch rad, yaw rad,
    metres) as MineDojo's; by default all that policies and programs look along. Further options are
    the arguments of MineDojo's open-ended ``make``.

    Raises:
        ValueError: an unknown option, item or biome, or a value out of range.
        WorldError: the real package is not installed, or there are too few ports.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = (
        *OWN_OPTIONS,
        *(name for name in argument_names("open-ended") if name not in (*OURS, *OWN_OPTIONS)),
    )

    def __init__(
        self,
        size: int,
        *,
        biome: str = "forest",
        inventory: Mapping[str, int] | None = None,
        ports: list[int] | None = None,
        connections: int = 1,
        python: str | None = None,
        fast_reset: bool = False,
        timeout: float = 60.0,
        reset_timeout: float = 600.0,
        memory_limit: int = 8192,
        restarts: int = 3,
        strict: bool = True,
        voxel_radius: int = 1,
        initial_slots: str = "",
        lidar_rays: list[tuple[float, float, float]] | None = None,
        image_size: tuple[int, int] = (160, 256),
        **arguments: Any,
    ) -> None:
        if size < 1:
            raise ValueError(f"a world needs at least one environment, not {size}")
        if not (timeout > 0.0 and reset_timeout > 0.0 and memory_limit > 0 and restarts > 0):
            raise ValueError("timeout, reset_timeout, memory_limit and restarts are above 0")
        if not 0 <= voxel_radius <= 16:
            raise ValueError(f"voxel_radius is from 0 to 16, not {voxel_radius}")
        self._python = Path(python) if python else ENVIRONMENT / "bin" / "python"
        if not self._python.exists():
            raise WorldError(
                f"the world 'minedojo' needs the real minedojo package, and there is no"
                f" {self._python}: `make minedojo` makes that environment (docs/minedojo.md);"
                " world=embedded works without it"
            )
        if connections < 1:
            raise ValueError(f"connections is at least 1, not {connections}")
        if ports is not None and len(ports) * connections < size:
            raise WorldError(
                f"{size} environments need {size} ports, not {len(ports)}: {ports}; more instances,"
                " fewer environments (docs/minedojo.md), or connections=N for a port that takes N"
            )
        self.size, self._biome, self._given = size, biome, dict(inventory or {})
        self.block_names, self.item_names = block_names, item_names
        self.image_size = image_size
        self.voxel_radius = voxel_radius
        self._rays = lidar_rays or default_rays()
        self._ports = None if ports is None else ports * connections
        self._strict = strict
        self._slots = slots_in(initial_slots)
        self._timeout, self._reset_timeout = timeout, reset_timeout
        self._memory_limit, self._restarts = memory_limit, restarts
        self._kwargs, self._inventory = self._arguments({"fast_reset": fast_reset, **arguments})
        self._folder: Path | None = None  # nothing is started before the first reset
        self._played_on: list[int] = []
        self._instances: list[Instance | None] = [None] * size
        self._seeds = [0] * size
        self._seen = Seen(size, voxel_radius, self._rays)
        self._statistics = Statistics(size)
        self._observations: list[dict[str, Any]] = [{}] * size
        self._lost = self.lost = np.zeros(size, np.bool_)

    def _arguments(self, given: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
        """What the player gets for ``make("open-ended", ...)``, checked here, where a sentence can
        be said."""
        radius = self.voxel_radius
        kwargs: dict[str, Any] = {
            "image_size": list(self.image_size),
            "use_voxel": True,
            "voxel_size": {f"{a}{end}": sign * radius
                           for a in "xyz" for end, sign in (("min", -1), ("max", 1))},
            "use_lidar": True,
            "lidar_rays": [list(ray) for ray in self._rays],
            "start_time": NOON,
            **given,
        }  # fmt: skip
        if "generate_world_type" not in kwargs and self._biome:
            kwargs["generate_world_type"] = "specified_biome"
            kwargs.setdefault("specified_biome", self._biome)
        inventory = stacks_in_slots(self._given, self._slots)
        try:
            make_kwargs("open-ended", **kwargs, initial_inventory=inventory)
        except (WrongArgument, WrongValue) as error:
            raise ValueError(str(error)) from None
        return kwargs, inventory

    def reset(self, environments: Ints, seeds: Ints) -> None:
        """Raises WorldError: an instance is lost again and again."""
        rows = np.asarray(environments, np.int64)
        if rows.shape != np.shape(seeds) or rows.ndim != 1:
            raise ValueError("reset wants as many seeds as environments")
        if len(rows) and not 0 <= rows.min() <= rows.max() < self.size:
            raise ValueError(f"environments are numbered 0 to {self.size - 1}")
        for row, seed in zip(rows.tolist(), np.asarray(seeds).tolist(), strict=True):
            self._seeds[row] = seed
        self._begin(rows.tolist())
        self._lost[:] = False

    def step(self, actions: Ints, active: Bools) -> None:
        """An instance that is lost in it is started again, at the beginning of the same episode,
        and marked in ``lost``."""
        actions, active = np.asarray(actions), np.asarray(active)
        if (
            actions.shape != (self.size, 8)
            or actions.dtype.kind not in "iu"
            or active.shape != (self.size,)
        ):
            raise ValueError(
                f"step wants whole numbers ({self.size}, 8) and active ({self.size},), not"
                f" {actions.shape} and {active.shape}"
            )
        rows = np.flatnonzero(active).tolist()
        chosen = {row: self._checked(row, actions[row].tolist()) for row in rows}
        self._lost[:] = False
        lost: dict[int, str] = {}
        for row in rows:
            try:
                self._instance(row).ask({"do": "step", "action": chosen[row]}, self._timeout)
            except Lost as error:
                lost[row] = str(error)
        refused = ""
        for row in rows:
            if row in lost:
                continue
            try:
                self._note(row, self._instance(row).answer(self._timeout))
            except Lost as error:
                lost[row] = str(error)
            except RefusedByPackage as error:
                refused = refused or f"environment {row}: {error}"
        for row in rows:
            if row not in lost and self._instance(row).memory() > self._memory_limit:
                lost[row] = f"holds more than {self._memory_limit} MiB"
        for row, how in lost.items():
            LOG.warning("environment %d is started again: its instance %s", row, how)
            self._drop(row)
            self._lost[row] = True
        if lost:
            self._begin(list(lost))
        if refused:
            raise ValueError(refused)

    def _checked(self, row: int, action: list[int]) -> list[int]:
        for column, (value, most) in enumerate(zip(action, ACTION_SIZES, strict=True)):
            if not 0 <= value < most:
                raise ValueError(f"environment {row}: action[{column}] is 0 to {most - 1}, not"
                                 f" {value}")  # fmt: skip
        # From equip on, functions want something in the slot.
        if action[5] >= EQUIP and self._seen.items[row, action[7]] == 0:
            if self._strict:
                verb = ("equip", "place", "destroy")[action[5] - EQUIP]
                raise ValueError(f"environment {row}: cannot {verb} slot {action[7]}, it is empty")
            return [*action[:5], 0, 0, 0]
        return action

    # ---- instances

    def _begin(self, rows: list[int]) -> None:
        """New episodes of the rows' seeds. An instance that is lost on the way is started again."""
        if self._folder is None:
            if self._ports is not None:
                self._played_on = taken_ports.take(self._ports, self.size)
            self._folder = Path(tempfile.mkdtemp(prefix="rlgpt-minedojo-"))
        for attempt in range(self._restarts):
            lost: dict[int, str] = {}
            # Side by side, as the package takes seconds to import; but Minecraft one by one, which
            # is built at its first start.
            fresh = [row for row in rows if self._instances[row] is None]
            for some in [fresh] if self._played_on else [[row] for row in fresh]:
                for row in some:
                    self._start(row, lost)
                for row in [row for row in some if row not in lost]:
                    self._await_start(row, lost)
            for row in [row for row in rows if row not in lost]:
                self._try(row, lost, {"do": "reset", "seed": str(self._seeds[row])})
            for row in [row for row in rows if row not in lost]:
                self._try(row, lost, None)
            rows = list(lost)
            for row, how in lost.items():
                LOG.warning("environment %d could not begin: its instance %s", row, how)
                self._drop(row)
            if not rows:
                return
            how = next(iter(lost.values()))
            if attempt + 1 == self._restarts:
                raise WorldError(
                    f"instances of MineDojo were lost {self._restarts} times in a row; the last one"
                    f" {how} (docs/minedojo.md has what an instance needs)"
                )

    def _start(self, row: int, lost: dict[int, str]) -> None:
        assert self._folder is not None
        instance = self._instances[row] = Instance(self._python, self._folder / f"{row}.log")
        asked = {
            "do": "make",
            "kwargs": self._kwargs,
            "inventory": self._inventory,
            "port": self._played_on[row] if self._played_on else None,
            "timeout": self._reset_timeout,
        }
        try:
            instance.ask(asked, self._reset_timeout)
        except Lost as error:
            lost[row] = str(error)

    def _await_start(self, row: int, lost: dict[int, str]) -> None:
        try:
            self._instance(row).answer(self._reset_timeout)
        except Lost as error:
            lost[row] = str(error)
        except RefusedByPackage as error:
            raise WorldError(str(error)) from None

    def _try(self, row: int, lost: dict[int, str], asked: dict[str, Any] | None) -> None:
        """Ask, or take the answer where nothing is to be asked."""
        instance = self._instance(row)
        try:
            if asked is not None:
                instance.ask(asked, self._reset_timeout)
            else:
                self._note(row, instance.answer(self._reset_timeout))
        except Lost as error:
            lost[row] = str(error)
        except RefusedByPackage as error:
            raise WorldError(str(error)) from None

    def _note(self, row: int, answer: dict[str, Any]) -> None:
        seen = self._observations[row] = observation_of(answer["seen"])
        self._seen.take(row, seen)
        self._statistics.take(row, answer["stat"])

    def _instance(self, row: int) -> Instance:
        instance = self._instances[row]
        if instance is None:
            raise ValueError(f"environment {row} has not begun: call reset before the first step")
        return instance

    def _drop(self, row: int) -> None:
        instance, self._instances[row] = self._instances[row], None
        if instance is not None:
            instance.kill()

    def close(self) -> None:
        for row, instance in enumerate(self._instances):
            if instance is not None:
                instance.close()
                self._instances[row] = None
        taken_ports.give_back(self._played_on)
        self._played_on = []
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    # ---- readers

    def inventory(self) -> tuple[Ints, Ints]:
        return self._seen.items, self._seen.counts

    def voxels(self, radius: int = 1, environments: Ints | None = None) -> Ints:
        found = self._seen.voxels(radius)
        return found if environments is None else found[environments]

    def mobs(
        self, pitch_yaw: Floats, reach: float, environments: Ints | None = None
    ) -> tuple[Ints, Floats]:
        return self._seen.mobs(np.asarray(pitch_yaw, np.float32), reach, environments)

    def rays(
        self, pitch_yaw: Floats, reach: float, environments: Ints | None = None
    ) -> tuple[Ints, Floats]:
        return self._seen.rays(np.asarray(pitch_yaw, np.float32), reach, environments)

    def location(self) -> tuple[Floats, Floats, Floats]:
        return self._seen.positions, self._seen.yaws, self._seen.pitches

    def life(self) -> tuple[Floats, Floats]:
        return self._seen.lives, self._seen.foods

    def killed(self) -> Ints:
        return self._statistics.killed

    def used(self) -> Ints:
        return self._statistics.used

    def age(self) -> Ints:
        return self._statistics.ages

    def masks(self) -> dict[str, Bools]:
        return self._seen.masks

    def rgb(self, environment: int, height: int, width: int) -> NDArray[np.uint8]:
        """The instance's picture, brought to this size by leaving out or repeating pixels."""
        picture = self.observation(environment)["rgb"]
        rows = np.arange(height) * picture.shape[1] // height
        columns = np.arange(width) * picture.shape[2] // width
        return np.ascontiguousarray(picture[:, rows][:, :, columns])

    def observation(self, environment: int) -> dict[str, Any]:
        if not 0 <= environment < self.size:
            raise ValueError(f"environments are numbered 0 to {self.size - 1}, not {environment}")
        return self._observations[environment]


def default_rays() -> list[tuple[float, float, float]]:
    """All rays along which policies and programs look, by MineDojo's signs."""
    found = {(round(p, 6), round(y, 6)) for p, y in np.concatenate(GRIDS).tolist()}
    # MineDojo's lidar has + yaw to the left.
    return [(pitch, -yaw, features.RAY_REACH) for pitch, yaw in sorted(found)]


def stacks_in_slots(
    inventory: Mapping[str, int], slots: Mapping[int, str]
) -> list[tuple[Any, ...]]:
    """Stacks, none larger than its item allows: of the items that ``slots`` names in those, as many
    as there are, all others from the main hand on."""
    left = {name.removeprefix("minecraft:").replace(" ", "_"): n for name, n in inventory.items()}
    for item, count in left.items():
        if item_id(item) == 0 or count < 1:
            raise ValueError(f"the start inventory cannot hold {count} of {item}")
    found: list[tuple[Any, ...]] = []
    for slot, item in slots.items():
        if count := min(left.get(item, 0), _stack(item)):
            found.append((slot, item, 0, count))
            left[item] -= count
    taken = {slot for slot, *_ in found}
    free = (slot for slot in range(SLOTS) if slot not in taken)
    for item, count in left.items():
        most = _stack(item)
        while count > 0:
            slot = next(free, None)
            if slot is None:
                raise ValueError(f"the start inventory needs more than the {SLOTS} slots there are")
            found.append((slot, item, 0, min(most, count)))
            count -= most
    return found


def _stack(item: str) -> int:
    """How many of it lie in one slot."""
    return ITEMS[item_id(item)].stack
