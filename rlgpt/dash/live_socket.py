"""The websocket of a page: all states of a run as they are, then each that changes."""

import asyncio
import contextlib

from starlette.websockets import WebSocket, WebSocketDisconnect

from rlgpt.dash.feed import Feed
from rlgpt.dash.follow.follower import Follower

MOST = 64
"""Pages at a time."""
_SENDING = 20.0  # seconds that a browser may take for one message; then its page connects again


async def stream(socket: WebSocket, follower: Follower) -> None:
    """Returns when the page has left, or takes nothing any more."""
    await socket.accept()
    feed = Feed(asyncio.get_running_loop())
    follower.add(feed)
    leaving = asyncio.create_task(_left(socket))
    try:
        while not leaving.done():
            taking = asyncio.create_task(feed.take())
            await asyncio.wait((taking, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not taking.done():
                taking.cancel()
                break
            text = taking.result().decode()
            await asyncio.wait_for(socket.send_text(text), _SENDING)
    except (TimeoutError, WebSocketDisconnect, RuntimeError):
        pass
    finally:
        follower.remove(feed)
        feed.close()
        leaving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await leaving
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await socket.close()


async def _left(socket: WebSocket) -> None:
    """A page sends nothing; what comes all the same is dropped."""
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
