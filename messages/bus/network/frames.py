"""Multipart messages in and out of a socket, with bounds."""

from typing import Any

import zmq

from messages.codec import MAX_ARRAY, MAX_ARRAYS, MAX_MESSAGE, CodecError, Frames

COPY_BELOW = 32768
"""Bytes. Smaller arrays are copied twice, which is quicker than sharing one copy."""

MAX_FRAMES = MAX_ARRAYS + 4

Socket = zmq.Socket[Any]

# As plain numbers: combining enumeration members takes longer than sending a small frame.
NOW = int(zmq.NOBLOCK)
NOW_MORE = int(zmq.NOBLOCK | zmq.SNDMORE)
_RCVMORE = int(zmq.RCVMORE)

QUEUE = 1000
"""Messages that wait for a connection at most, or that have come by it and are not read."""

BEAT = 3.0
"""Seconds between two heartbeats over TCP. ZeroMQ's own threads send and answer them, so that a
process that is busy, or that waits in Python's debugger, does not count as lost."""
GONE = 12.0
"""Seconds without an answer to a heartbeat, after which the other machine counts as lost. The
largest frame has to be transferred in this time."""


class TooLarge(CodecError):
    """A message above the size limit. ``frames``: its first ones."""

    def __init__(self, text: str, frames: Frames) -> None:
        super().__init__(text)
        self.frames = frames


def limit(socket: Socket, where: str) -> None:
    """The options that every socket of the bus has, by the address that it is for."""
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.SNDHWM, QUEUE)
    socket.setsockopt(zmq.RCVHWM, QUEUE)
    socket.setsockopt(zmq.MAXMSGSIZE, MAX_ARRAY)
    socket.setsockopt(zmq.RECONNECT_IVL, 10)
    socket.setsockopt(zmq.RECONNECT_IVL_MAX, 200)
    if not where.startswith("tcp://"):
        return
    if where.startswith("tcp://["):  # a name that has both would resolve to IPv6 alone
        socket.setsockopt(zmq.IPV6, 1)
    # A machine that lost power closes no connection, and the kernel gives up resending only after a
    # quarter of an hour. A connection that is given up is made again.
    socket.setsockopt(zmq.HEARTBEAT_IVL, int(BEAT * 1000))
    socket.setsockopt(zmq.HEARTBEAT_TIMEOUT, int(GONE * 1000))
    socket.setsockopt(zmq.HEARTBEAT_TTL, int((BEAT + GONE) * 1000))
    socket.setsockopt(zmq.CONNECT_TIMEOUT, int(GONE * 1000))


def receive(socket: Socket, small: int, wait: bool = False) -> list[Any]:
    """Receive one message: ``small`` frames as bytes, the further ones, which are arrays, as
    buffers that are not copied. With ``wait`` the socket's own RCVTIMEO counts.

    Raises:
        zmq.Again: there is none.
        TooLarge: it has more frames or bytes than a message may have; they are discarded.
    """
    frames: list[Any] = [socket.recv(0 if wait else NOW)]
    while socket.getsockopt(_RCVMORE):
        if len(frames) < small:
            frames.append(socket.recv(NOW))
            continue
        _receive_arrays(socket, frames)
        break
    return frames


def _receive_arrays(socket: Socket, frames: list[Any]) -> None:
    """The further frames of a message, appended to the small ones."""
    small, size, count = len(frames), sum(map(len, frames)), len(frames)
    more = True
    while more:
        frame = socket.recv(NOW, copy=False)
        more, size, count = frame.more, size + len(frame), count + 1
        if size > MAX_MESSAGE or count > MAX_FRAMES:
            del frames[small:]
        else:
            frames.append(frame.buffer)
    if size > MAX_MESSAGE:
        text = f"a message has {size} bytes; at most {MAX_MESSAGE} are read"
    elif count > MAX_FRAMES:
        text = f"a message has {count} frames; at most {MAX_FRAMES} are read"
    else:
        return
    raise TooLarge(text, frames[:small])


def keep(frames: Frames) -> Frames:
    """Copy the arrays, once, into memory that can be sent again and again without a copy."""
    for index in range(1, len(frames)):
        frame = frames[index]
        if not isinstance(frame, (bytes, zmq.Frame)):
            large = frame.nbytes >= COPY_BELOW
            frames[index] = zmq.Frame(frame, copy=True) if large else frame.tobytes()
    return frames


def send(socket: Socket, frames: Frames) -> None:
    """Send one message without waiting; arrays must have been through `keep`.

    Raises:
        zmq.Again: the queue is full.
    """
    last = len(frames) - 1
    for index in range(last):
        socket.send(frames[index], NOW_MORE)
    socket.send(frames[last], NOW)
