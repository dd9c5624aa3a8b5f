"""Stages in some environments of a batch, subtasks that begin in the middle of an episode, and the
conditions that stand on MineDojo's nearby tools."""

import msgspec
import numpy as np
import pytest

from messages.world import Condition
from models.outcomes import holds
from tests.env_server.line_sessions import ATTACK, CHOP, WALK, interface, session, task
from tests.fake_world import FakeWorld
from worlds.minecraft.play.conditions import Judge

TABLE = Condition(kind="nearby", name="crafting_table")
TWO_LOGS = Condition(kind="have", name="log", quantity=2)


def test_a_program_runs_in_the_named_environments_only():
    batch, world = session(interface=None, task=task(success=TWO_LOGS))
    steps, reports = batch.run_program(WALK, environments=[1, 3])
    assert world.z[0] == world.z[2] == 0
    assert world.z[1] > 0 or world.tree[1] <= 4.5
    assert steps == sum(episode.steps for episode in batch.episodes())
    assert [episode.steps > 0 for episode in batch.episodes()] == [
        False,
        world.tree[1] > 4.5,
        False,
        world.tree[3] > 4.5,
    ]
    assert sum(report.count for report in reports) == 2
    assert sorted(row for report in reports for row in report.environments) == [1, 3]
    with pytest.raises(ValueError, match="0 to 3"):
        batch.run_program(WALK, environments=[4])


def test_a_policy_plays_in_the_named_environments_only():
    batch, world = session(interface=None, task=task(success=TWO_LOGS))
    batch.run_program(WALK)
    before = [episode.steps for episode in batch.episodes()]
    batch.take(interface(), environments=[0, 2])
    stepped = batch.step(np.full(4, ATTACK))
    assert stepped.steps.tolist() == [1, 0, 1, 0]
    after = [episode.steps for episode in batch.episodes()]
    assert [b - a for a, b in zip(before, after, strict=True)] == [1, 0, 1, 0]
    assert world.dug.tolist() == [1, 0, 1, 0]


def test_have_counts_from_where_the_subtask_began():
    """The second log of an episode is a new one for the stage, and the second for the task."""
    batch, world = session(interface=None, task=task(success=TWO_LOGS))
    batch.run_program(WALK)
    batch.run_program(CHOP)
    assert world.quantities[:, 0].tolist() == [1, 1, 1, 1]
    batch.take(interface(), begins=True)
    for number in range(5):
        stepped = batch.step(np.full(4, ATTACK))
        assert stepped.success.all() == (number == 4)
    assert all(episode.success for episode in batch.episodes())
    # Without a subtask that begins, the first log is counted and one step is the end.
    batch, _ = session(interface=None, task=task(success=TWO_LOGS))
    batch.run_program(WALK)
    batch.run_program(CHOP)
    batch.take(interface())
    assert batch.step(np.full(4, ATTACK)).success.all()


def test_a_subtask_begins_only_where_it_is_played():
    batch, _ = session(interface=None, task=task(success=TWO_LOGS))
    batch.run_program(WALK)
    batch.run_program(CHOP)
    batch.take(interface(), environments=[1], begins=True)
    assert batch.records.subtask[1][:, 0].tolist() == [0, 1, 0, 0]
    assert batch.records.start[1][:, 0].tolist() == [0, 0, 0, 0]


def test_nearby_holds_where_minedojo_reports_the_tool_as_near():
    batch, world = session(interface=None, task=task(success=TABLE, horizon=1000))
    walk = msgspec.structs.replace(
        WALK, source="def action(obs):\n    for _ in range(40):\n        obs = forward()\n"
    )
    assert not any(episode.success for episode in batch.episodes())
    batch.run_program(walk)
    episodes = batch.episodes()
    assert (world.tree - world.z <= 1).all()
    assert all(episode.success for episode in episodes)
    assert all(holds(TABLE, episode) for episode in episodes)
    furnace = msgspec.structs.replace(TABLE, name="furnace")
    assert not any(holds(furnace, episode) for episode in episodes)
    with pytest.raises(ValueError, match="crafting_table or furnace"):
        Judge(Condition(kind="nearby", name="log"), FakeWorld(1))
