"""Keys for TCP: how nodes authenticate each other over a network.

Each node has a key pair in the keys folder, ``<node>.key`` (public) and ``<node>.key_secret``;
command line tools are ``tools``. Off the loopback a node accepts only peers whose public key is in
its folder. Copy the folder to the other machines by a way that you trust; a machine needs the
secret keys of its own nodes only. No other user may read a secret key or write to the folder or its
files: the owner of a public key in the folder can connect.
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
"""The key name of a process that is no node."""

_WRITTEN = stat.S_IWGRP | stat.S_IWOTH
_READ = stat.S_IRWXG | stat.S_IRWXO

_SECRET = ".key_secret"

_ZAP_ADDRESS = "inproc://zeromq.zap.01"


def make_keys(folder: Path, nodes: Iterable[str]) -> None:
    """Make the key pairs that are missing.

    Raises:
        AddressError: other users may write to the folder.
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
        """Off the loopback always; on it if there are keys; never on Unix sockets."""
        return host is not None and (not host.loopback or self._folder.is_dir())

    def listen(self, socket: Socket) -> None:
        """Accept only clients with a known key.

        Raises:
            AddressError: the keys are missing, or other users can read or write them.
        """
        for path in self._folder.glob("*.key"):
            _check(path, _WRITTEN)
        public, secret = self._pair()
        socket.setsockopt(zmq.CURVE_SERVER, 1)
        socket.setsockopt(zmq.CURVE_PUBLICKEY, public)
        socket.setsockopt(zmq.CURVE_SECRETKEY, secret)
        socket.setsockopt_string(zmq.ZAP_DOMAIN, "rlgpt")

    def connect(self, socket: Socket, peer: str) -> None:
        """Authenticate with our key, and accept only the server that has the peer's."""
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
                f"machine, and prints which to copy to the others"
            ) from error


def _check(path: Path, forbidden: int) -> None:
    """Raises AddressError if other users have one of the ``forbidden`` rights, or own it."""
    found = path.stat()
    if found.st_uid not in (os.geteuid(), 0):
        raise AddressError(
            f"{path} belongs to another user (number {found.st_uid}), who can change it: "
            f"copy the keys to a folder of your own, or `chown {os.geteuid()} {path}`"
        )
    if found.st_mode & forbidden:
        right = "written" if found.st_mode & _WRITTEN else "read"
        mode = 0o700 if stat.S_ISDIR(found.st_mode) else 0o600
        raise AddressError(
            f"{path} can be {right} by others (mode {stat.S_IMODE(found.st_mode):04o}): "
            f"`chmod {mode:o} {path}`, and make new keys if another user may have used that"
        )


class KeyAuthenticator:
    """Answers ZeroMQ's authentication requests (RFC 27): a client is accepted if its public key is
    in the folder. The folder is read each time, so that keys can be added."""

    def __init__(self, context: "zmq.Context[Socket]", folder: Path) -> None:
        self._folder = folder
        self.socket: Socket = context.socket(zmq.REP)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.bind(_ZAP_ADDRESS)

    def answer(self) -> None:
        request = self.socket.recv_multipart(zmq.NOBLOCK)
        number = request[1] if len(request) > 1 else b""
        known = (
            len(request) == 7
            and request[5] == b"CURVE"
            and zmq.utils.z85.encode(request[6]) in self._known()
        )
        status = (b"200", b"OK", b"known") if known else (b"400", b"unknown key", b"")
        self.socket.send_multipart([b"1.0", number, *status, b""])

    def _known(self) -> set[bytes]:
        keys: set[bytes] = set()
        for path in self._folder.glob("*.key"):
            try:
                _check(path, _WRITTEN)
                keys.add(_load(path)[0])
            except (AddressError, OSError, ValueError):
                continue
        return keys
