"""Guardians spawn in an ocean monument all the time, as in the game: ChunkGeneratorOverworld's list
for its bounding box, WorldEntitySpawner's places in water, EntityGuardian.getCanSpawnHere."""

from collections import Counter

import numpy as np
import pytest

from tests.voxel_world.arena import BLOCK_IDS, embedded
from voxeldojo.actions import PRIMITIVES
from voxeldojo.engine import EmbeddedWorld
from voxeldojo.engine.mobs.placing import remove_mob
from voxeldojo.engine.structures.catalogue import KIND_IDS
from voxeldojo.engine.structures.places import nearest
from voxeldojo.engine.terrain.window import load
from voxeldojo.rules.mobs import mob_names

AREA = 128
NOON, MIDNIGHT = 6000, 18000
WIDE, TALL, LOW = 58, 23, 39  # blocks of its bounding box, and y of its floor
PERCH = LOW + TALL + 24  # y from which every place in it is far enough from the player
LIMIT = 15  # monsters in 8 x 8 chunks, of the game's 70 in 17 x 17
MOST, MEMBERS = 4, 7.5  # of one try: that spawn at most, that are tried on average
TICKS = 6000


class Monument:
    """A window around a monument by noon, the player on a pane high over it."""

    def __init__(self, time: int = NOON, inhabited: bool = False) -> None:
        self.world: EmbeddedWorld = embedded(1, {"area": AREA}, biome="deep_ocean")
        self.world.reset(np.zeros(1, np.int64), np.ones(1, np.int64))
        state, rules = self.world.state, self.world.rules
        self.player, setting = state.players[0:1], state.settings[0]
        found, x, _, z = nearest(
            rules, int(setting["biome"]), int(setting["generator"]), self.player[0]["seed"],
            KIND_IDS["monument"], 0, 0,
        )  # fmt: skip
        assert found
        self.x, self.z = int(x) - WIDE // 2, int(z) - WIDE // 2
        load(state, rules, 0, int(x), int(z))
        state.settings["time_passes"] = 0
        self.player["time"] = time
        state.blocks[0, int(x) & (AREA - 1), int(z) & (AREA - 1), PERCH - 1] = BLOCK_IDS["glass"]
        for name, value in {
            "x": x + 0.5,
            "y": PERCH,
            "z": z + 0.5,
            "ground": 1,
            "ceiling": PERCH,
        }.items():
            self.player[name] = value
        if not inhabited:
            for number in np.flatnonzero(state.mobs[0]["kind"]):
                remove_mob(state, 0, int(number))

    def columns(self) -> tuple[np.ndarray, np.ndarray]:
        xs, zs = (np.arange(low, low + WIDE) & (AREA - 1) for low in (self.x, self.z))
        return np.ix_(xs, zs)  # type: ignore[return-value]

    def fill(self, low: int, high: int, block: str) -> None:
        """Fill the box from y ``low`` to below ``high``."""
        xs, zs = self.columns()
        self.world.state.blocks[0, xs, zs, low:high] = BLOCK_IDS[block]

    def spawned(self, ticks: int = TICKS) -> Counter[tuple[str, bool]]:
        """What spawned: its kind, and whether in the box. Each is removed at once, for the next."""
        found: Counter[tuple[str, bool]] = Counter()
        wait = np.array([PRIMITIVES["noop"]]), np.ones(1, np.bool_)
        for _ in range(ticks):
            self.world.step(*wait)
            mobs = self.world.state.mobs[0]
            for number in np.flatnonzero(mobs["kind"]):
                mob = mobs[number]
                inside = 0 <= mob["x"] - self.x < WIDE and 0 <= mob["z"] - self.z < WIDE
                inside = inside and 0 <= mob["y"] - LOW < TALL
                found[mob_names[int(mob["kind"])], bool(inside)] += 1
                remove_mob(self.world.state, 0, int(number))
        return found


def test_guardians_spawn_by_day_in_the_monument_alone_and_no_elder_comes_back() -> None:
    found = Monument().spawned()
    assert found["guardian", True] > TICKS // 200
    assert not found["guardian", False]
    assert not {kind for kind, inside in found if inside} - {"guardian", "squid"}


def test_one_guardian_in_twenty_spawns_under_the_open_sky() -> None:
    under_the_sky, roofed = Monument(), Monument()
    for monument in (under_the_sky, roofed):
        monument.fill(LOW, LOW + TALL, "water")
    roofed.fill(LOW + TALL + 1, LOW + TALL + 2, "stone")
    # Under a roof all of them spawn, so that a try ends after four.
    tries = roofed.spawned()["guardian", True] / MOST
    open_to_it = under_the_sky.spawned()["guardian", True] / (tries * MEMBERS)
    assert 1 / 30 < open_to_it < 1 / 15


def test_no_other_monster_spawns_in_a_drained_monument() -> None:
    monument = Monument(MIDNIGHT)
    monument.fill(LOW, LOW + 1, "prismarine")
    monument.fill(LOW + 1, LOW + TALL, "air")
    monument.world.state.light[...] = 0
    found = monument.spawned()
    assert {kind for kind, inside in found if not inside} & {"zombie", "spider", "creeper"}
    assert {kind for kind, inside in found if inside} <= {"bat"}


@pytest.mark.parametrize("spawns", [False, True])
def test_a_monument_fills_up_to_the_limit_for_monsters_beside_its_elders(spawns: bool) -> None:
    monument = Monument(inhabited=True)
    state = monument.world.state
    state.settings["mobs_spawn"] = int(spawns)
    most = 0
    for _ in range(TICKS):
        monument.world.step(np.array([PRIMITIVES["noop"]]), np.ones(1, np.bool_))
        monument.player["life"] = 20.0
        kinds = Counter(mob_names[kind] for kind in state.mobs[0]["kind"].tolist() if kind)
        assert kinds["elder_guardian"] == 3
        most = max(most, kinds["guardian"])
    assert (LIMIT // 2 < most <= LIMIT) if spawns else most == 0
