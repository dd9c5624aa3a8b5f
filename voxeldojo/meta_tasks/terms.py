"""MineDojo's rewards and success checks, one function each, over tallies."""

from collections.abc import Mapping

from voxeldojo.meta_tasks.tally import Tally

DAY = 24000  # ticks


def gained(name: str, before: Tally, now: Tally) -> int:
    """Items gained; negative if some left the inventory, for any reason."""
    return now.inventory.get(name, 0) - before.inventory.get(name, 0)


def used(name: str, before: Tally, now: Tally) -> int:
    return now.used.get(name, 0) - before.used.get(name, 0)


def killed(name: str, before: Tally, now: Tally) -> int:
    return now.killed.get(name, 0) - before.killed.get(name, 0)


def inventory_reward(weights: Mapping[str, float], before: Tally, now: Tally) -> float:
    return sum(weight * gained(name, before, now) for name, weight in weights.items())


def use_reward(weights: Mapping[str, float], before: Tally, now: Tally) -> float:
    return sum(weight * used(name, before, now) for name, weight in weights.items())


def kill_reward(weights: Mapping[str, float], before: Tally, now: Tally) -> float:
    return sum(weight * killed(name, before, now) for name, weight in weights.items())


def day_reward(weight: float, before: Tally, now: Tally) -> float:
    """Paid for each whole day since the last death. A death takes all of them back."""
    return weight * (now.time_since_death // DAY - before.time_since_death // DAY)


def any_gained(quantities: Mapping[str, int], start: Tally, now: Tally) -> bool:
    """One target is enough, as in MineDojo."""
    return any(gained(name, start, now) >= wanted for name, wanted in quantities.items())


def any_killed(quantities: Mapping[str, int], start: Tally, now: Tally) -> bool:
    """One target is enough, as in MineDojo."""
    return any(killed(name, start, now) >= wanted for name, wanted in quantities.items())


def all_used(names: list[str], start: Tally, now: Tally) -> bool:
    return all(used(name, start, now) >= 1 for name in names)


def survived(days: int, now: Tally) -> bool:
    return now.time_since_death >= DAY * days
