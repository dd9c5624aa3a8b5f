"""What tests of launches share."""

import signal
from collections.abc import Iterator

import pytest

from rlgpt.cluster.placed_process import Signals


@pytest.fixture
def signals() -> Iterator[Signals]:
    """Catches SIGINT and SIGTERM, as the process of a placed node does, until the test is over."""
    before = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)}
    made = Signals()
    made.catch()
    yield made
    for number, handler in before.items():
        signal.signal(number, handler)
