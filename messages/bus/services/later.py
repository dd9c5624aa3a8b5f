"""A reply that comes later: its request waits without a thread."""

import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol

from messages.bus.errors import ServiceError
from messages.interface import Reply


class LaterRequest(Protocol):
    """The request, as `Later` sees it."""

    def reply(self, message: Any) -> None: ...
    def fail(self, code: str, text: str) -> None: ...


class Later(Generic[Reply]):
    """What a handler returns in place of its reply, which is to be given once, from any thread.
    ``given_up`` is called if the caller leaves before; nothing is sent then."""

    def __init__(self, given_up: Callable[[], None] = lambda: None) -> None:
        self._given_up = given_up
        self._lock = threading.Lock()
        self._request: LaterRequest | None = None
        self._outcome: Reply | ServiceError | None = None
        self._over = False

    def reply(self, outcome: Reply | ServiceError) -> None:
        """Send the reply, or the error that rejects the request."""
        with self._lock:
            if self._over or self._outcome is not None:
                return
            self._outcome = outcome
            request = self._request
        if request is not None:
            _send(request, outcome)

    # For the bus

    def attach(self, request: LaterRequest) -> None:
        """The handler has returned: what is to be replied goes to ``request``."""
        with self._lock:
            self._request = request
            outcome = self._outcome
        if outcome is not None:
            _send(request, outcome)

    def give_up(self) -> bool:
        """The caller has left. False: the reply is under way all the same."""
        with self._lock:
            if self._outcome is not None:
                return False
            self._over = True
        self._given_up()
        return True


def _send(request: LaterRequest, outcome: Any) -> None:
    if isinstance(outcome, ServiceError):
        request.fail(outcome.code, outcome.message)
    else:
        request.reply(outcome)
