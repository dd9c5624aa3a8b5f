"""Goals of a biome, a height and a vital, and items that become a block of another name, by the
rulebook's plans and programs in the world."""

import pytest

from benchmarks.goals import perform
from messages.world import Condition, Task

EPISODES = 8


@pytest.mark.parametrize(
    ("kind", "name", "quantity", "held", "world", "horizon", "least"),
    [
        ("in_biome", "taiga", 1, {}, {}, 3000, 4),
        ("height", "above", 84, {}, {}, 3000, 5),
        ("height", "below", 20, {"stone_pickaxe": 1}, {}, 2000, 7),
        ("health", "life", 16, {"bread": 3}, {"start_health": 10}, 1500, 7),
        ("health", "food", 16, {"bread": 2}, {"start_food": 8}, 300, 7),
        ("health", "oxygen", 300, {}, {}, 100, 8),
        ("placed", "sign", 2, {"sign": 3}, {}, 200, 7),
    ],
)
def test_most_episodes_come_there(
    kind: str,
    name: str,
    quantity: int,
    held: dict[str, int],
    world: dict[str, str | int | float | bool],
    horizon: int,
    least: int,
):
    task = Task(
        id=f"{kind}_{name}",
        prompt="",
        success=Condition(kind=kind, name=name, quantity=quantity),
        biome="" if kind == "in_biome" else "plains",
        inventory=held,
        world=world,
        horizon=horizon,
    )
    result = perform(task, EPISODES, 3000)
    assert result.succeeded >= least, result.failed
