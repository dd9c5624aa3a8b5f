"""Where the time of one thread goes: each moment is counted for the innermost part under way."""

import functools
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Clock:
    """Seconds of this thread's CPU time by part. What runs inside no part is not counted."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)
        self._parts: list[str] = []
        self._since = 0.0

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        self._count()
        self._parts.append(name)
        try:
            yield
        finally:
            self._count()
            self._parts.pop()

    def watch(self, owner: Any, method: str, name: str) -> None:
        """Count all calls of a method of an object, or of a function of a module, as a part."""
        called: Callable[..., Any] = getattr(owner, method)

        @functools.wraps(called)
        def counted(*args: Any, **named: Any) -> Any:
            with self.part(name):
                return called(*args, **named)

        setattr(owner, method, counted)

    def _count(self) -> None:
        now = time.thread_time()
        if self._parts:
            self.spent[self._parts[-1]] += now - self._since
        self._since = now
