"""The interface of every world: a batch of MineDojo environments.

A world steps B environments side by side. It shows the same as MineDojo's interface, as arrays of
ids and numbers (the batch interface) or as MineDojo's own observation dictionary (`observation`).
Everything that a policy or a program sees is computed from this, never from a world's internals.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voxeldojo.names import quoted
from voxeldojo.rules import item_names

Bools = NDArray[np.bool_]
Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Run = Callable[[Callable[[], None]], None]
"""Runs a function in another thread and waits for it."""

OBSERVED = ("inventory", "voxels", "location", "life", "masks")
"""The fields of ``World.observe``, beside ``rays``."""
NOON = 6000
"""Tick of the day at which episodes begin in every world, unless ``start_time`` is set. (Minecraft
itself would begin at dawn.)"""
NETHER_BIOME, END_BIOME = 8, 9
"""Minecraft's ids of the biomes "hell" and "sky"."""


class World(ABC):
    """A batch of ``size`` environments of one task.

    Arrays returned by the readers belong to the world. The next reading of the same kind overwrites
    them, also one of other environments, or by `observe`; copy them to keep them. Ids are indices
    into ``block_names`` (localised names in lower case, as in MineDojo's voxels and rays; 0 is air)
    and ``item_names`` (registry names, ``log``; 0 is air).
    """

    size: int
    block_names: list[str]
    item_names: list[str]
    lost: Bools | None = None
    """(B,): environments whose game was lost in the last step and started again: their episodes
    were cut off. None for a world that cannot lose one."""

    @abstractmethod
    def reset(self, environments: Ints, seeds: Ints) -> None:
        """Begin a new episode in each named environment. A seed always gives the same episode.

        Raises:
            ValueError: the environments, or their seeds, are no rows of whole numbers, not as many
                seeds as environments, one out of range, or an environment is named twice.
        """

    def load(self) -> None:
        """Load what would otherwise be loaded when it is first used, and may be refused then."""
        return None

    def look_ahead(self, worlds: int) -> Run | None:
        """From now on a thread makes its share of the worlds that a reset wants, and up to
        ``worlds`` of those that `foresee` names, before they are wanted. Returns what runs a
        function in that thread and waits for it, None where there is no such thread. An episode is
        the same whether its world was made ahead or not."""
        return None

    def foresee(self, environments: Ints, seeds: Ints) -> None:
        """The resets that may come next, the soonest first; see `look_ahead`."""
        return None

    @abstractmethod
    def step(self, actions: Ints, active: Bools) -> None:
        """Take one MineDojo action in each active environment.

        ``actions``: (B, 8) int64, MineDojo's MultiDiscrete [3, 3, 4, 25, 25, 8, 244, 36].
        ``active``: (B,) bool; the others stand still and cost nothing.

        Raises:
            ValueError: an action out of range or of another shape, an environment that has not
                begun, and, as MineDojo does with strict checks, equip, place or destroy on an empty
                slot.
            TypeError: the actions are no whole numbers, or ``active`` no truth values.
        """

    @abstractmethod
    def inventory(self) -> tuple[Ints, Ints]:
        """Item ids and quantities of the 36 slots, both (B, 36). Slot 0 is the main hand."""

    @abstractmethod
    def voxels(self, radius: int = 1, environments: Ints | None = None) -> Ints:
        """Block ids around the feet, (B, n, n, n) in x, y, z ascending, n = 2 radius + 1; or of the
        named environments alone."""

    @abstractmethod
    def rays(
        self, pitch_yaw: Floats, reach: float, environments: Ints | None = None
    ) -> tuple[Ints, Floats]:
        """The hits of rays from the eyes: block ids (0: nothing within ``reach`` metres) and
        distances in metres (``reach`` if nothing was hit), both (B, R), or (n, R) for the n named
        environments.

        ``pitch_yaw``: (R, 2) radians relative to the line of sight, + pitch looks down and + yaw
        looks right (MineDojo's lidar has the opposite sign, which is corrected here).
        """

    @abstractmethod
    def location(self) -> tuple[Floats, Floats, Floats]:
        """Position (B, 3) in metres x, y, z of the feet; yaw (B,) and pitch (B,) in degrees."""

    @abstractmethod
    def life(self) -> tuple[Floats, Floats]:
        """Life (B,) and food (B,), both 0..20. Life 0: the player died in the last step."""

    def cause_of_death(self, environment: int) -> str:
        """The last cause of harm to a player, in words: ``a blow of a zombie``. Empty in a world
        that does not report it."""
        return ""

    @abstractmethod
    def masks(self) -> dict[str, Bools]:
        """MineDojo's masks: action_type (B, 8), craft_smelt (B, 244); equip, place and destroy
        (B, 36)."""

    def mobs(
        self, pitch_yaw: Floats, reach: float, environments: Ints | None = None
    ) -> tuple[Ints, Floats]:
        """The first mob on each ray before any block, as MineDojo's lidar reports it: indices into
        ``voxeldojo.rules.mobs.entity_names`` (0: none within ``reach``) and distances in metres
        (``reach`` if there is none); shapes and ``pitch_yaw`` as in ``rays``."""
        rows = range(self.size) if environments is None else environments.tolist()
        shape = (len(rows), len(pitch_yaw))
        return np.zeros(shape, np.int64), np.full(shape, reach, np.float32)

    def status(self, environments: Ints | None = None) -> dict[str, NDArray[Any]]:
        """Other readings of the player, a row for each (named) environment: ``oxygen`` (0 to 300)
        float32; ``table`` and ``furnace`` bool, whether one is nearby in MineDojo's sense;
        ``equipment`` (B, 6) item ids of main hand, feet, legs, chest, head and off hand."""
        rows = range(self.size) if environments is None else environments.tolist()
        seen = [self.observation(row) for row in rows]
        return {
            "oxygen": _column([each["life_stats"]["oxygen"] for each in seen]),
            "table": _column([each["nearby_tools"]["table"] for each in seen]).astype(bool),
            "furnace": _column([each["nearby_tools"]["furnace"] for each in seen]).astype(bool),
            "equipment": np.array(
                [[_ITEMS.get(n, 0) for n in each["equipment"]["name"].tolist()] for each in seen],
                np.int64,
            ).reshape(-1, 6),
        }

    def light(self, environments: Ints | None = None) -> Floats:
        """The light level at each (named) player, (B,), 0 to 15."""
        rows = range(self.size) if environments is None else environments.tolist()
        return _column([self.observation(row)["location_stats"]["light_level"] for row in rows])

    def observe(
        self,
        fields: Sequence[str] = OBSERVED,
        *,
        radius: int = 1,
        rays: Floats | None = None,
        reach: float = 20.0,
    ) -> dict[str, NDArray[Any]]:
        """The named readings together, which may be faster than one by one; nothing else is
        computed. Arrays by name: ``item`` and ``quantity`` for inventory; ``voxels``;
        ``position``, ``yaw`` and ``pitch`` for location; ``life`` and ``food`` for life; the five
        masks for masks; ``ray_block`` and ``ray_distance`` for rays. Do not write to them: a world
        may not write values again that did not change.

        Raises:
            ValueError: an unknown field, or rays without saying which.
        """
        seen: dict[str, NDArray[Any]] = {}
        for field in fields:
            if field == "inventory":
                seen["item"], seen["quantity"] = self.inventory()
            elif field == "voxels":
                seen["voxels"] = self.voxels(radius)
            elif field == "location":
                seen["position"], seen["yaw"], seen["pitch"] = self.location()
            elif field == "life":
                seen["life"], seen["food"] = self.life()
            elif field == "masks":
                seen.update(self.masks())
            elif field == "rays" and rays is not None:
                seen["ray_block"], seen["ray_distance"] = self.rays(rays, reach)
            elif field == "rays":
                raise ValueError("rays are named without angles: give rays as (R, 2) radians")
            else:
                raise ValueError(f"{quoted(field)} is none of {', '.join((*OBSERVED, 'rays'))}")
        return seen

    def worn(self) -> tuple[Ints, Ints]:
        """Item ids and quantities of the armour (feet, legs, chest, head) and of the off hand, both
        (B, 5)."""
        seen = [self.observation(row)["equipment"] for row in range(self.size)]
        ids = [[_ITEMS.get(name, 0) for name in each["name"].tolist()[1:]] for each in seen]
        quantities = [each["quantity"].tolist()[1:] for each in seen]
        found = np.array(ids, np.int64).reshape(-1, 5)
        held = np.array(quantities, np.float64).astype(np.int64).reshape(-1, 5)
        return found, np.where(found > 0, held, 0)

    def whereabouts(self) -> tuple[Ints, Ints]:
        """Minecraft's id of each player's biome, and the dimension (0 Overworld, 1 Nether, 2 End),
        both (B,)."""
        seen = [self.observation(row)["location_stats"] for row in range(self.size)]
        biomes = np.array([int(each["biome_id"]) for each in seen], np.int64)
        # MineDojo does not report the dimension, but the Nether and the End have their own biomes.
        return biomes, np.select([biomes == NETHER_BIOME, biomes == END_BIOME], [1, 2], 0)

    def recovered(self) -> Floats:
        """How much of an attack's strength has recovered since the last one, (B,), 0 to 1. 1 in a
        world that does not report it."""
        return np.ones(self.size, np.float32)

    def age(self) -> Ints:
        """Ticks since the episode began, for each player, (B,)."""
        raise NotImplementedError("this world does not count a player's ticks")

    def killed(self) -> Ints:
        """How many mobs of each kind (``voxeldojo.rules.mobs.mob_names``) the player killed since
        the episode began, (B, kinds)."""
        raise NotImplementedError("this world does not count killed mobs")

    def used(self) -> Ints:
        """How often the player used each item since the episode began, as the game's statistics
        count it, (B, items)."""
        raise NotImplementedError("this world does not count used items")

    @abstractmethod
    def rgb(self, environment: int, height: int, width: int) -> NDArray[np.uint8]:
        """The player's view: (3, height, width) uint8."""

    def draw(self, environments: Ints, pictures: Iterable[NDArray[np.uint8]]) -> None:
        """What the players of ``environments`` (n,) see, into ``pictures``: n arrays
        (3, height, width) uint8 of one size."""
        for environment, picture in zip(environments.tolist(), pictures, strict=True):
            picture[:] = self.rgb(environment, *picture.shape[1:])

    def share_among(self, threads: int) -> Sequence[Run]:
        """From now on `step` and `draw` share the environments among ``threads``, the caller's own
        included. The results stay the same. Returns a function for each other thread, which runs a
        function there and waits for it; none for a world that takes one environment at a time.

        Raises:
            ValueError: fewer than one thread.
        """
        return ()

    def above(self, environment: int) -> NDArray[np.uint8]:
        """The ground around the player from above, (3, n, n) uint8, north at the top, the player in
        the middle; (3, 0, 0) in a world without such a picture."""
        return np.zeros((3, 0, 0), np.uint8)

    @abstractmethod
    def observation(self, environment: int) -> dict[str, Any]:
        """MineDojo's observation dictionary of one environment, key for key."""

    @abstractmethod
    def close(self) -> None:
        """Release the world's resources. It cannot be used afterwards."""


def _column(values: list[Any]) -> Floats:
    return np.array(values, np.float32).reshape(-1)


_ITEMS = {name.replace("_", " "): number for number, name in enumerate(item_names)}
