"""The embedded world behind the World interface: it owns the arrays and calls the kernels."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from operator import index
from typing import Any, ClassVar

import numba
import numpy as np
from numpy.typing import NDArray

from voxeldojo.actions import ACTION_SIZES, FUNCTIONS
from voxeldojo.engine.body.causes_of_death import cause_of
from voxeldojo.engine.checked_rows import checked_rows, checked_seeds
from voxeldojo.engine.compiling.compiled_apart import connect
from voxeldojo.engine.compiling.direct_calls import direct
from voxeldojo.engine.copying import Copyable
from voxeldojo.engine.enough_memory import fitting_state
from voxeldojo.engine.hands.items import add_items, lay_drop
from voxeldojo.engine.mobs.weapons import RECOVERY
from voxeldojo.engine.observation.batch_observation import observe_all
from voxeldojo.engine.observation.readings_for_programs import (
    ARMOUR,
    look_around,
    look_at_oneself,
    look_for_mobs,
    read_light,
)
from voxeldojo.engine.observation.view_options import check_radius, check_view_options, checked_rays
from voxeldojo.engine.rays import cast_all
from voxeldojo.engine.rulebook import rules
from voxeldojo.engine.scene.markup import BadMarkup
from voxeldojo.engine.scene.staging import (
    Scene,
    Staging,
    staging_of,
    write_settings,
)
from voxeldojo.engine.scene.start_inventory import arranged, equipment_of
from voxeldojo.engine.state import HEIGHT, new_state
from voxeldojo.engine.stepping import act_all, begin_all
from voxeldojo.engine.threads.packed_worlds import PackedWorlds
from voxeldojo.engine.threads.shared_stepping import load_kernels, pays, step_shared
from voxeldojo.engine.threads.thread_crew import Crew
from voxeldojo.engine.threads.world_maker import WorldMaker
from voxeldojo.names import quoted
from voxeldojo.rules import biome_named, block_names, item_names
from voxeldojo.tasks import slots_in
from voxeldojo.tasks.world_options import check_world, check_world_options
from voxeldojo.world_interface import OBSERVED, Bools, Floats, Ints, Run, World

COLUMNS = ("move", "strafe", "gait", "pitch", "yaw", "function", "craft argument", "slot")
RAYS = ("ray_block", "ray_distance")
MANY_RAYS = 2_000  # fewer are not worth sharing among threads
STEP, OBSERVE, CAST = direct(act_all), direct(observe_all), direct(cast_all)


class EmbeddedWorld(Copyable, World):
    """``size`` worlds, stepped side by side in one compiled call.

    ``biome``: the one biome of each world, for worlds of one (``generate_world_type``).
    ``inventory``: the items that the player begins with, by name. ``area``: columns along each side
    of the window around the player, 32, 64, 128 or 256. ``break_speed_multiplier``: how many times
    faster blocks break than in the game. ``image_size``: (height, width) of the picture in
    ``observation``; the field of view in which a crafting table counts as nearby depends on it.
    ``use_voxel``, ``voxel_radius``, ``use_lidar`` and ``lidar_rays`` ((pitch rad, yaw rad, metres)
    each): the voxels and rays in ``observation``. ``strict``: equip, place and destroy on an empty
    slot are rejected, as in MineDojo; without it they do nothing. How an episode is set up:
    scene/staging.py.

    Raises:
        ValueError: an unknown biome or item, or an option out of range.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = (
        "area",
        "break_speed_multiplier",
        "image_size",
        "use_voxel",
        "voxel_radius",
        "use_lidar",
        "lidar_rays",
        "start_health",
        "start_food",
        "strict",
        *Staging.__struct_fields__,
    )

    def __init__(
        self,
        size: int,
        *,
        biome: str = "forest",
        inventory: Mapping[str, int] | None = None,
        area: int = 128,
        break_speed_multiplier: float = 1.0,
        image_size: tuple[int, int] = (160, 256),
        use_voxel: bool = True,
        voxel_radius: int = 1,
        use_lidar: bool = False,
        lidar_rays: list[tuple[float, float, float]] | None = None,
        start_health: float = 20.0,
        start_food: float = 20.0,
        strict: bool = True,
        **staging: Any,
    ) -> None:
        check_world(size, biome, inventory)
        check_world_options(
            {
                "area": area,
                "break_speed_multiplier": break_speed_multiplier,
                "start_health": start_health,
                "start_food": start_food,
                "strict": strict,
            }
        )
        check_view_options(image_size, use_voxel, voxel_radius, use_lidar, lidar_rays)
        staged = staging_of(staging)
        self.state = fitting_state(size, area)
        self.size = size
        self._all = np.arange(size)
        self.block_names = block_names
        self.item_names = item_names
        of_one = staged.generate_world_type == "specified_biome"
        self.biome = biome_named(biome if biome or of_one else "plains")
        self.image_size = image_size
        self.use_voxel = use_voxel
        self.voxel_radius = voxel_radius
        self.lidar_rays = (lidar_rays or [(0.0, 0.0, 10.0)]) if use_lidar else None
        self.rules = rules()
        self._equipment = equipment_of(inventory or {}, self.rules.item["stack"])
        self._arranged, self._packed = arranged(
            self._equipment, slots_in(staged.initial_slots), self.rules.item["stack"]
        )
        height, width = image_size
        # MineDojo's own window for nearby tools: 35 degrees, less along the shorter side.
        self.half_yaw = 35.0 * min(1.0, width / height)
        self.half_pitch = 35.0 * min(1.0, height / width)
        settings = self.state.settings
        settings["break_speed"] = break_speed_multiplier
        settings["life"], settings["food"] = start_health, start_food
        settings["half_yaw"], settings["half_pitch"] = self.half_yaw, self.half_pitch
        write_settings(self.state, staged, self.biome.id)
        try:
            self._scene = Scene(staged)
        except BadMarkup as error:
            raise ValueError(f"drawing_str: {error}") from None
        settings["strict"] = strict
        self.state.players["fresh"] = -1
        # Kernels get only our own arrays: for read-only ones Numba would compile them again.
        self._actions = np.zeros((size, 8), np.int64)
        self._active = np.zeros(size, np.bool_)
        self._waiting = True  # some environments may not have begun
        self._maker: WorldMaker | None = None
        self._crew = Crew()
        self._buffers: dict[Any, Any] = {}
        self._chosen: dict[Any, Any] = {}

    def reset(self, environments: Ints, seeds: Ints) -> None:
        environments, seeds = checked_seeds(environments, seeds, self.size)
        connect(self.state, self.rules)
        if self._maker is not None:
            self._maker.reset(list(zip(environments.tolist(), seeds.tolist(), strict=True)))
            return
        self._begin(environments, seeds)

    def begin(self, place: int, seed: int) -> None:
        """A new episode in one environment. It touches no other one."""
        self._begin(np.array([place], np.int64), np.array([seed], np.int64))

    def _begin(self, environments: Ints, seeds: Ints) -> None:
        begin_all(
            self.state,
            self.rules,
            environments,
            seeds,
            self._equipment[:0] if self._arranged else self._equipment,
        )
        if self._arranged:
            self._arrange(environments)
        self._scene.set_up(self, environments)

    def load(self) -> None:
        PackedWorlds(1, self.state.blocks.shape[1]).load(self.state)
        load_kernels(self.state, self.rules, self._actions, self._active)

    def look_ahead(self, worlds: int) -> Run:
        if self._maker is not None:
            raise ValueError("this world looks ahead already")
        connect(self.state, self.rules)
        spare = copy(self)
        spare.size, spare.state = 1, new_state(1, self.state.blocks.shape[1])
        spare.state.settings[:], spare.state.layers[:] = (
            self.state.settings[0],
            self.state.layers[0],
        )
        spare.state.biomes[:] = spare.state.settings["biome"][:, None, None]
        spare.state.players["fresh"] = -1
        self._maker = WorldMaker(self, spare, worlds)
        return self._maker.run

    def foresee(self, environments: Ints, seeds: Ints) -> None:
        if self._maker is not None:
            players = self.state.players[environments]
            # A seed that is played again is restored, not made.
            others = (players["fresh"] < 0) | (players["seed"] != seeds.astype(np.uint64))
            self._maker.foresee(seeds[others].tolist())

    def _arrange(self, environments: Ints) -> None:
        """Put the start inventory into its slots, some of which are given."""
        for w in environments.tolist():
            for place, item, count in self._arranged:
                self.state.slots[w, place]["item"], self.state.slots[w, place]["count"] = (
                    item,
                    count,
                )
            for item, count in self._packed.tolist():
                add_items(self.state, self.rules, w, item, count, 0, 0)

    def compile_step(self) -> None:
        """Compile what ``step`` calls, where it is not cached. The kernels that are compiled apart
        need not be there yet."""
        arguments = self.state, self.rules, self._actions, self._active
        kernel: Any = act_all
        kernel.compile(tuple(numba.typeof(argument) for argument in arguments))

    def step(self, actions: Ints, active: Bools) -> None:
        actions, active = np.asarray(actions), np.asarray(active)
        if actions.shape != (self.size, 8) or active.shape != (self.size,):
            raise ValueError(
                f"step wants actions ({self.size}, 8) and active ({self.size},), not"
                f" {actions.shape} and {active.shape}"
            )
        np.copyto(self._actions, actions, casting="same_kind")
        np.copyto(self._active, active, casting="same_kind")
        if self._waiting:
            self._refuse_waiting()
        arrays = self.state, self.rules, self._actions, self._active
        if pays(self._crew, self._active):
            row, column = step_shared(self._crew, *arrays)
        else:
            row, column = STEP(*arrays)
        if row >= 0:
            self._refuse(self._actions[row], int(row), int(column))

    def _refuse_waiting(self) -> None:
        """Raises ValueError: an active environment has not begun, so that it has no land."""
        waiting = self.state.players["fresh"] < 0
        self._waiting = bool(waiting.any())
        if (waiting & self._active).any():
            first = int(np.argmax(waiting & self._active))
            raise ValueError(f"environment {first} has not begun: reset it before the first step")

    def cause_of_death(self, environment: int) -> str:
        player = self.state.players[self._checked(environment)]
        return cause_of(int(player["cause"]), int(player["attacker"]))

    def _refuse(self, action: Ints, row: int, column: int) -> None:
        if column < 8:
            raise ValueError(
                f"environment {row}: {COLUMNS[column]} is 0 to {ACTION_SIZES[column] - 1}, not"
                f" {action[column]}"
            )
        raise ValueError(
            f"environment {row}: cannot {FUNCTIONS[action[5]]} slot {action[7]}, it is empty"
        )

    def observe(
        self,
        fields: Sequence[str] = OBSERVED,
        *,
        radius: int = 1,
        rays: Floats | None = None,
        reach: float = 20.0,
    ) -> dict[str, NDArray[Any]]:
        check_radius(radius)
        chosen = self._chosen.get((tuple(fields), radius))
        if chosen is None:
            chosen = self._chosen[tuple(fields), radius] = self._choose(fields, radius)
        wanted, arrays, seen = chosen
        if wanted:
            OBSERVE(self.state, self.rules, wanted, *arrays)
        if "rays" in fields:
            if rays is None:
                raise ValueError("rays are asked for, but not which: give rays as (R, 2) radians")
            return {**seen, **dict(zip(RAYS, self.rays(rays, reach), strict=True))}
        return dict(seen)  # the caller's own, for another call returns these arrays again

    def _choose(
        self, fields: Sequence[str], radius: int
    ) -> tuple[int, list[NDArray[Any]], dict[str, NDArray[Any]]]:
        """The bits of the fields, the arrays that the kernel writes, and the same by name."""
        unknown = [name for name in fields if name not in (*OBSERVED, "rays")]
        if unknown:
            raise ValueError(f"{quoted(unknown[0])} is none of {', '.join((*OBSERVED, 'rays'))}")
        wanted = sum(1 << bit for bit, name in enumerate(OBSERVED) if name in fields)
        n, size = 2 * radius + 1, self.size
        items, counts = self.buffer("inventory", (2, size, 36), np.int64)
        voxels = self.buffer(("voxels", radius), (size, n, n, n), np.int64)
        positions = self.buffer("positions", (size, 3), np.float32)
        angles = self.buffer("angles", (2, size), np.float32)
        lives = self.buffer("lives", (2, size), np.float32)
        basis = self.buffer("basis of masks", (size, 37), np.int64)
        held = self.buffer("held", (len(item_names),), np.int64)
        action_type = self.buffer("action_type", (size, 8), np.bool_)
        craft_smelt = self.buffer("craft_smelt", (size, 244), np.bool_)
        slots = self.buffer("slot masks", (3, size, 36), np.bool_)
        if not action_type.any():
            basis[:] = -1  # nothing was read before
        names = {
            "inventory": {"item": items, "quantity": counts},
            "voxels": {"voxels": voxels},
            "location": {"position": positions, "yaw": angles[0], "pitch": angles[1]},
            "life": {"life": lives[0], "food": lives[1]},
            "masks": {
                "action_type": action_type,
                "craft_smelt": craft_smelt,
                **dict(zip(("equip", "place", "destroy"), slots, strict=True)),
            },
            "rays": {},
        }
        arrays = [items, counts, voxels, positions, angles, lives]
        arrays += [basis, held, action_type, craft_smelt, slots]
        return wanted, arrays, {key: a for name in fields for key, a in names[name].items()}

    def inventory(self) -> tuple[Ints, Ints]:
        seen = self.observe(("inventory",))
        return seen["item"], seen["quantity"]

    def voxels(self, radius: int = 1, environments: Ints | None = None) -> Ints:
        if environments is None:
            return self.observe(("voxels",), radius=radius)["voxels"]
        check_radius(radius)
        rows = self._rows(environments)
        n = 2 * radius + 1
        names = self._rows_of("some voxels", (len(rows), n, n, n), np.int64)
        look_around(self.state, self.rules, rows, names)
        return names

    def location(self) -> tuple[Floats, Floats, Floats]:
        seen = self.observe(("location",))
        return seen["position"], seen["yaw"], seen["pitch"]

    def life(self) -> tuple[Floats, Floats]:
        seen = self.observe(("life",))
        return seen["life"], seen["food"]

    def masks(self) -> dict[str, Bools]:
        return self.observe(("masks",))

    def rays(
        self, pitch_yaw: Floats, reach: float, environments: Ints | None = None
    ) -> tuple[Ints, Floats]:
        pitch_yaw, rows = checked_rays(pitch_yaw, reach), self._rows(environments)
        shape = len(rows), len(pitch_yaw)
        names = self._rows_of("ray names", shape, np.int64)
        distances = self._rows_of("ray distances", shape, np.float32)

        def cast(some: slice) -> None:
            which, into = rows[some], (names[some], distances[some])
            CAST(self.state, self.rules, which, pitch_yaw, float(reach), *into)

        self._crew.share_out(len(rows), cast, pays=names.size >= MANY_RAYS)
        return names, distances

    def mobs(
        self, pitch_yaw: Floats, reach: float, environments: Ints | None = None
    ) -> tuple[Ints, Floats]:
        pitch_yaw, rows = checked_rays(pitch_yaw, reach), self._rows(environments)
        shape = len(rows), len(pitch_yaw)
        kinds = self._rows_of("mobs", shape, np.int64)
        distances = self._rows_of("distances of mobs", shape, np.float32)
        look_for_mobs(self.state, self.rules, rows, pitch_yaw, float(reach), kinds, distances)
        return kinds, distances

    def status(self, environments: Ints | None = None) -> dict[str, NDArray[Any]]:
        rows = self._rows(environments)
        oxygen = self._rows_of("oxygen", (len(rows),), np.float32)
        tools = self._rows_of("tools", (len(rows), 2), np.bool_)
        equipment = self._rows_of("equipment", (len(rows), 6), np.int64)
        look_at_oneself(self.state, rows, oxygen, tools, equipment)
        table, furnace = tools[:, 0], tools[:, 1]
        return {"oxygen": oxygen, "table": table, "furnace": furnace, "equipment": equipment}

    def worn(self) -> tuple[Ints, Ints]:
        slots = self.state.slots[:, ARMOUR:]
        items = self.buffer("worn", (2, self.size, 5), np.int64)
        items[0], items[1] = slots["item"], slots["count"]
        return items[0], items[1]

    def whereabouts(self) -> tuple[Ints, Ints]:
        players, biomes = self.state.players, self.state.biomes
        last = biomes.shape[1] - 1
        x, z = (np.floor(players[axis]).astype(np.int64) & last for axis in "xz")
        return biomes[self._all, x, z].astype(np.int64), players["dimension"].astype(np.int64)

    def recovered(self) -> Floats:
        held = self.state.slots["item"][:, 0]
        since = self.state.players["cooldown"] + 0.5
        return np.minimum(1.0, since / RECOVERY[held]).astype(np.float32)

    def age(self) -> Ints:
        return self.state.players["ticks"].copy()

    def killed(self) -> Ints:
        return self.state.kills.copy()

    def used(self) -> Ints:
        return self.state.used.astype(np.int64)

    def light(self, environments: Ints | None = None) -> Floats:
        rows = self._rows(environments)
        levels = self._rows_of("light", (len(rows),), np.float32)
        read_light(self.state, rows, self.buffer("surroundings", (6,), np.float64), levels)
        return levels

    def rgb(self, environment: int, height: int, width: int) -> NDArray[np.uint8]:
        from voxeldojo.engine.picture.batch_drawing import picture

        return picture(self, self._checked(environment), height, width)

    def rgb_all(
        self, height: int, width: int, environments: Ints | None = None
    ) -> NDArray[np.uint8]:
        """The views of these players, or of all, (n, 3, height, width) uint8; overwritten later."""
        from voxeldojo.engine.picture.batch_drawing import pictures

        return pictures(self, self._crew, self._rows(environments), height, width)

    def draw(self, environments: Ints, pictures: Iterable[NDArray[np.uint8]]) -> None:
        from voxeldojo.engine.picture.batch_drawing import draw

        draw(self, self._crew, self._rows(environments), pictures)

    def share_among(self, threads: int) -> Sequence[Run]:
        crew, self._crew = self._crew, Crew(threads)
        crew.close()
        return self._crew.runs

    def above(self, environment: int) -> NDArray[np.uint8]:
        from voxeldojo.engine.picture.from_above import from_above

        return from_above(self, self._checked(environment))

    def observation(self, environment: int) -> dict[str, Any]:
        from voxeldojo.engine.observation.minedojo_observation import observe

        return observe(self, self._checked(environment))

    def lay_item(
        self, environment: int, item: int, variant: int, place: tuple[float, float, float]
    ) -> None:
        """Place one item entity at rest at a place (metres)."""
        where = place[0], place[1], place[2]
        lay_drop(
            self.state, self._checked(environment), *where, 0.0, 0.0, 0.0, item, 1, variant, 0, 0
        )

    def close(self) -> None:
        if self._maker is not None:
            self._maker.close()
            self._maker = None
        self._crew.close()
        self._buffers.clear()
        self._chosen.clear()
        if "state" in vars(self):
            del self.state  # no kernel may see arrays that are gone

    def __getattr__(self, name: str) -> Any:
        if name == "state":
            raise ValueError("the environment is closed: make another one")
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    def _checked(self, environment: int) -> int:
        environment = index(environment)
        if not 0 <= environment < self.size:
            raise ValueError(f"environments are numbered 0 to {self.size - 1}, not {environment}")
        return environment

    def _rows(self, environments: Ints | None) -> Ints:
        """The numbers of the named environments, or of all."""
        return self._all if environments is None else checked_rows(environments, self.size)

    def _rows_of(self, name: str, shape: tuple[int, ...], kind: Any) -> NDArray[Any]:
        """A buffer with a row for each named environment; one may be named several times."""
        whole = max(shape[0], self.size), *shape[1:]
        return self.buffer((name, whole), whole, kind)[: shape[0]]

    def buffer(self, name: Any, shape: tuple[int, ...], kind: Any) -> NDArray[Any]:
        buffer = self._buffers.get(name)
        if buffer is None:
            buffer = self._buffers[name] = np.zeros(shape, kind)
        return buffer


__all__ = ["HEIGHT", "EmbeddedWorld"]
