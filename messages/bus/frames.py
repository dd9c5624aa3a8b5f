"""Multipart messages in and out of a socket, with bounds."""

from typing import Any

import zmq

from messages.codec import MAX_ARRAY, MAX_ARRAYS, CodecError, Frames

COPY_BELOW = 32768
"""Bytes. Smaller arrays are copied twice, which is quicker than sharing one copy."""

MAX_FRAMES = MAX_ARRAYS + 4

Socket = zmq.Socket[Any]

# As plain numbers: combining enumeration members takes longer than sending a small frame.
NOW = int(zmq.NOBLOCK)
NOW_MORE = int(zmq.NOBLOCK | zmq.SNDMORE)
_RCVMORE = int(zmq.RCVMORE)

_QUIET = 30  # seconds without a word after which a machine is asked whether it is still there
_BETWEEN = 10  # seconds until it is asked again
_TIMES = 3  # without an answer, and it is taken for gone


def limit(socket: Socket, where: str) -> None:
    """The options that every socket of the bus has, by the address that it is for."""
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.SNDHWM, 1000)
    socket.setsockopt(zmq.RCVHWM, 1000)
    socket.setsockopt(zmq.MAXMSGSIZE, MAX_ARRAY)
    socket.setsockopt(zmq.RECONNECT_IVL, 10)
    socket.setsockopt(zmq.RECONNECT_IVL_MAX, 200)
    if not where.startswith("tcp://"):
        return
    if where.startswith("tcp://["):  # a name would lead to IPv6 alone wherever it has both
        socket.setsockopt(zmq.IPV6, 1)
    # A machine that lost power says no goodbye. Only when its connection is given up is another one
    # made, and a SUB socket, which sends nothing, would never find out. The kernels see to it, so
    # that a process that is busy, or stopped in a debugger, is not taken for gone.
    socket.setsockopt(zmq.TCP_KEEPALIVE, 1)
    socket.setsockopt(zmq.TCP_KEEPALIVE_IDLE, _QUIET)
    socket.setsockopt(zmq.TCP_KEEPALIVE_INTVL, _BETWEEN)
    socket.setsockopt(zmq.TCP_KEEPALIVE_CNT, _TIMES)


def receive(socket: Socket, small: int, wait: bool = False) -> list[Any]:
    """Receive one message: ``small`` frames as bytes, the further ones, which are arrays, as
    buffers that are not copied. With ``wait`` the socket's own RCVTIMEO counts.

    Raises:
        zmq.Again: there is none.
        CodecError: it has more frames than any message; they are thrown away.
    """
    frames: list[Any] = [socket.recv(0 if wait else NOW)]
    while socket.getsockopt(_RCVMORE):
        if len(frames) < small:
            frames.append(socket.recv(NOW))
            continue
        frame = socket.recv(NOW, copy=False)
        frames.append(frame.buffer)
        while frame.more:
            frame = socket.recv(NOW, copy=False)
            if len(frames) < MAX_FRAMES:
                frames.append(frame.buffer)
            elif not frame.more:
                raise CodecError(f"the message has more than {MAX_FRAMES} frames")
        break
    return frames


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
