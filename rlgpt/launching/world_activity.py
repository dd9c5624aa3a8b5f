"""The load of all env servers of a run."""

from collections.abc import Iterable

from messages.world import Activity


def together(activities: Iterable[Activity]) -> Activity:
    """The activity of all env servers together."""
    each = list(activities)
    return Activity(
        sessions=sum(one.sessions for one in each),
        environments=sum(one.environments for one in each),
        steps=sum(one.steps for one in each),
        steps_per_second=sum(one.steps_per_second for one in each),
    )
