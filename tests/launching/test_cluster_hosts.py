"""Which hosts a cluster may use, without a cluster: `tests/launching/test_ray.py` has one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from messages.bus.network.key_files import SECRET
from rlgpt.cluster import cluster_check, placed_process
from rlgpt.cluster.host_choice import with_places
from rlgpt.composing.configuration import check
from rlgpt.launching import launching
from rlgpt.refused import Refused
from tests.launching.direct_ray import HOST, DirectRay

NOT_OURS = "203.0.113.1"  # an address that no machine has: it is kept for examples
CASES = [
    ("abc", "abc", ""),
    ("abc", "abd", "the host 127.0.0.1 has another commit of the checkout, abd; here it is abc"),
    ("abc", None, "the commit of the checkout on the host 127.0.0.1 cannot be read"),
    (None, "abc", "the commit of the checkout here cannot be read"),
    (None, None, "the commit of the checkout here cannot be read"),
]


def at(commit: str | None) -> Callable[[str, Callable[..., Any]], Callable[..., Any]]:
    """A host with that commit."""
    return lambda name, method: (lambda: commit) if name == "commit" else method


@pytest.mark.parametrize(("here", "there", "words"), CASES)
def test_hosts_of_another_or_an_unknown_commit_are_refused(
    monkeypatch: pytest.MonkeyPatch, here: str | None, there: str | None, words: str
) -> None:
    monkeypatch.setattr(cluster_check, "current_commit", lambda: here)
    ray = DirectRay(at(there))
    actors = [(HOST, ray.options().remote()), (HOST, ray.options().remote())]
    if words:
        with pytest.raises(Refused) as refused:
            cluster_check.check_checkouts(ray, actors)
        assert words in refused.value.sentence
    else:
        cluster_check.check_checkouts(ray, actors)
    for made in ray.made:  # the host that was not asked too
        assert not Path(made.run_folder()).exists()


@pytest.mark.parametrize(("here", "there", "words"), CASES)
def test_a_process_is_not_placed_where_the_commit_is_another_or_unknown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, here: str | None, there: str | None, words: str
) -> None:
    monkeypatch.setattr(placed_process, "current_commit", lambda: here)
    ray = DirectRay(at(there))
    actor = ray.options().remote()
    placed = placed_process.PlacedProcess(ray, actor, placed_process.Signals(), tmp_path)
    if not words:
        assert placed.wait_for_room() == HOST
        placed.ask("discard")
        return
    with pytest.raises(Refused) as refused:
        placed.wait_for_room()
    assert words in refused.value.sentence
    assert refused.value.code == 1  # the supervisor starts another one, which may find another host
    assert not Path(ray.made[0].run_folder()).exists()


def test_where_no_ports_are_free_no_keys_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = {"name": "it", "run": None, "engine": "ray", "nodes": {"env_server": {}}}
    with pytest.raises(Refused, match="no ports are free"):
        with_places(data, check({**data, "run": ""}, "it"), tmp_path, NOT_OURS)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(launching, "cluster_of", lambda *_: NOT_OURS)
    with pytest.raises(Refused, match="no ports are free"):
        launching.launch_composed(data, "it", [])
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_launch_that_is_refused_after_its_keys_were_made_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = {"name": "it", "run": None, "engine": "ray", "nodes": {"env_server": {}}}

    def late(*_: object) -> None:
        assert list((tmp_path / "runs").rglob(f"*{SECRET}"))
        raise Refused("too late")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(launching, "cluster_of", lambda *_: HOST)
    monkeypatch.setattr(launching, "check_keys", late)
    with pytest.raises(Refused, match="too late"):
        launching.launch_composed(data, "it", [])
    assert list((tmp_path / "runs").iterdir()) == []
