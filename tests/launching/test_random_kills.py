"""A launch with random kills; `make test-kills` makes ten of them."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.launch_toys.launched import Launched
from tests.launch_toys.process_tree import KINDS, Member, members, strangers
from tests.launch_toys.watching import NODES, Watch
from tests.random_kills import killed, stack, straight

SEED = 20
FORKING = 10.0  # seconds for which one that was forked may be nothing yet, on any machine


@pytest.mark.slow
@pytest.mark.timeout(2000)
def test_random_kills_change_no_table(run_folder: Path) -> None:
    killer = killed(run_folder, "killed", SEED, 20, straight(run_folder))
    assert killer.hits.total() == 20


@pytest.mark.slow
@pytest.mark.timeout(1000)
def test_every_process_of_the_stack_is_recognised(run_folder: Path) -> None:
    seen: dict[str, Member] = {}
    with stack(run_folder, "run") as launch:
        for found in looks(launch):
            seen |= {member.kind: member for member in found}
            if len(seen) == len(KINDS):
                break
        assert set(seen) == set(KINDS), launch.text
        with closing(Watch(launch)) as watch:
            assert {name: seen[name].pid for name in NODES} == {
                name: watch.state(name).pid for name in NODES
            }


def looks(launch: Launched) -> Iterator[list[Member]]:
    """The processes of a launch, again and again; each of them is of some kind."""
    young: dict[Member, float] = {}
    while launch.process.poll() is None:
        now = time.monotonic()
        young = {each: young.get(each, now) for each in strangers(launch.process.pid)}
        old = [each for each, since in young.items() if now - since > FORKING]
        assert not old, old
        yield members(launch.process.pid)
        time.sleep(0.05)
