"""The messages between the env server and a worker, over a stream socket.

A message is a count, that many lengths, then the frames of `messages.codec`: MessagePack and
arrays, never pickle. The env server reads what a worker sends as something that an attacker may
have written: everything is limited, decoded into a known type, and an invalid message ends the
worker.
"""

import socket
import struct
from collections.abc import Callable
from typing import Any, Literal

import msgspec
import numpy as np

from messages.array import Array
from messages.codec import MAX_ARRAY, MAX_ARRAYS, MAX_BODY, encode
from messages.program import Checked, CheckProgram
from messages.roll_out import RolledOut, RollOut
from messages.world import (
    ChoiceUse,
    Episode,
    GuardReport,
    Opened,
    OpenSession,
    Picture,
    PlayedOn,
    PlayOn,
    ProgramRan,
    RunProgram,
    Step,
    Stepped,
    View,
)
from messages.world import TakeInterface as Take

MAX_MESSAGE = 256 << 20
"""Bytes of one message of a worker."""
FRAMES = 64
"""The most frames for the video model in one message."""


class Make(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Make the session's world, confine the worker, open the session."""

    request: OpenSession
    kind: str
    options: dict[str, Any]
    frames: int  # so many pictures of environment 0 are wanted
    over: bool  # all episodes are over already: it stands for a session whose worker was killed
    memory: int  # MiB, see confine
    ahead: int  # worlds that may be made ahead
    threads: int  # that draw the pictures of a step
    model: tuple[int, int, float] | None = None  # of the `VideoModel`: height, width, seconds


class Confine(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Confine the worker without a world: for checking programs."""

    memory: int


class Run(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """``number`` in the pulse's CANCEL means that it is no longer wanted."""

    request: RunProgram
    number: int


class Look(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """How do the episodes stand?"""


class Show(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """What was pictured and counted of the last stage?"""


class End(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Release the world, and end."""


Ask = Make | Confine | Take | Step | PlayOn | RollOut | Run | Look | Show | End | CheckProgram


class Made(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    opened: Opened
    episodes: list[Episode]


class Standing(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    episodes: list[Episode]
    endings: list[str] = []
    guards: list[GuardReport] = []


class Pictured(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    pictures: list[Picture]
    choices: list[ChoiceUse] = []
    mistakes: dict[str, int] = {}


class Done(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Done, and nothing to report."""


class Cancelled(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The run was stopped as it was not wanted any more."""


class Refused(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """``invalid``: a ValueError; ``no_world``: a WorldError; ``memory``: there is none left;
    ``failed``: anything else."""

    why: Literal["invalid", "no_world", "memory", "failed"]
    text: str


class Frame(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """A picture for the film, on the way to an answer."""

    rgb: Array


class Seen(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """What the player of environment 0 sees now, for those who watch, on the way to an answer: see
    `messages.world.Sight`."""

    steps: int
    view: View
    picture: Array
    above: Array


class Embed(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Frames for the video model, on the way to an answer. It is answered with `Estimate`."""

    frames: Array


class Rate(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Clips for its reward, likewise."""

    clips: Array
    prompt: str
    negatives: list[str]


class Estimate(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """What the video model returns; ``error``: why there is nothing."""

    values: Array
    error: str = ""


class Logged(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """A line for the env server's log, on the way to an answer."""

    level: int
    text: str


Answer = (
    Made | Opened | Stepped | PlayedOn | RolledOut | ProgramRan | Standing | Pictured | Checked
    | Done | Cancelled | Refused | Frame | Seen | Embed | Rate | Logged
)  # fmt: skip


ANSWERS: dict[type[Any], type[Any]] = {
    Make: Made,
    Confine: Done,
    Take: Opened,
    Step: Stepped,
    PlayOn: PlayedOn,
    RollOut: RolledOut,
    Run: ProgramRan,
    Look: Standing,
    Show: Pictured,
    End: Done,
    CheckProgram: Checked,
}
"""The answer to each question that is not refused or cancelled."""


class Broken(Exception):
    """The received bytes are not a valid message."""


def write(sock: socket.socket, message: Any) -> None:
    """Send one message. Raises CodecError: it cannot be written; OSError: the other end is
    closed."""
    sock.sendall(packed(message))


def packed(message: Any) -> bytes:
    """Raises CodecError: it cannot be written."""
    frames = [
        frame.tobytes() if isinstance(frame, np.ndarray) else bytes(frame)
        for frame in encode(message)
    ]
    head = struct.pack(f"<I{len(frames)}Q", len(frames), *map(len, frames))
    return head + b"".join(frames)


def read(receive: Callable[[int], bytearray]) -> list[Any]:
    """The frames of the next message. ``receive`` gives exactly as many bytes as it is asked for.

    Raises:
        Broken: it is too large, or none.
        EOFError: the other end is closed.
    """
    (count,) = struct.unpack("<I", receive(4))
    if not 1 <= count <= MAX_ARRAYS + 1:
        raise Broken(f"a message of {count} frames")
    lengths = struct.unpack(f"<{count}Q", receive(8 * count))
    if lengths[0] > MAX_BODY or max(lengths) > MAX_ARRAY or sum(lengths) > MAX_MESSAGE:
        raise Broken(f"a message of {sum(lengths)} bytes")
    return [receive(length) for length in lengths]
