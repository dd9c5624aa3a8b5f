"""The threads of a session that draw what its policies see: when there are any, and in the jail."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from messages.world import Guard, Interface, Lead, RewardTerm
from nodes.config import ConfigError
from nodes.env_server.games import draw_together
from nodes.env_server.hosting import Hosted
from nodes.env_server.jail.jailed import JailedSession
from tests.env_server.jailed_host import LOG, opening
from tests.env_server.test_jail_threads import WHOLE, exit_code, opened
from tests.fake_world import FakeWorld
from worlds.play import Run

SEEING = Interface(
    observations=["rgb_36x36"], actions=["forward", "attack"], success=LOG, horizon=20
)
BLIND = msgspec.structs.replace(SEEING, observations=["life"])
CLIPPED = msgspec.structs.replace(BLIND, rewards=[RewardTerm(kind="mineclip", weight=1.0)])
EMBEDDED = msgspec.structs.replace(BLIND, observations=["life", "mineclip"])
TRAINED: dict[str, Any] = {"size": 4, "autoreset": True, "prefix": [], "interface": SEEING}


def threads_of(session: Hosted) -> int:
    assert isinstance(session, JailedSession)
    return len(os.listdir(f"/proc/{session._worker._forked.pid}/task"))


@pytest.mark.parametrize(
    ("asked", "threads"),
    [
        ({}, 3),
        ({"size": 2}, 2),
        ({"size": 1}, 1),
        ({"interface": BLIND}, 1),
        ({"autoreset": False, "interface": None}, 3),
    ],
    ids=["training", "two environments", "one environment", "no pictures", "evaluation"],
)
def test_a_jailed_session_has_threads_that_draw_where_pictures_may_be_seen(
    tmp_path: Path, asked: dict[str, Any], threads: int
) -> None:
    parameters: dict[str, Any] = {"jail": "partial", "worlds_ahead": 0, "picture_threads": 3}
    with opened(tmp_path, {**TRAINED, **asked}, **parameters) as session:
        assert threads_of(session) == threads


def test_one_thread_draws_without_another(tmp_path: Path) -> None:
    with opened(tmp_path, TRAINED, jail="partial", worlds_ahead=0, picture_threads=1) as session:
        assert threads_of(session) == 1


class Told(FakeWorld):
    """A world that tells by how many threads it is to draw."""

    threads = 1

    def share_among(self, threads: int) -> Sequence[Run]:
        self.threads = threads
        return ()


@pytest.mark.parametrize(
    ("asked", "threads"),
    [
        ({"interface": CLIPPED}, 2),
        ({"interface": EMBEDDED}, 2),
        ({"interface": BLIND, "lead": [Lead(interface=SEEING)]}, 2),
        ({"interface": BLIND, "guarded": [Lead(interface=SEEING)]}, 2),
        ({"interface": BLIND, "guards": [Guard(name="a", when="", interface=SEEING)]}, 2),
        ({"interface": BLIND, "lead": [Lead(interface=BLIND)]}, 1),
    ],
)
def test_every_policy_of_a_training_counts_and_mineclip_sees_pictures_too(
    asked: dict[str, Any], threads: int
) -> None:
    world = Told(2)
    draw_together(world, opening(**{**TRAINED, **asked}), 2)
    assert world.threads == threads


def features(session: Hosted) -> list[bytes]:
    random = np.random.default_rng(0)
    seen = [np.asarray(session.opened().features)]
    seen += [session.step(random.integers(0, 2, 4)).features for _ in range(25)]
    assert seen[0].dtype == np.uint8
    return [np.asarray(each).tobytes() for each in seen]


def test_a_policy_sees_the_same_by_any_number_of_threads_in_the_jail_and_outside(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "a", TRAINED, jail=False, worlds_ahead=0, picture_threads=1) as session:
        alone = features(session)
    assert len(set(alone)) > 20
    with opened(tmp_path / "b", TRAINED, jail=False, picture_threads=2) as session:
        assert [each for each in threading.enumerate() if each.name.startswith("crew")]
        assert features(session) == alone
    assert not [each for each in threading.enumerate() if each.name.startswith("crew")]
    with opened(tmp_path / "c", TRAINED, jail="partial", picture_threads=3) as session:
        assert features(session) == alone


@WHOLE
def test_files_and_forks_are_refused_to_the_threads_that_draw_and_they_go_on() -> None:
    script = """
        import numpy as np
        world.reset(np.arange(2), np.arange(2))
        alone = world.rgb_all(36, 36).copy()
        runs = world.share_among(2)
        confine.confine([], 256, [*runs, run])
        [run] = runs
        held = in_thread(reads) and in_thread(forks)
        same = (world.rgb_all(36, 36) == alone).all()
        os._exit(0 if held and same else 1)
    """
    assert exit_code(script) == 0


@pytest.mark.parametrize(("threads", "bound"), [(0, ">= 1"), (65, "<= 64")])
def test_a_number_of_threads_that_cannot_be_is_refused(
    tmp_path: Path, threads: int, bound: str
) -> None:
    words = f"picture_threads is {threads}: expected `int` {bound}"
    with pytest.raises(ConfigError, match=words), opened(tmp_path, picture_threads=threads):
        pass
