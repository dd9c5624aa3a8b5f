"""What an error of a call to the env server means: its session has ended, or a retry may help."""

from messages.bus import SESSION_KILLED, SESSION_LOST, PeerRestarted, RemoteError

UNKNOWN_SESSION = "unknown_session"
"""The env server's code for a session that it has not, or not any more."""


def session_was_lost(error: Exception) -> bool:
    """With a restart of the env server, or alone."""
    if isinstance(error, RemoteError):
        return error.code in (UNKNOWN_SESSION, SESSION_KILLED)
    return isinstance(error, PeerRestarted)


def was_killed(error: Exception) -> bool:
    """Whether it ended because a process was killed, not by a fault of what ran in it."""
    return isinstance(error, RemoteError) and error.code == SESSION_KILLED


def worth_a_retry(error: RemoteError) -> bool:
    """Whether what was played did not cause an error that passes. A session that is lost with each
    try may be the program's doing."""
    return error.retryable and error.code != SESSION_LOST
