"""What can go wrong on the bus.

    BusError
    +-- AddressError        an address or a key cannot be used: what to do about it
    +-- BusClosed           the bus was closed during the call
    +-- DeadlineExceeded    no reply in time; names the service, the node and the seconds
    +-- PeerRestarted       the node was restarted in the middle of a call that must not be repeated
    +-- MalformedReply      a reply that does not decode
    +-- RemoteError         the other node rejected the request or failed; has its `code`
    +-- GoalCancelled       the goal was cancelled
    +-- OtherGoal           another request was sent under the goal's id before
    +-- ServiceError        what a handler raises to reject: its caller gets a RemoteError

A message that cannot be written or read is a `messages.codec.CodecError`.
"""

INTERNAL = "internal"
"""The code of a failure by an exception that is no `BusError`: a bug in the handler."""
OVERLOADED = "overloaded"
"""The code of a request that was rejected because the node has too much to do."""
SESSION_LOST = "session_lost"
"""The code of a failure because a session in the env server was lost several times in a row."""
SESSION_KILLED = "session_killed"
"""The code of a session that ended because a process was killed from outside: nothing that was
played in it caused that, and its user opens it again."""
RETRYABLE = frozenset(
    {
        INTERNAL,
        OVERLOADED,
        "version",
        "no_answer",
        "no_model",
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
"""Codes of failures that the request did not cause, so that a retry may succeed. ``no_answer``: the
language model gave none; ``no_model``: it was not reached; ``no_world``: the world cannot be
started in this setup; ``diverged``: a training that goes on from its checkpoint with a lower
learning rate; ``differs``: a replay that differs from its recording; ``memory``: a node cannot read
or write what it finished; ``session_lost``: the env server could not keep the session."""


class BusError(Exception):
    """Any failure of the bus or of the called node."""


class AddressError(BusError):
    """An address or a key cannot be used."""


class BusClosed(BusError):
    """The bus was closed during the call."""


class DeadlineExceeded(BusError):
    """No reply in time. ``absent``: the node was not there, as one that does not run; it did not
    reject the connection either."""

    def __init__(self, text: str, absent: bool = False) -> None:
        super().__init__(text)
        self.absent = absent


class PeerRestarted(BusError):
    """The node was restarted in the middle of a call, which it may have done or not."""


class MalformedReply(BusError):
    """The reply does not decode."""


class GoalCancelled(BusError):
    """The goal was cancelled, by its caller or by another."""


class OtherGoal(BusError):
    """Another request was sent under the goal's id before, and the id stands for that one."""


class RemoteError(BusError):
    """The other node rejected the request or failed. ``code`` is for programs, ``message`` for
    people."""

    def __init__(self, endpoint: str, code: str, message: str) -> None:
        super().__init__(f"{endpoint}: {message}")
        self.endpoint = endpoint
        self.code = code
        self.message = message

    @property
    def retryable(self) -> bool:
        """Whether a retry may succeed: the request was not rejected, but the other node failed."""
        return self.code in RETRYABLE


class ServiceError(BusError):
    """Raised by a handler to reject a request in one sentence."""

    def __init__(self, message: str, code: str = "refused") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
