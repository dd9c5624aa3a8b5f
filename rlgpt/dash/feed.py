"""The states waiting for one open page: the newest of each channel.

So a page that takes its messages slowly, or not at all, holds back no one: what it did not take in
time is replaced by what is newer, and there are never more states than channels.
"""

import asyncio
import threading


class Feed:
    """One page. ``put`` may be called from any thread, ``take`` in the loop that made it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lock = threading.Lock()
        self._states: dict[str, bytes] = {}
        self._ready = asyncio.Event()
        self._closed = self._ended = False

    def put(self, channel: str, state: bytes) -> None:
        """``state`` takes the place of one of the same channel that was not taken."""
        with self._lock:
            if self._closed:
                return
            wake = not self._states
            self._states[channel] = state
            if wake:
                self._loop.call_soon_threadsafe(self._ready.set)

    async def take(self) -> dict[str, bytes]:
        """Take all new states, by channel; none where there are to be no more."""
        while True:
            await self._ready.wait()
            with self._lock:
                self._ready.clear()
                states, self._states = self._states, {}
                if states or self._ended:
                    return states

    def end(self) -> None:
        """There is nothing more to come. From any thread."""
        with self._lock:
            self._ended = True
            if not self._closed:
                self._loop.call_soon_threadsafe(self._ready.set)

    def close(self) -> None:
        """Close the feed: nothing is put in any more, and the loop may end."""
        with self._lock:
            self._closed = True
            self._states = {}
