"""The websockets of a page: all states of a run as they are, then each that changes; and what the
player sees."""

import asyncio
import contextlib

from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocket, WebSocketDisconnect

from rlgpt.dash.feed import Feed
from rlgpt.dash.follow.follower import Follower
from rlgpt.dash.follow.sight_watch import SightWatch

MOST = 64
"""Pages at a time."""
_SENDING = 20.0  # seconds that a browser may take for one message; then its page connects again


async def stream(socket: WebSocket, source: Follower | SightWatch) -> None:
    """Returns when the page has left or takes nothing any more, or the source has ended."""
    await socket.accept()
    feed = Feed(asyncio.get_running_loop())
    await run_in_threadpool(source.add, feed)
    leaving = asyncio.create_task(_left(socket))
    try:
        while not leaving.done():
            taking = asyncio.create_task(feed.take())
            await asyncio.wait((taking, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not taking.done():
                taking.cancel()
                break
            states = taking.result()
            if not states:
                break
            if isinstance(source, SightWatch):
                await asyncio.wait_for(socket.send_bytes(states["sight"]), _SENDING)
            else:
                await asyncio.wait_for(socket.send_text(_object(states)), _SENDING)
    except (TimeoutError, WebSocketDisconnect, RuntimeError):
        pass
    finally:
        feed.close()
        await run_in_threadpool(source.remove, feed)
        leaving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await leaving
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await socket.close()


def _object(states: dict[str, bytes]) -> str:
    """One JSON object with a key for each channel, whose names are ours and need no escape."""
    parts = [b'"%s":%s' % (name.encode(), state) for name, state in states.items()]
    return (b"{" + b",".join(parts) + b"}").decode()


async def _left(socket: WebSocket) -> None:
    """A page sends nothing; what comes all the same is dropped."""
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
