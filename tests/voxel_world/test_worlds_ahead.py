"""Worlds that a thread makes, before they are wanted or together with the others that are."""

import itertools
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.voxel_world.arena import BLOCK_IDS, embedded
from voxeldojo.engine import EmbeddedWorld
from voxeldojo.engine.scene.staging import put_player
from voxeldojo.engine.state import State
from voxeldojo.engine.threads import packed_worlds
from voxeldojo.engine.threads.packed_worlds import LEFT_OUT

ROWS = np.arange(4)
PATIENCE = 60.0
LENGTHS = {"mobs": "mobs", "shots": "shots", "drops": "drops", "pending": "pending",
           "touched": "touched", "placed": "placed", "changes": "changes"}  # fmt: skip
"""Arrays of which only so many entries count as the player's record has in a field."""
WHILE = {"dig_x": "digging", "dig_y": "digging", "dig_z": "digging", "struck": "invulnerable"}
"""Fields of the player's record that count only while another one is above 0."""


@pytest.fixture
def worlds() -> Iterator[list[EmbeddedWorld]]:
    """Closed at the end, with their threads."""
    made: list[EmbeddedWorld] = []
    yield made
    for world in made:
        world.close()
    assert not [each for each in threading.enumerate() if each.name == "worlds ahead"]


def pair(worlds: list[EmbeddedWorld], ahead: int, **options: Any) -> list[EmbeddedWorld]:
    """A world, and one like it that looks ahead."""
    worlds += [embedded(len(ROWS), **options), embedded(len(ROWS), **options)]
    assert worlds[1].look_ahead(ahead) is not None
    return worlds


def made(world: EmbeddedWorld, count: int) -> None:
    """Wait until so many worlds have been made ahead."""
    maker = world._maker
    assert maker is not None
    with maker._changed:
        assert maker._changed.wait_for(lambda: len(maker._made) == count, PATIENCE)


def taken(world: EmbeddedWorld) -> int:
    assert world._maker is not None
    return world._maker.taken


def walk(worlds: list[EmbeddedWorld], steps: int, seed: int = 0) -> None:
    random = np.random.default_rng(seed)
    for _ in range(steps):
        actions = np.tile((1, 0, 0, 12, 12, 3, 0, 0), (len(ROWS), 1))
        actions[:, 3:5] = random.integers(10, 15, (len(ROWS), 2))
        for world in worlds:
            world.step(actions, np.ones(len(ROWS), np.bool_))


def assert_same(one: EmbeddedWorld, other: EmbeddedWorld) -> None:
    """To the bit, in all that an episode depends on."""
    for name in State._fields:
        if name in LEFT_OUT - {"settings", "layers"} or name.startswith("kept_"):
            continue
        ours, theirs = getattr(one.state, name), getattr(other.state, name)
        if name == "players":
            for field in ours.dtype.names:
                counts = ours[WHILE[field]] > 0 if field in WHILE else slice(None)
                assert np.array_equal(ours[field][counts], theirs[field][counts]), field
        elif name in LENGTHS:
            for w, length in enumerate(one.state.players[LENGTHS[name]].tolist()):
                assert ours[w, :length].tobytes() == theirs[w, :length].tobytes(), (name, w)
        elif name != "before" or one.state.players["ticks"].any():
            assert np.array_equal(ours, theirs), name


DRAWING = """
<DrawBlock x="2" y="100" z="2" type="stone"/>
<DrawCuboid x1="300" y1="90" z1="-200" x2="303" y2="93" z2="-199" type="sand"/>
"""
SETUPS: dict[str, dict[str, Any]] = {
    "forest": {"biome": "forest"},
    "any": {"generate_world_type": "default"},
    "flat": {"generate_world_type": "flat", "flat_world_seed_string": ""},
    "staged": {
        "biome": "plains",
        "inventory": {"bucket": 1, "log": 5},
        "initial_mobs": ["cow", "zombie"],
        "initial_weather": "rain",
        "start_time": 16000,
    },
    "drawn": {"biome": "plains", "drawing_str": DRAWING},
    "placed": {
        "biome": "plains",
        "drawing_str": DRAWING,
        "start_position": [300.5, 90.0, -200.5, 30.0, 10.0],
        "initial_mobs": ["zombie", "cow"],
        "initial_mob_spawn_range_low": [-5, 1, -5],
        "initial_mob_spawn_range_high": [5, 1, 5],
    },
}


@pytest.mark.parametrize("name", SETUPS)
def test_a_world_made_ahead_is_the_same_episode_to_the_bit(
    worlds: list[EmbeddedWorld], name: str
) -> None:
    plain, ahead = pair(worlds, len(ROWS), **SETUPS[name])
    for turn in range(3):
        seeds = 10 * turn + ROWS
        if turn:
            ahead.foresee(ROWS, seeds)
            made(ahead, len(ROWS))
        for world in worlds:
            world.reset(ROWS, seeds)
        assert taken(ahead) == turn * len(ROWS)
        assert_same(plain, ahead)
        walk(worlds, 60, turn)
        assert_same(plain, ahead)


