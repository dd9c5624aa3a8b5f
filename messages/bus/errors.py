"""What can go wrong on the bus.

    BusError
    +-- AddressError        an address or a key cannot be had; says what to do
    +-- BusClosed           the bus was closed under the caller
    +-- DeadlineExceeded    no answer in time; names the service, the node and the seconds
    +-- PeerRestarted       the node was restarted in the middle of a call that must not be repeated
    +-- MalformedReply      an answer that does not decode
    +-- RemoteError         the other side refused or failed; has its `code`
    +-- GoalCancelled       the goal was cancelled
    +-- ServiceError        what a handler raises to refuse: its caller gets a RemoteError

A message that cannot be written or read is a `messages.codec.CodecError`.
"""

INTERNAL = "internal"
"""The code of what failed by an exception that is no `BusError`: a mistake in the handler."""
OVERLOADED = "overloaded"
"""The code of what was refused because the node has too much to do."""
SESSION_LOST = "session_lost"
"""The code of what failed since its session in the env server was lost time and again."""
SESSION_KILLED = "session_killed"
"""The code for a session that went away as a process was killed from outside: nothing that was
played in it is to blame, and whoever used it opens it again."""
MISHAPS = frozenset(
    {
        INTERNAL,
        OVERLOADED,
        "version",
        "no_answer",
        "no_world",
        "diverged",
        "differs",
        "memory",
        SESSION_LOST,
        SESSION_KILLED,
        "DeadlineExceeded",
        "PeerRestarted",
        "MalformedReply",
    }
)
"""Codes of failures that say nothing about what was asked: another time it may go better. With
``no_answer`` it was the language model that had none, or that was away; with ``no_world`` the world
cannot be had, as things are set up; with ``diverged`` a training that goes on from its checkpoint
once it learns more slowly; with ``differs`` a replay that has come away from its recording; with
``memory`` a node cannot read what it had finished; with ``session_lost`` the env server could not
keep what was played in."""


class BusError(Exception):
    """Any failure of the bus or of the one asked."""


class AddressError(BusError):
    """An address or a key cannot be had."""


class BusClosed(BusError):
    """The bus was closed under the caller."""


class DeadlineExceeded(BusError):
    """No answer in time."""


class PeerRestarted(BusError):
    """The node was restarted in the middle of a call, which it may have done or not."""


class MalformedReply(BusError):
    """The answer does not decode."""


class GoalCancelled(BusError):
    """The goal was cancelled, by its caller or by another."""


class RemoteError(BusError):
    """The other side refused or failed. ``code`` is for programs, ``message`` for people."""

    def __init__(self, door: str, code: str, message: str) -> None:
        super().__init__(f"{door}: {message}")
        self.door = door
        self.code = code
        self.message = message

    @property
    def mishap(self) -> bool:
        """Whether nobody decided this: the other side made a mistake or did not get an answer."""
        return self.code in MISHAPS


class ServiceError(BusError):
    """Raised by a handler to refuse in one sentence."""

    def __init__(self, message: str, code: str = "refused") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
