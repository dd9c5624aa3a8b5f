"""Keys that other users may read or replace are refused, and the sentence states what to do."""

import os
from pathlib import Path

import pytest

from messages.bus import AddressError, Bus
from messages.bus.curve import make_keys
from tests.bus_processes import free_port


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    make_keys(tmp_path / "keys", ["server", "tools"])
    return tmp_path / "keys"


def opened(keys: Path) -> None:
    run = keys.parent / "run"
    run.mkdir(exist_ok=True)
    port = free_port()
    Bus(run, "server", {"server": {"host": "127.0.0.1", "port": port}}, keys=keys).close()


def test_keys_are_made_with_rights_that_are_accepted(keys: Path) -> None:
    assert keys.stat().st_mode & 0o777 == 0o700
    assert (keys / "server.key_secret").stat().st_mode & 0o777 == 0o600
    opened(keys)


@pytest.mark.parametrize(
    ("name", "mode", "words"),
    [
        ("server.key_secret", 0o666, "can be written by others (mode 0666): `chmod 600"),
        ("server.key_secret", 0o640, "can be read by others (mode 0640): `chmod 600"),
        ("server.key_secret", 0o604, "can be read by others (mode 0604): `chmod 600"),
        ("tools.key", 0o666, "can be written by others (mode 0666): `chmod 600"),
        (".", 0o777, "can be written by others (mode 0777): `chmod 700"),
        (".", 0o770, "can be written by others (mode 0770): `chmod 700"),
    ],
)
def test_keys_that_others_may_read_or_write_are_refused(
    keys: Path, name: str, mode: int, words: str
) -> None:
    (keys / name).chmod(mode)
    with pytest.raises(AddressError) as refused:
        opened(keys)
    assert str(refused.value).startswith(str(keys / name))
    assert words in str(refused.value)


@pytest.mark.parametrize(("name", "mode"), [("tools.key", 0o644), (".", 0o755)])
def test_public_keys_that_others_may_only_read_are_accepted(
    keys: Path, name: str, mode: int
) -> None:
    (keys / name).chmod(mode)
    opened(keys)


def test_a_link_to_a_key_is_checked_by_its_target(keys: Path, tmp_path: Path) -> None:
    place = tmp_path / "elsewhere"
    place.mkdir(mode=0o700)
    secret = keys / "server.key_secret"
    secret.rename(place / "secret")
    secret.symlink_to(place / "secret")
    opened(keys)
    place.chmod(0o777)
    refused_for(keys, str(place))
    place.chmod(0o700)
    (place / "secret").chmod(0o644)
    refused_for(keys, str(secret))


def refused_for(keys: Path, path: str) -> None:
    with pytest.raises(AddressError, match=f"^{path} can be "):
        opened(keys)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("name", ["server.key_secret", "tools.key", "."])
def test_keys_of_another_user_are_refused(keys: Path, name: str) -> None:
    os.chown(keys / name, 12345, -1)
    with pytest.raises(AddressError, match="belongs to another user"):
        opened(keys)


def test_no_keys_are_made_where_others_may_write(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys").chmod(0o777)
    with pytest.raises(AddressError, match="chmod 700"):
        make_keys(tmp_path / "keys", ["server"])
    assert not list((tmp_path / "keys").iterdir())
