"""The real package as a world, on the embedded world's interface: its arrays, and instances that
die."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

from messages.world import Condition, Interface, OpenSession, SeedRange, Task
from nodes.env_server.games import make_world
from nodes.env_server.session import Session
from tests.voxel_world.malmo_client import DEADLINE, Server, serving
from voxeldojo.actions import action
from voxeldojo.rules import craft_index, item_id
from voxeldojo.rules.mobs import MOB_IDS
from worlds.minecraft.card import features
from worlds.minecraft.play.minedojo import MineDojoWorld, ports
from worlds.minecraft.play.minedojo.framed_msgpack import Malformed, packed, unpacked
from worlds.minecraft.play.minedojo.real_world import ENVIRONMENT, default_rays, stacks_in_slots
from worlds.minecraft.play.minedojo.seen import Seen, Statistics
from worlds.minecraft.play.readings import Readings
from worlds.play import WorldError


def task(**fields: Any) -> Task:
    return Task(id="test", prompt="test", success=Condition(kind="have", name="log"), **fields)


SMALL: dict[str, Any] = {"image_size": (24, 32), "timeout": 20.0, "reset_timeout": 60.0}
installed = pytest.mark.skipif(
    not (ENVIRONMENT / ".installed").exists(),
    reason="the real package is not installed: run `make minedojo`",
)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("--area", "64") as running:
        yield running


def real(server: Server, size: int = 1, **options: Any) -> MineDojoWorld:
    given = {"ports": [server.port] * size, **SMALL, **options}
    found = make_world("minedojo", size, task(inventory={"log": 3}), **given)
    assert isinstance(found, MineDojoWorld)
    return found


def test_statistics_are_counted_by_the_games_own_names() -> None:
    counted = Statistics(2)
    stat = {"kill_entity": {"pig_zombie": 2}, "use_item": {"minecraft": {"bow": 3}}}
    counted.take(1, {**stat, "time_since_death": 70})
    assert counted.killed[:, MOB_IDS["zombie_pigman"]].tolist() == [0, 2]
    assert counted.used[:, item_id("bow")].tolist() == [0, 3]
    assert counted.ages.tolist() == [0, 70]
    counted.take(1, {})
    assert not counted.killed.any()
    assert not counted.used.any()


def test_the_start_inventory_lies_in_the_slots_of_the_task() -> None:
    held = {"torch": 70, "iron_sword": 1, "shield": 1}
    slots = {0: "iron_sword", 40: "shield", 36: "iron_boots"}
    assert stacks_in_slots(held, slots) == [
        (0, "iron_sword", 0, 1),
        (40, "shield", 0, 1),
        (1, "torch", 0, 64),
        (2, "torch", 0, 6),
    ]
    with pytest.raises(ValueError, match="more than the 36 slots"):
        stacks_in_slots({"torch": 64 * 37}, {})


def test_a_slot_of_the_start_inventory_holds_no_more_than_a_stack_of_its_item() -> None:
    """As in the embedded world: two pickaxes take two slots, 20 snowballs and 65 logs too."""
    held = {"iron_pickaxe": 2, "snowball": 20, "log": 65}
    assert stacks_in_slots(held, {4: "iron_pickaxe", 2: "snowball"}) == [
        (4, "iron_pickaxe", 0, 1),
        (2, "snowball", 0, 16),
        (0, "iron_pickaxe", 0, 1),
        (1, "snowball", 0, 4),
        (3, "log", 0, 64),
        (5, "log", 0, 1),
    ]
    with pytest.raises(ValueError, match="more than the 36 slots"):
        stacks_in_slots({"iron_pickaxe": 37}, {})


@pytest.mark.parametrize("grid", [features.ray_grid(), features.mob_grid()], ids=["blocks", "mobs"])
def test_instances_look_along_the_rays_of_every_feature(grid: list[tuple[float, float]]) -> None:
    seen = Seen(1, 1, default_rays())
    rays = np.array(grid, np.float32)
    kinds, distances = seen.mobs(rays, features.RAY_REACH, None)
    assert kinds.shape == distances.shape == (1, len(grid))
    assert seen.rays(rays, features.RAY_REACH, None)[0].shape == (1, len(grid))


def test_the_option_initial_mobs_is_refused() -> None:
    asked = task(world={"initial_mobs": "cow"})
    with pytest.raises(ValueError, match=r"lays out no initial mobs \(cow\)"):
        make_world("minedojo", 1, asked)


def begin(world: MineDojoWorld, seed: int = 5) -> None:
    world.reset(np.arange(world.size), np.arange(world.size) + seed)


def do(world: MineDojoWorld, **what: Any) -> None:
    actions = np.tile(np.array(action(**what)), (world.size, 1))
    world.step(actions, np.ones(world.size, np.bool_))


@installed
def test_the_real_package_shows_what_the_embedded_world_shows(server: Server) -> None:
    world = real(server)
    embedded = make_world("embedded", 1, task(inventory={"log": 3}), area=64, image_size=(24, 32))
    for one in (world, embedded):
        one.reset(np.zeros(1, np.int64), np.array([5]))
    steps: list[dict[str, Any]] = [{}, {"move": 1}, {"function": "attack"}, {"yaw": 1}]
    for what in steps:
        vector = np.array([action(**what)])
        for one in (world, embedded):
            one.step(vector, np.ones(1, np.bool_))
        for mine, theirs in zip(
            [*world.location(), *world.life(), *world.inventory(), world.voxels()],
            [*embedded.location(), *embedded.life(), *embedded.inventory(), embedded.voxels()],
            strict=True,
        ):
            assert np.allclose(mine, theirs)
        for name, mask in embedded.masks().items():
            assert np.array_equal(world.masks()[name], mask), name
        mine, theirs = Readings(world), Readings(embedded)
        for read in ("fan", "wide", "facing", "mob_fan"):
            (ids, distances), (others, far) = getattr(mine, read)(), getattr(theirs, read)()
            assert np.array_equal(ids, others), read
            assert np.allclose(distances, far, atol=1e-3), read
    assert np.array_equal(world.observation(0)["rgb"], embedded.observation(0)["rgb"])
    world.close()
    embedded.close()


@installed
def test_a_batch_crafts_in_every_environment_and_refuses_invalid_actions(server: Server) -> None:
    world = real(server, 2)
    with pytest.raises(ValueError, match="call reset before"):
        do(world)
    begin(world)
    do(world, function="craft", argument=craft_index("planks"))
    items, counts = world.inventory()
    assert (counts[items == item_id("planks")] == 4).all()
    assert world.lost is not None
    assert not world.lost.any()
    for wrong, sentence in [
        ({"function": "place", "slot": 20}, "environment 0: cannot place slot 20, it is empty"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            do(world, **wrong)
    with pytest.raises(ValueError, match=r"action\[0\] is 0 to 2, not 9"):
        world.step(np.full((2, 8), 9), np.ones(2, np.bool_))
    with pytest.raises(ValueError, match="voxels of radius 3"):
        world.voxels(3)
    with pytest.raises(ValueError, match="no ray at pitch 1"):
        world.rays(np.array([[1.0, 1.0]], np.float32), 4.0)
    with pytest.raises(ValueError, match="rays of 50 m"):
        world.rays(np.zeros((1, 2), np.float32), 50.0)
    other = real(server, 2)
    with pytest.raises(WorldError, match=r"0 of the 2 named in world\.ports are free"):
        begin(other)
    other.close()
    world.close()
    assert ports._TAKEN == []


@installed
def test_a_killed_player_costs_its_episode_and_not_the_run(server: Server) -> None:
    world = real(server, 2, ports=[server.port], connections=2)
    begin(world)
    do(world, move=1)
    start = world.observation(1)["location_stats"]["pos"].copy()
    instance = world._instances[1]
    assert instance is not None
    os.kill(instance.process.pid, signal.SIGKILL)
    do(world, move=1)
    assert world.lost is not None
    assert world.lost.tolist() == [False, True]
    again = world.observation(1)["location_stats"]["pos"]
    assert np.allclose(again, start, atol=0.5)
    do(world, move=1)
    assert not world.lost.any()
    world.close()


@installed
@pytest.mark.parametrize("how", ["hangs", "leaks"])
def test_a_player_that_hangs_or_leaks_is_replaced(server: Server, how: str) -> None:
    world = real(server, 1, timeout=5.0)
    begin(world)
    instance = world._instances[0]
    assert instance is not None
    if how == "hangs":
        os.kill(instance.process.pid, signal.SIGSTOP)
        world._timeout = 0.5
    else:
        assert instance.memory() > 20
        world._memory_limit = 1
    do(world)
    assert world.lost is not None
    assert world.lost.all()
    assert world._instances[0] is not instance
    assert instance.process.poll() is not None
    world.close()


@installed
def test_a_killed_malmo_server_is_waited_for(server: Server) -> None:
    command = [sys.executable, "-m", "voxeldojo.malmo", "--area", "64", "--port"]
    first = subprocess.Popen([*command, "0"], stdout=subprocess.PIPE, text=True)
    assert first.stdout is not None
    port = int(first.stdout.readline().rpartition(":")[2])
    world = real(server, 1, ports=[port], restarts=30)
    begin(world)
    first.kill()
    first.communicate()
    second = subprocess.Popen([*command, str(port)], stdout=subprocess.DEVNULL)
    try:
        do(world)
        assert world.lost is not None
        assert world.lost.all()
        do(world)
        assert not world.lost.any()
    finally:
        world.close()
        second.terminate()
        second.wait(DEADLINE)


@installed
def test_a_session_counts_a_lost_game_as_cut_off(server: Server) -> None:
    world = real(server, 1)
    interface = Interface(
        observations=["compass", "rays", "facing", "voxels"],
        actions=["noop", "forward", "attack"],
        success=task().success,
        horizon=50,
        targets=["wood"],
    )
    request = OpenSession(
        session="s", task=task(), size=1, seeds=SeedRange(first=1, count=5), interface=interface
    )
    session = Session(request, world, None, lambda steps: None)
    assert session.opened().features.shape[1] == sum(
        features.size(name, 3) for name in interface.observations
    )
    assert not session.step(np.array([1])).truncated.any()
    instance = world._instances[0]
    assert instance is not None
    instance.process.kill()
    stepped = session.step(np.array([1]))
    assert (stepped.truncated.all(), stepped.terminated.any()) == (True, False)
    assert session.episodes()[0].ended == "horizon"
    session.close()


@installed
def test_an_absent_malmo_server_is_reported(server: Server) -> None:
    world = real(server, 1, ports=[1], restarts=1)
    with pytest.raises(WorldError, match="nothing listens on port 1"):
        begin(world)
    world.close()


def test_options_are_checked_before_anything_is_started() -> None:
    for options, sentence in [
        ({"python": "/nowhere/python"}, "make minedojo"),
        ({"python": sys.executable, "ports": [1, 2], "size": 3}, "3 environments need 3 ports"),
        ({"python": sys.executable, "ports": [1], "connections": 2, "size": 3}, "connections=N"),
        ({"python": sys.executable, "connections": 0}, "connections is at least 1"),
        ({"python": sys.executable, "timeout": 0}, "above 0"),
        ({"python": sys.executable, "start_health": 50.0}, "start_health is at most 20"),
        ({"python": sys.executable, "start_helth": 5.0}, "no option start_helth"),
        ({"python": sys.executable, "specified_biome": "jungel"}, "did you mean"),
    ]:
        size = options.pop("size", 1)
        with pytest.raises((ValueError, WorldError), match=sentence):
            make_world("minedojo", size, task(), **options)


def test_packed_messages_are_unpacked_unchanged_and_random_bytes_are_refused() -> None:
    said = {"a": [1, -5, 2.5, None, True, False, "ü", b"\x00\xff", {"b": [2**40, -(2**40)]}]}
    data = b"".join(packed(said))
    assert unpacked(data, 0, 0) == (said, len(data))
    assert unpacked(msgspec.msgpack.encode(said), 0, 0)[0] == said
    assert msgspec.msgpack.decode(data) == said
    chance = np.random.default_rng(1)
    began, read = time.process_time(), 0  # not what other processes take
    for _ in range(2000):
        wrong = chance.integers(0, 256, chance.integers(0, 40)).astype(np.uint8).tobytes()
        try:
            value, end = unpacked(wrong, 0, 0)
        except Malformed:
            continue
        read += 1
        assert repr(value) == repr(msgspec.msgpack.decode(wrong[:end]))
    assert 0 < read < 2000
    assert time.process_time() - began < 20.0
