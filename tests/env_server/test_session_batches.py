"""A session's place in a batch, and the seeds that its environments play."""

from typing import Any

import pytest

from messages.world import SeedRange
from tests.env_server.line_sessions import CHOPS, FORWARD, WALKS, choose, interface, session
from tests.fake_world import FakeWorld


def test_a_session_with_part_of_a_batch_plays_the_seeds_of_its_place_in_the_batch() -> None:
    """Two of five environments, the fourth and the fifth."""
    spread = {"autoreset": True, "batch": 5, "first": 3, "seeds": SeedRange(first=100, count=10)}
    share, _ = session(size=2, interface=interface(horizon=1), **spread)
    played = []
    for _ in range(4):
        played.append([episode.seed for episode in share.episodes()])
        choose(share, FORWARD, FORWARD)
    assert played == [[103, 104], [108, 109], [103, 104], [108, 109]]
    with pytest.raises(ValueError, match="environments 4 to 5 are not among the 5 of a batch"):
        session(size=2, autoreset=True, batch=5, first=4)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"batch": 2**31 + 1}, "a batch has at most 2,147,483,648 environments, not 2,147,483,649"),
        ({"batch": 2**64 - 1}, "a batch has at most 2,147,483,648 environments, not 18,446,744"),
        ({"batch": -1}, "environments 0 to 1 are not among the -1 of a batch"),
        ({"first": 1}, "environments 1 to 2 are not among the 2 of a batch"),
        ({"first": 2**64 - 1}, "are not among the 2 of a batch"),
        ({"first": -1, "batch": 9}, "environments -1 to 0 are not among the 9 of a batch"),
        ({"seeds": SeedRange(first=0, count=2**63)}, "a range of 9,223,372,036,854,775,808 cannot"),
        ({"seeds": SeedRange(first=2**63, count=1)}, "cannot begin with 9,223,372,036,854,775,808"),
    ],
)
def test_numbers_that_no_batch_can_have_are_refused(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        session(size=2, autoreset=True, **fields)


def test_the_largest_batch_plays_the_seeds_of_its_last_place() -> None:
    spread = {"batch": 2**31, "first": 2**31 - 1, "seeds": SeedRange(first=7, count=2**40)}
    playing, _ = session(1, interface=interface(horizon=1), autoreset=True, **spread)
    choose(playing, FORWARD)
    assert playing.episodes()[0].seed == 7 + 2 * 2**31 - 1


@pytest.mark.parametrize("once", [False, True])
def test_a_training_names_the_episodes_that_come_next_the_oldest_first(
    monkeypatch: pytest.MonkeyPatch, once: bool
) -> None:
    foreseen: list[tuple[list[int], list[int]]] = []

    def foresee(self: FakeWorld, environments: Any, seeds: Any) -> None:
        foreseen.append((environments.tolist(), seeds.tolist()))

    monkeypatch.setattr(FakeWorld, "foresee", foresee)
    seeds = SeedRange(first=10, count=5)
    playing, _ = session(3, autoreset=True, once=once, seeds=seeds)
    choose(playing, FORWARD, WALKS, FORWARD)
    choose(playing, FORWARD, CHOPS, FORWARD)
    assert playing.episodes()[1].seed == (11 if once else 14)
    choose(playing, FORWARD, FORWARD, FORWARD)
    # 1 walks 2 steps and is the oldest, until it has a log and begins again.
    named = [([0, 1, 2], [13, 14, 10]), ([1, 0, 2], [14, 13, 10]), ([0, 2, 1], [13, 10, 12])]
    assert foreseen == ([] if once else named)
