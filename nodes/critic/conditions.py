"""Whether a condition holds at the end of an episode, from the views before and after it."""

from messages.world import Condition, Episode


def holds(condition: Condition, episode: Episode) -> bool:
    """An episode's ``success`` is about its session's task; this is about any condition."""
    before, after = episode.before, episode.after
    if episode.ended == "death":
        return False
    if condition.kind == "have":
        gained = after.inventory.get(condition.name, 0) - before.inventory.get(condition.name, 0)
        return gained >= condition.quantity
    if condition.kind == "near":
        return after.around.get(condition.name, 0) > 0 or after.facing == condition.name
    if condition.kind == "nearby":
        return condition.name in after.stations
    return after.facing == condition.name


def success_rate(condition: Condition, episodes: list[Episode]) -> float:
    """Share of the episodes at whose end the condition holds; 0 without episodes."""
    if not episodes:
        return 0.0
    return sum(holds(condition, episode) for episode in episodes) / len(episodes)
