"""Keys for TCP: who is who when a node is reached over a network.

Each node has a key pair in the keys folder, ``<node>.key`` (public) and ``<node>.key_secret``;
command line tools are ``tools``. Off the loopback a node only talks to peers whose public key lies
in its folder. Copy the folder to the other machines by a way that you trust; a machine needs the
secret keys of its own nodes only. Nobody else may read a secret key, and nobody else may write the
folder or what is in it: a public key that is put there lets its owner in.
"""

import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import cast

import zmq
import zmq.auth
import zmq.utils.z85

from messages.bus.address import Host, check_name
from messages.bus.errors import AddressError
from messages.bus.frames import Socket

_create = cast("Callable[[str, str], object]", zmq.auth.create_certificates)  # pyright: ignore[reportUnknownMemberType]
_load = cast("Callable[[Path], tuple[bytes, bytes | None]]", zmq.auth.load_certificate)  # pyright: ignore

TOOLS = "tools"
"""Whose keys a process without a node's name has."""

_WRITTEN = stat.S_IWGRP | stat.S_IWOTH
_READ = stat.S_IRWXG | stat.S_IRWXO

_SECRET = ".key_secret"

_ZAP_ADDRESS = "inproc://zeromq.zap.01"


def make_keys(folder: Path, nodes: Iterable[str]) -> None:
    """Make the key pairs that are missing.

    Raises:
        AddressError: others may write the folder.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _check(folder, _WRITTEN)
    for node in nodes:
        if not (folder / f"{check_name(node)}.key_secret").exists():
            before = os.umask(0o077)
            try:
                _create(str(folder), node)
            finally:
                os.umask(before)


class Keys:
    """The keys folder as one process uses it."""

    def __init__(self, folder: Path, owner: str) -> None:
        self._folder = folder
        self._owner = owner

    def needed(self, host: Host | None) -> bool:
        """Off the loopback always; on it where there are keys; never on Unix sockets."""
        return host is not None and (not host.loopback or self._folder.is_dir())

    def listen(self, socket: Socket) -> None:
        """Let only those in that have a key.

        Raises:
            AddressError: the keys are missing, or are not safe from others.
        """
        for path in self._folder.glob("*.key"):
            _check(path, _WRITTEN)
        public, secret = self._pair()
        socket.setsockopt(zmq.CURVE_SERVER, 1)
        socket.setsockopt(zmq.CURVE_PUBLICKEY, public)
        socket.setsockopt(zmq.CURVE_SECRETKEY, secret)
        socket.setsockopt_string(zmq.ZAP_DOMAIN, "rlgpt")

    def connect(self, socket: Socket, peer: str) -> None:
        """Show our key, and talk only to the one that has the peer's."""
        public, secret = self._pair()
        socket.setsockopt(zmq.CURVE_PUBLICKEY, public)
        socket.setsockopt(zmq.CURVE_SECRETKEY, secret)
        socket.setsockopt(zmq.CURVE_SERVERKEY, self._load(f"{peer}.key")[0])

    def _pair(self) -> tuple[bytes, bytes]:
        public, secret = self._load(f"{self._owner}.key_secret")
        if secret is None:
            raise AddressError(f"{self._folder}/{self._owner}.key_secret holds no secret key")
        return public, secret

    def _load(self, name: str) -> tuple[bytes, bytes | None]:
        path = self._folder / name
        try:
            for folder in {self._folder, path.resolve().parent}:  # it may be a link
                _check(folder, _WRITTEN)
            _check(path, _READ if name.endswith(_SECRET) else _WRITTEN)
            return _load(path)
        except (OSError, ValueError) as error:
            raise AddressError(
                f"TCP needs keys, and {path} cannot be read; `rlgpt keys` makes them, on one "
                f"machine, and says which to copy to the others"
            ) from error


def _check(path: Path, forbidden: int) -> None:
    """Raises AddressError where others have one of the ``forbidden`` rights, or it is theirs."""
    found = path.stat()
    if found.st_uid not in (os.geteuid(), 0):
        raise AddressError(
            f"{path} belongs to another user (number {found.st_uid}), and so does what it says: "
            f"copy the keys to a folder of your own, or `chown {os.geteuid()} {path}`"
        )
    if found.st_mode & forbidden:
        right = "written" if found.st_mode & _WRITTEN else "read"
        mode = 0o700 if stat.S_ISDIR(found.st_mode) else 0o600
        raise AddressError(
            f"{path} can be {right} by others (mode {stat.S_IMODE(found.st_mode):04o}): "
            f"`chmod {mode:o} {path}`, and make new keys where somebody may have used that"
        )


class Doorkeeper:
    """Answers ZeroMQ's question (RFC 27) whether a client key may come in: whoever's public key
    lies in the folder. The folder is read anew each time, so that keys may be added."""

    def __init__(self, context: "zmq.Context[Socket]", folder: Path) -> None:
        self._folder = folder
        self.socket: Socket = context.socket(zmq.REP)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.bind(_ZAP_ADDRESS)

    def answer(self) -> None:
        question = self.socket.recv_multipart(zmq.NOBLOCK)
        request = question[1] if len(question) > 1 else b""
        known = (
            len(question) == 7
            and question[5] == b"CURVE"
            and zmq.utils.z85.encode(question[6]) in self._known()
        )
        verdict = (b"200", b"OK", b"known") if known else (b"400", b"unknown key", b"")
        self.socket.send_multipart([b"1.0", request, *verdict, b""])

    def _known(self) -> set[bytes]:
        keys: set[bytes] = set()
        for path in self._folder.glob("*.key"):
            try:
                _check(path, _WRITTEN)
                keys.add(_load(path)[0])
            except (AddressError, OSError, ValueError):
                continue
        return keys
