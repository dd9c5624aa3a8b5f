"""Keys for TCP: how nodes authenticate each other over a network.

Each node has a key pair in the keys folder, ``<node>.key`` (public) and ``<node>.key_secret``;
command line tools are ``tools``. Off the loopback a node accepts only peers whose public key is in
its folder. Copy the folder to the other machines by a way that you trust; a machine needs the
secret keys of its own nodes only. `messages/bus/network/key_files.py` reads the files.
"""

import contextlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import cast

import zmq
import zmq.auth
import zmq.utils.z85

from messages.bus.errors import AddressError
from messages.bus.network.address import Host, check_name
from messages.bus.network.frames import Socket
from messages.bus.network.key_files import (
    PUBLIC,
    SECRET,
    WRITTEN,
    check_folder,
    check_rights,
    new_keys,
    read_pair,
    read_public,
)

_create = cast("Callable[[str, str], object]", zmq.auth.create_certificates)  # pyright: ignore[reportUnknownMemberType]

TOOLS = "tools"
"""The key name of a process that is no node."""

_ZAP_ADDRESS = "inproc://zeromq.zap.01"


def make_keys(folder: Path, nodes: Iterable[str]) -> None:
    """Make the key pairs that are missing.

    Raises:
        AddressError: other users may write to the folder, or it has one half of a pair.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    check_rights(folder, WRITTEN)
    for node in nodes:
        public, secret = (folder / f"{check_name(node)}{end}" for end in (PUBLIC, SECRET))
        if secret.exists():
            continue
        if public.exists():
            raise AddressError(f"{secret} is missing: {new_keys('it is lost')}")
        before = os.umask(0o077)
        try:
            _create(str(folder), node)
        except BaseException:  # half a pair would look like one whose other half is lost
            public.unlink(missing_ok=True)
            secret.unlink(missing_ok=True)
            raise
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

    def check(self) -> None:
        """Check the owner's keys, if it has any, and those of its peers, before they are used.

        Raises:
            AddressError: a key is damaged, or other users can read or write it.
        """
        has_own = (self._folder / f"{self._owner}{SECRET}").exists()
        check_folder(self._folder, [], [self._owner] if has_own else [])

    def listen(self, socket: Socket) -> None:
        """Accept only clients with a known key.

        Raises:
            AddressError: the keys are missing, or other users can read or write them.
        """
        public, secret = read_pair(self._folder, self._owner)
        socket.setsockopt(zmq.CURVE_SERVER, 1)
        socket.setsockopt(zmq.CURVE_PUBLICKEY, public)
        socket.setsockopt(zmq.CURVE_SECRETKEY, secret)
        socket.setsockopt_string(zmq.ZAP_DOMAIN, "rlgpt")

    def connect(self, socket: Socket, peer: str) -> None:
        """Authenticate with our key, and accept only the server that has the peer's."""
        public, secret = read_pair(self._folder, self._owner)
        socket.setsockopt(zmq.CURVE_PUBLICKEY, public)
        socket.setsockopt(zmq.CURVE_SECRETKEY, secret)
        socket.setsockopt(zmq.CURVE_SERVERKEY, read_public(self._folder / f"{peer}{PUBLIC}"))


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
        for path in self._folder.glob(f"*{PUBLIC}"):
            with contextlib.suppress(AddressError):  # it may be copied just now
                keys.add(read_public(path))
        return keys
