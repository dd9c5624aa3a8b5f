"""The clock of a recording: it goes on evenly where the machine's clock is set meanwhile. A bag
would be played with the step, and a snapshot's last minute would be over at once."""

import time

_AHEAD = time.time_ns() - time.monotonic_ns()


def log_time() -> int:
    """Nanoseconds since 1970, as the machine's clock was when this process began."""
    return _AHEAD + time.monotonic_ns()
