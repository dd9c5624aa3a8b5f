"""The verdict conversation: the fast agent sends the critic evidence, the critic judges."""

import msgspec

from messages.bounds import Share
from messages.interface import LIMITED_BY_SERVER, Service
from messages.program import ProgramReport
from messages.training import Learning
from messages.world import DEFAULT_GAME, Condition, Episode, Picture


class Evidence(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The observations before and after a sub-action, in some episodes."""

    id: str  # names the question, so that it is answered once
    sub_action: str
    description: str
    method: str  # "code" or "rl"
    success: Condition  # the aim of the sub-action
    required_rate: Share  # the success rate that counts as success
    episodes: list[Episode]
    least_episodes: int = 1  # fewer never count as success, at any rate
    reports: list[ProgramReport] = []
    macros: list[str] = []
    learning: Learning | None = None  # of a policy
    game: str = DEFAULT_GAME
    pictures: list[Picture] = []  # of some of the episodes, for a critic with vision


class Verdict(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """One line: whether the sub-action succeeded, why, and what to try."""

    success: bool
    success_rate: float
    reason: str
    suggestion: str = ""
    # That were counted, or shown where pictures decide; 0: none, and the rate was not measured.
    episodes: int = 0
    progress: float = 0.0  # mean share of the aim that an episode brought about, 0 to 1


JUDGE = Service("critic/judge", Evidence, Verdict, idempotent=True, timeout=LIMITED_BY_SERVER)
