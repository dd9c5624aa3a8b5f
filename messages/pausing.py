"""The pausing conversation: any node can be paused, go on, and take single steps meanwhile."""

import msgspec

from messages.bounds import NotNegative
from messages.empty import Empty
from messages.interface import Service, Topic
from messages.system import BUSY


class SetPause(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """``steps``: how many a paused node may take; those that it had left are replaced."""

    paused: bool
    steps: NotNegative = 0
    by: str = ""  # who asked for it, for the log and the run's record


class Pause(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Whether a node is paused. A step of the env server is one of its world; of another node, a
    request that it begins to work on or sends."""

    node: str
    paused: bool
    since: float | None = None  # seconds since the epoch; None: it is not paused
    by: str = ""
    steps: int = 0  # that it may still take
    taken: int = 0  # since it was paused
    waiting: list[str] = []  # services and actions of what waits, the first first


def set_pause(node: str) -> Service[SetPause, Pause]:
    return Service(f"{node}/set_pause", SetPause, Pause, idempotent=True, timeout=BUSY)


def get_pause(node: str) -> Service[Empty, Pause]:
    return Service(f"{node}/get_pause", Empty, Pause, idempotent=True, timeout=BUSY)


def pause(node: str) -> Topic[Pause]:
    return Topic(f"{node}/pause", Pause, latched=True)