def test_a_drawing_in_a_world_made_ahead_is_still_there_when_the_player_comes_back(
    worlds: list[EmbeddedWorld],
) -> None:
    plain, ahead = pair(worlds, len(ROWS), biome="plains", drawing_str=DRAWING)
    ahead.foresee(ROWS, ROWS)
    made(ahead, len(ROWS))
    for world in worlds:
        world.reset(ROWS, ROWS)
        for w in ROWS.tolist():
            x, y, z = (float(world.state.players[w][axis]) for axis in "xyz")
            put_player(world.state, world.rules, w, x + 500.0, y, z)
            put_player(world.state, world.rules, w, 2.5, 101.0, 2.5)
            assert world.state.blocks[w, 2, 2, 100] == BLOCK_IDS["stone"]
            assert world.state.blocks[w, 0, 0, 0] == BLOCK_IDS["bedrock"]
    assert taken(ahead) == len(ROWS)
    assert_same(plain, ahead)


def test_all_worlds_of_a_reset_are_made_once_by_either_thread(
    worlds: list[EmbeddedWorld], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, ahead = pair(worlds, 0)
    began: list[tuple[int, str]] = []
    both = threading.Barrier(2)  # neither goes on before the other one has a world to make
    entered = itertools.count()
    begin = EmbeddedWorld.begin

    def watched(self: EmbeddedWorld, place: int, seed: int) -> None:
        if next(entered) < 2:
            both.wait(PATIENCE)
        began.append((seed, threading.current_thread().name))
        begin(self, place, seed)

    monkeypatch.setattr(EmbeddedWorld, "begin", watched)
    for world in worlds:
        world.reset(ROWS, ROWS + 5)
    assert sorted(seed for seed, _ in began) == [5, 6, 7, 8]
    assert len({thread for _, thread in began}) == 2
    assert_same(plain, ahead)


def test_a_world_that_is_just_being_made_is_waited_for(
    worlds: list[EmbeddedWorld], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, ahead = pair(worlds, 2)
    for world in worlds:
        world.reset(ROWS, ROWS)
    at_it, go_on = threading.Event(), threading.Event()
    began: list[int] = []
    begin = EmbeddedWorld.begin

    def slow(self: EmbeddedWorld, place: int, seed: int) -> None:
        began.append(seed)
        if seed == 100:
            at_it.set()
            assert go_on.wait(PATIENCE)
        else:
            go_on.set()
        begin(self, place, seed)

    monkeypatch.setattr(EmbeddedWorld, "begin", slow)
    ahead.foresee(ROWS, ROWS + 100)
    assert at_it.wait(PATIENCE)
    for world in worlds:
        world.reset(ROWS[:2], np.array([100, 101]))
    assert began.count(100) == began.count(101) == 1
    assert taken(ahead) == 1
    assert_same(plain, ahead)


def test_a_start_that_is_played_again_after_a_walk_is_the_same(
    worlds: list[EmbeddedWorld],
) -> None:
    """It is brought back from a copy of its own, of which a world made ahead has none."""
    plain, ahead = pair(worlds, len(ROWS))
    ahead.foresee(ROWS, ROWS)
    made(ahead, len(ROWS))
    for turn in range(3):
        for world in worlds:
            world.reset(ROWS, ROWS)
        assert_same(plain, ahead)
        walk(worlds, 150, turn)
        ahead.foresee(ROWS, ROWS)  # they are there: nothing is made
    assert taken(ahead) == len(ROWS)
    made(ahead, 0)


def test_no_more_worlds_are_made_than_there_are_places_and_unwanted_ones_give_way(
    worlds: list[EmbeddedWorld],
) -> None:
    plain, ahead = pair(worlds, 2)
    for world in worlds:
        world.reset(ROWS, ROWS)
    ahead.foresee(ROWS, ROWS + 100)
    made(ahead, 2)
    maker = ahead._maker
    assert maker is not None
    maker.run(lambda: None)  # it has looked for more to do
    assert sorted(maker._made) == [100, 101]
    ahead.foresee(ROWS, np.array([100, 200, 201, 202]))
    with maker._changed:
        wanted = {100, 200}
        assert maker._changed.wait_for(lambda: set(maker._made) == wanted, PATIENCE)
    for world in worlds:
        world.reset(ROWS, np.array([202, 100, 101, 200]))
    assert taken(ahead) == 2
    assert_same(plain, ahead)


def test_what_cannot_be_stored_or_made_ahead_is_made_when_it_is_wanted(
    worlds: list[EmbeddedWorld], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_worlds, "ENTRIES", 1)
    plain, ahead = pair(worlds, len(ROWS))
    for world in worlds:
        world.reset(ROWS, ROWS)
    ahead.foresee(ROWS, ROWS + 100)
    maker = ahead._maker
    assert maker is not None
    with maker._changed:
        assert maker._changed.wait_for(lambda: len(maker._never) == len(ROWS), PATIENCE)
    begin = EmbeddedWorld.begin

    def fails(self: EmbeddedWorld, place: int, seed: int) -> None:
        if threading.current_thread().name == "worlds ahead":
            raise MemoryError
        begin(self, place, seed)

    monkeypatch.setattr(EmbeddedWorld, "begin", fails)
    for world in worlds:
        world.reset(ROWS, ROWS + 100)
    assert taken(ahead) == 0
    assert_same(plain, ahead)


def test_what_fails_in_a_function_run_by_the_thread_is_raised(
    worlds: list[EmbeddedWorld],
) -> None:
    worlds.append(embedded(1))
    run = worlds[0].look_ahead(1)
    assert run is not None

    def fails() -> None:
        raise ValueError(threading.current_thread().name)

    with pytest.raises(ValueError, match="worlds ahead"):
        run(fails)
    with pytest.raises(ValueError, match="looks ahead already"):
        worlds[0].look_ahead(1)
