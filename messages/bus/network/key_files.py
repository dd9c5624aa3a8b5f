"""The files of a keys folder: read and checked, with what to do where one cannot be used.

No other user may read a secret key or write to the folder or its files: the owner of a public key
in the folder can connect.
"""

import os
import stat
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import cast

import zmq
import zmq.auth

from messages.bus.errors import AddressError

_load = cast("Callable[[Path], tuple[bytes, bytes | None]]", zmq.auth.load_certificate)  # pyright: ignore

WRITTEN = stat.S_IWGRP | stat.S_IWOTH
_READ = stat.S_IRWXG | stat.S_IRWXO

PUBLIC = ".key"
SECRET = ".key_secret"

NEW_ONES = "delete the folder there, make new keys with `rlgpt keys NAME` and copy them again"


def new_keys(lost: str) -> str:
    """What to do about a key; ``lost``: what is wrong with it, maybe in its first place as well."""
    return f"copy it from the machine where the keys were made; if {lost} there too, {NEW_ONES}"


def missing_folder(folder: Path) -> str:
    """The sentence about a folder that the launch names as ``keys`` and that does not exist."""
    return (
        f"keys: there is no folder {folder}; `rlgpt keys NAME` makes it, on one machine, "
        "and prints what to copy to the others; a launch on one machine may leave `keys` out"
    )


def check_folder(folder: Path, servers: Iterable[str], owners: Collection[str]) -> None:
    """Check the public keys of all, and that the secret keys of ``owners`` fit their public ones.

    Raises:
        AddressError: the key of one of ``owners`` or of ``servers`` is missing, or a file is
            damaged, or other users can write to it.
    """
    needed = [folder / f"{server}{PUBLIC}" for server in servers]
    needed += [folder / f"{owner}{SECRET}" for owner in owners]
    if missing := [path for path in needed if not os.path.lexists(path)]:
        raise AddressError(_missing(missing))
    for path in sorted(folder.glob(f"*{PUBLIC}")):
        read_public(path)
    for owner in owners:
        read_pair(folder, owner)


def read_public(path: Path) -> bytes:
    """A node's public key. Raises AddressError: there is none, or other users can write to it."""
    return _read(path, WRITTEN)[0]


def read_pair(folder: Path, owner: str) -> tuple[bytes, bytes]:
    """The public and the secret key of ``owner``. The public one follows from the secret one, and
    the peers have it from ``<owner>.key``, if that is here.

    Raises:
        AddressError: there is no secret key, other users can read it, or it does not fit.
    """
    path = folder / f"{owner}{SECRET}"
    secret = _read(path, _READ)[1]
    if secret is None:
        raise AddressError(f"{path} is not a secret key: {new_keys('it is none')}")
    derived = zmq.curve_public(secret)
    known = folder / f"{owner}{PUBLIC}"
    if os.path.lexists(known) and read_public(known) != derived:
        raise AddressError(
            f"{path} does not fit {known}: one of the two is another's; copy both from the "
            f"machine where the keys were made; if they do not fit there either, {NEW_ONES}"
        )
    return derived, secret


def check_rights(path: Path, forbidden: int) -> None:
    """Raises AddressError if other users have one of the ``forbidden`` rights, or own it."""
    found = path.stat()
    if found.st_uid not in (os.geteuid(), 0):
        raise AddressError(
            f"{path} belongs to another user (number {found.st_uid}), who can change it: "
            f"copy the keys to a folder of your own, or `chown {os.geteuid()} {path}`"
        )
    if found.st_mode & forbidden:
        right = "written" if found.st_mode & WRITTEN else "read"
        mode = 0o700 if stat.S_ISDIR(found.st_mode) else 0o600
        raise AddressError(
            f"{path} can be {right} by others (mode {stat.S_IMODE(found.st_mode):04o}): "
            f"`chmod {mode:o} {path}`, and make new keys if another user may have used that"
        )


def _read(path: Path, forbidden: int) -> tuple[bytes, bytes | None]:
    """The public and the secret key in a file."""
    try:
        for folder in {path.parent, path.resolve().parent}:  # it may be a link
            check_rights(folder, WRITTEN)
        check_rights(path, forbidden)
        public, secret = _load(path)
        for key in filter(None, (public, secret)):
            zmq.curve_public(key)  # it has to be 32 bytes in Z85
    except (FileNotFoundError, NotADirectoryError):
        raise AddressError(_missing([path])) from None
    except (ValueError, IndexError, IsADirectoryError, zmq.ZMQError):
        raise AddressError(f"{path} is not a key: {new_keys('it is damaged')}") from None
    except OSError as error:
        raise AddressError(f"the key {path} cannot be read: {error.strerror}") from None
    return public, secret or None


def _missing(paths: list[Path]) -> str:
    """The sentence about key files that do not exist: where the other half of a pair is here,
    `rlgpt keys` makes no second one."""
    half = next((path for path in paths if _other_half(path).exists()), None)
    path = half or paths[0]
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    if half is not None:
        return f"nodes on TCP need keys, and {path} is missing{more}: {new_keys('it is lost')}"
    return (
        f"nodes on TCP need keys, and {path} is missing{more}; `rlgpt keys` makes them, "
        "on one machine, and prints which to copy to the others"
    )


def _other_half(path: Path) -> Path:
    """The public key's file of a secret key's, and the other way round."""
    return path.with_suffix(PUBLIC if path.suffix == SECRET else SECRET)
