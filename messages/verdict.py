"""The verdict conversation: the fast agent shows the critic what happened, the critic judges."""

import msgspec

from messages.interface import UNHURRIED, Service
from messages.program import ProgramReport
from messages.world import Condition, Episode, Picture


class Evidence(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """What was seen before and after a sub-action, in a handful of episodes."""

    id: str  # names the question, so that it is answered once
    sub_action: str
    description: str
    method: str  # "code" or "rl"
    success: Condition  # what the sub-action was to bring about
    required_rate: float  # the success rate that counts as success
    episodes: list[Episode]
    least_episodes: int = 1  # of fewer, whatever their rate, nothing counts as success
    reports: list[ProgramReport] = []
    macros: list[str] = []
    pictures: list[Picture] = []  # of some of the episodes, for a critic that sees


class Verdict(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """One line: whether it worked, why, and what to try."""

    success: bool
    success_rate: float
    reason: str
    suggestion: str = ""
    episodes: int = 0  # that were counted; 0: nobody counted, and the rate was not measured


JUDGE = Service("critic/judge", Evidence, Verdict, idempotent=True, timeout=UNHURRIED)
