"""Which pictures the critic looks at: a few episodes, those that failed first."""

from messages.verdict import Evidence
from messages.world import Picture
from models.outcomes import failed_first, holds


def choose(evidence: Evidence, most: int) -> list[Picture]:
    """At most ``most`` pictures, whole episodes of them. Failed episodes show more, and each way to
    fail comes first; where more than one fits, one that worked is among them, to be compared."""
    by_episode: dict[int, list[Picture]] = {}
    for picture in evidence.pictures:
        by_episode.setdefault(picture.environment, []).append(picture)
    pictured = [each for each in failed_first(evidence) if each.environment in by_episode]
    worked = [
        episode.environment
        for episode in pictured
        if holds(evidence.success, episode, evidence.game)
    ]
    failed = [each.environment for each in pictured if each.environment not in worked]
    order = [*failed[:1], *worked[:1], *failed[1:], *worked[1:]]
    chosen: list[int] = []
    left = most
    for environment in order:
        if len(by_episode[environment]) <= left:
            chosen.append(environment)
            left -= len(by_episode[environment])
    return [
        picture
        for environment in sorted(chosen, key=lambda row: (row in worked, row))
        for picture in by_episode[environment]
    ]
