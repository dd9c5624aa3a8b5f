"""What is recorded of a play in which a program did not run, as it had stopped a worker before, is
what was played, so that it can be played again where nothing is known of that program."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from messages.program import Program
from messages.world import Episode, Guard, Interface, OpenSession, RewardTerm
from nodes.common.storage.episode_store import FILE, StoredEpisodes, StoredPlay
from nodes.env_server.jail.jailed import JailedHost
from nodes.env_server.quarantine import STILL, STILL_REWARD
from nodes.env_server.recorded_session import Recorded
from rlgpt.report import played_episodes
from tests.env_server.jailed_host import LOG, jailed_host, opening, raw

WALK = Program(name="walk", source="def action(obs):\n    for _ in range(9):\n        forward()\n")
TURN = Program(name="turn", source="def action(obs):\n    for _ in range(3):\n        turn(30)\n")
SOURCE = "def reward(before, after):\n    return after.position[0]\n"
INTERFACE = Interface(
    observations=["compass"], actions=["noop", "turn_left"], macros=[WALK, TURN], success=LOG,
    horizon=9, rewards=[RewardTerm(kind="code", weight=1.0, source=SOURCE)],
)  # fmt: skip
GUARDS = [
    Guard(name="walks", when="def when(obs):\n    return obs.steps < 4\n", program=WALK,
          max_steps=4),
]  # fmt: skip


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[JailedHost, JailedHost]]:
    """One in which `WALK` and a reward stopped a worker, and one that knows of nothing."""
    folder = tmp_path_factory.mktemp("hosts")
    for name in "ab":
        (folder / name).mkdir()
    with jailed_host(folder / "a") as first, jailed_host(folder / "b") as second:
        first.quarantine.add(WALK, 3, "it hung")
        first.quarantine.add(Program(name="a reward", source=SOURCE), 2, "it hung")
        yield first, second


def recorded(folder: Path, host: JailedHost, request: OpenSession) -> Recorded:
    (folder / "env_server").mkdir()
    kept = StoredEpisodes(folder / "env_server" / FILE)
    return Recorded(host.open(request, None, lambda steps: None), request, kept, pytest.fail)


def the_play(folder: Path, request: OpenSession) -> StoredPlay:
    play = played_episodes.play(folder, request.play)
    assert play is not None
    return play


def again(host: JailedHost, play: StoredPlay) -> list[Episode]:
    session = host.open(play.opened, None, lambda steps: None)
    try:
        for part in play.parts:
            where = part.environments, part.begins, part.guards
            if part.program is not None:
                session.run_program(part.program, lambda: None, *where)
            elif part.interface is not None:
                session.take(part.interface, *where)
                for choices in np.frombuffer(part.choices, "<u2").reshape(-1, 2):
                    session.step(choices.astype(np.int64))
        return session.episodes()
    finally:
        session.close()


def test_an_episode_is_recorded_without_the_programs_that_did_not_run(
    hosts: tuple[JailedHost, JailedHost], tmp_path: Path
) -> None:
    request = opening(play="play-0", prefix=[WALK, TURN], interface=INTERFACE)
    session = recorded(tmp_path, hosts[0], request)
    session.step(np.array([2, 2]))  # the macro that does not run
    _, reports = session.run_program(WALK)
    assert [(report.status, report.steps) for report in reports] == [("killed", 0)]
    session.run_program(TURN, guards=GUARDS, environments=[1])
    session.take(INTERFACE, guards=GUARDS)
    for choices in ([2, 3], [1, 2]):
        session.step(np.array(choices))
    episodes = session.episodes()
    session.close(whole=True)

    play = the_play(tmp_path, request)
    assert [program.source for program in play.opened.prefix] == [STILL, TURN.source]
    first, walked, turned, taken = play.parts
    for interface in (play.opened.interface, first.interface, taken.interface):
        assert interface is not None
        assert [macro.source for macro in interface.macros] == [STILL, TURN.source]
        assert [term.source for term in interface.rewards] == [STILL_REWARD]
    assert walked.program is not None
    assert (walked.program.name, walked.program.source) == ("walk", STILL)
    assert turned.program == TURN
    assert (turned.guards, taken.guards, turned.environments) == ([], [], [1])
    assert again(hosts[1], play) == episodes
    assert again(hosts[0], play) == episodes


def test_the_play_in_which_a_program_was_killed_is_recorded_with_it(
    hosts: tuple[JailedHost, JailedHost], tmp_path: Path
) -> None:
    dies = raw("for _ in range(3):\n    yield 0\nimport os\nos._exit(3)", "dies")
    request = opening(play="play-1")
    session = recorded(tmp_path, hosts[0], request)
    _, reports = session.run_program(dies)
    assert [report.status for report in reports] == ["killed"]
    episodes = session.episodes()
    session.close(whole=True)
    assert hosts[0].quarantine.find(dies.source) is not None

    play = the_play(tmp_path, request)
    assert [part.program for part in play.parts] == [dies]
    assert [episode.ended for episode in episodes] == ["horizon"] * 2
    assert [episode.ended for episode in again(hosts[1], play)] == ["horizon"] * 2


def test_a_prefix_that_stops_the_worker_is_recorded_as_left_out(
    hosts: tuple[JailedHost, JailedHost], tmp_path: Path
) -> None:
    dies = raw("import os\nos._exit(4)", "dies at once")
    request = opening(play="play-2", prefix=[dies, TURN])
    session = recorded(tmp_path, hosts[0], request)
    session.close(whole=True)
    play = the_play(tmp_path, request)
    assert [program.source for program in play.opened.prefix] == [STILL, TURN.source]


def test_a_program_that_is_refused_is_not_recorded(
    hosts: tuple[JailedHost, JailedHost], tmp_path: Path
) -> None:
    request = opening(play="play-3")
    session = recorded(tmp_path, hosts[0], request)
    with pytest.raises(ValueError, match="unknown name nonsense"):
        session.run_program(Program(name="p", source="def action(obs):\n    nonsense()\n"))
    session.run_program(TURN)
    session.close(whole=True)
    assert [part.program for part in the_play(tmp_path, request).parts] == [TURN]
