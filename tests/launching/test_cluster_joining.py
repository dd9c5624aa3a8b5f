"""What is wrong between this host and a cluster, with a package that stands for Ray:
`tests/launching/test_ray.py` has the real one."""

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rlgpt.cluster import found_cluster
from rlgpt.cluster.cluster_joining import check_cluster, last_line
from rlgpt.cluster.found_cluster import Cluster, answer, find_cluster
from rlgpt.refused import Refused

RAY = {
    "__init__.py": "",
    "exceptions.py": "class AuthenticationError(Exception): pass",
    "_common/usage/usage_lib.py": """
import os
def get_cluster_metadata(_):
    return {"ray_version": os.environ["FAKE_VERSION"], "python_version": "3.11.7"}
""",
    "_private/services.py": """
import os
def canonicalize_bootstrap_address_or_die(_):
    return os.environ["FAKE_ADDRESS"]
""",
    "_private/utils.py": """
def compute_version_info():
    return "2.60.0", "3.11.7"
def check_version_info(cluster, _):
    if cluster["ray_version"] != "2.60.0":
        raise RuntimeError("Version mismatch")
""",
    "_raylet.py": """
import os
from ray.exceptions import AuthenticationError
class GcsClient:
    def __init__(self, address):
        pass
    def internal_kv_keys(self, *_, timeout):
        path, wanted = os.environ.get("RAY_AUTH_TOKEN_PATH"), os.environ["FAKE_TOKEN"]
        token = open(path).read() if path else os.environ.get("RAY_AUTH_TOKEN", "")
        if token != wanted:
            raise AuthenticationError("token is missing or incorrect")
""",
}


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Of a cluster whose token, `right`, is here."""
    for name, source in RAY.items():
        file = tmp_path / "modules" / "ray" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)
    monkeypatch.syspath_prepend(tmp_path / "modules")
    (tmp_path / "token").write_text("right")
    with socket.create_server(("127.0.0.1", 0)) as head:
        at = f"127.0.0.1:{head.getsockname()[1]}"
        for name, value in {
            "PYTHONPATH": str(tmp_path / "modules"),
            "HOME": str(tmp_path),
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(tmp_path / "token"),
            "FAKE_ADDRESS": at,
            "FAKE_TOKEN": "right",
            "FAKE_VERSION": "2.60.0",
        }.items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("RAY_AUTH_TOKEN", raising=False)
        yield at


def refused() -> str:
    with pytest.raises(Refused) as refused:
        check_cluster()
    return refused.value.sentence


def test_a_cluster_that_accepts_the_token_is_found(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check_cluster() == address
    monkeypatch.delenv("RAY_AUTH_TOKEN_PATH")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "right")
    assert check_cluster() == address


def test_a_wrong_token_is_named_as_such(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "token"
    file.write_text("wrong")
    assert f"{address} does not accept the token in {file}: copy that" in refused()
    monkeypatch.setenv("RAY_AUTH_TOKEN", "wrong")
    monkeypatch.delenv("RAY_AUTH_TOKEN_PATH")
    assert "does not accept the token in RAY_AUTH_TOKEN: " in refused()


def test_a_token_that_is_not_there_is_named_with_its_file(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "token"
    file.write_text(" \n")
    assert f"needs the token of the cluster in the file {file}: it is empty" in refused()
    file.unlink()
    assert f"in the file {file}: No such file or directory" in refused()
    monkeypatch.delenv("RAY_AUTH_TOKEN_PATH")
    assert f"in the file {tmp_path / '.ray' / 'auth_token'}: No such file" in refused()


def test_other_versions_are_named(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VERSION", "2.59.0")
    assert (
        f"{address} has Ray 2.59.0 with Python 3.11.7; here it is Ray 2.60.0 with Python 3.11.7"
        in refused()
    )


def test_a_cluster_for_everyone_and_none_at_all_are_refused(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_TOKEN", "")
    assert f"{address} runs code for every client that reaches it" in refused()
    monkeypatch.setenv("FAKE_ADDRESS", "127.0.0.1:1")
    assert "no Ray cluster can be reached" in refused()


def test_placed_processes_join_the_cluster_that_was_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "local")  # of which Ray makes a cluster for each process
    found = answer(Cluster(address="10.0.0.1:6379", host="10.0.0.1", hosts=[]))
    printing = [sys.executable, "-c", f"print({found!r})"]
    monkeypatch.setattr(found_cluster, "python", lambda _: printing)
    assert find_cluster().address == os.environ["RAY_ADDRESS"] == "10.0.0.1:6379"


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("ray::f()\n  File x, line 1\nModuleNotFoundError: no rlgpt\n", "ModuleNotFoundError: no"),
        ("The actor died: its node has died.\n\tclass_name: A\n\tip: 1.2.3.4\n", "The actor died"),
        ("   only this", "only this"),
        ("", "it ended without output"),
    ],
)
def test_an_error_comes_down_to_its_last_whole_line(text: str, last: str) -> None:
    assert last_line(text).startswith(last)
