"""Goals of a biome, a height and a vital, and items that are used or had in a way of their own, by
the rulebook's plans and programs in the world."""

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
        ("used", "apple", 1, {"apple": 1}, {}, 3000, 6),
        ("used", "bucket", 1, {"bucket": 1}, {}, 3000, 6),
        ("have", "fish", 1, {"fishing_rod": 1}, {}, 9000, 5),
        ("have", "stone_slab", 6, {"cobblestone": 3, "crafting_table": 1}, {}, 200, 7),
    ],
)
def test_most_episodes_succeed(
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
