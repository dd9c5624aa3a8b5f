"""Hostile code in a jailed worker: refused, denied, or ended with its process; nothing else is."""

import platform
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from messages.program import CheckProgram, Program
from nodes.config import ConfigError
from nodes.env_server.env_server import EnvServer
from nodes.env_server.jail import worker
from nodes.env_server.jail.confine import missing
from nodes.env_server.jail.jailed import JailedHost, JailedSession
from nodes.testing import MockBus, start
from tests.attacks.contained import CONTAINED
from tests.attacks.raw import DENIED, ESCAPED, FATAL, VICTIM
from tests.attacks.refused import REFUSED
from tests.env_server.jailed_host import OPTIONS, jailed_host, opening, ran, raw
from tests.programs.test_programs_attacks import STEPS, program

GOOD = Program(name="good", source="def action(obs):\n    for _ in range(3):\n        attack()\n")
WHOLE = pytest.mark.skipif(
    bool(missing()) or platform.machine() != "x86_64",
    reason="these count on landlock, and on numbers of x86_64's system calls",
)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JailedHost]:
    with jailed_host(tmp_path_factory.mktemp("jail")) as host:
        yield host


@pytest.fixture(scope="module")
def kept(host: JailedHost) -> Iterator[list[JailedSession]]:
    kept: list[JailedSession] = []
    yield kept
    for session in kept:
        session.close()


@pytest.fixture
def session(host: JailedHost, kept: list[JailedSession]) -> JailedSession:
    """One for all, until one of them costs it its episode."""
    if not kept or kept[-1].episodes()[0].ended != "running":
        kept.append(host.open(opening(size=2), None, lambda steps: None))
    return kept[-1]


@pytest.mark.parametrize("name", REFUSED)
def test_attack_is_refused_by_the_checker_in_the_jail(name: str, host: JailedHost) -> None:
    asked = CheckProgram(program=Program(name=name, source=program(REFUSED[name])))
    assert host.check(asked)


@pytest.mark.parametrize("name", CONTAINED)
def test_attack_is_contained_in_the_jail(
    name: str, host: JailedHost, session: JailedSession
) -> None:
    body, endings = CONTAINED[name]
    attack = Program(name=name, source=program(body), max_steps=STEPS)
    if host.check(CheckProgram(program=attack)):
        return
    report = ran(session, attack)
    # In a world that goes on, a step may end the attack differently from one that stands still.
    assert report.status in endings | {"error", "finished", "killed"}, report
    assert report.steps <= STEPS


@WHOLE
@pytest.mark.parametrize("name", DENIED)
def test_the_jail_alone_denies_a_raw_attack(name: str, session: JailedSession) -> None:
    body, words = DENIED[name]
    victim = Path(VICTIM)
    victim.write_text("whole")
    try:
        report = ran(session, raw(body, name))
        assert report.status == "error", report
        assert re.search(words, report.error), report.error
        assert victim.read_text() == "whole"
        assert not Path(ESCAPED).exists()
    finally:
        victim.unlink(missing_ok=True)
    assert ran(session, GOOD).status == "finished"


@WHOLE
@pytest.mark.parametrize("name", FATAL)
def test_the_worker_is_ended_and_its_host_goes_on(
    name: str, host: JailedHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "PATIENCE", 0.5)
    monkeypatch.setattr(worker, "LONG_PATIENCE", 2.0)
    body, words = FATAL[name]
    session = host.open(opening(name, size=2), None, lambda steps: None)
    killed = host.killed
    attack = raw(body, name)
    report = ran(session, attack)
    assert report.status == "killed", report
    assert host.killed == killed + 1
    assert re.search(words, report.error), report.error
    again = ran(session, attack)
    assert again.status == "killed"
    assert "it is not run again" in again.error
    assert host.killed == killed + 1
    assert [episode.ended for episode in session.episodes()] == ["horizon"] * 2
    session.close()


HOG = f"""
def action(obs):
    kept = []
    a = 1.0
    while True:
        try:
            for _ in range(1500):
                kept.append([{", ".join("a" * 230)}])
                if len(kept) > 9000:
                    kept = [kept]
        except Exception:
            noop()
        noop()
"""


def test_a_program_that_leaves_the_engine_no_memory_is_killed_and_quarantined(
    host: JailedHost,
) -> None:
    """It catches its own MemoryError; the next is the engine's, which is no mistake of a node."""
    session = host.open(opening("hog", size=4), None, lambda steps: None)
    report = ran(session, Program(name="hog", source=HOG, max_steps=5000))
    assert (report.status, report.error) == (
        "killed",
        "the worker ran out of memory inside a program",
    )
    assert {episode.ended for episode in session.episodes()} == {"horizon"}
    assert host.quarantine.problems(HOG)
    session.close()


def address_space_left(pid: int) -> int:
    """Bytes of address space that a process may still take, beyond the most that it ever had."""
    limits = Path(f"/proc/{pid}/limits").read_text()
    status = Path(f"/proc/{pid}/status").read_text()
    limit, peak = (
        re.search(r"Max address space +(\d+)", limits),
        re.search(r"VmPeak:\s+(\d+)", status),
    )
    assert limit is not None, limits
    assert peak is not None, status
    return int(limit[1]) - (int(peak[1]) << 10)


def test_jail_memory_is_what_a_checker_and_a_session_may_take_at_most(tmp_path: Path) -> None:
    world = {"kind": "embedded", **OPTIONS}
    server = start(
        EnvServer, MockBus("env_server"), tmp_path, world=world, jail="partial", jail_memory=128
    )
    try:
        host = server._host
        assert isinstance(host, JailedHost)
        session = host.open(opening(size=1), None, lambda steps: None)
        assert host._checker is not None
        for confined in (host._checker, session._worker):
            assert 0 < address_space_left(confined._forked.pid) <= 128 << 20
        session.close()
    finally:
        server.shutdown()


@pytest.mark.parametrize(("value", "bound"), [(0, ">= 1"), (1 << 41, "<= 1099511627776")])
def test_a_jail_memory_that_no_process_can_be_limited_to_is_refused(
    value: int, bound: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=f"jail_memory is {value}: expected `int` {bound}"):
        start(EnvServer, MockBus("env_server"), tmp_path, jail_memory=value)


def test_an_answer_to_another_question_ends_the_worker(host: JailedHost) -> None:
    session = host.open(opening("liar", size=2), None, lambda steps: None)
    body = (
        "import os\n"
        "from nodes.env_server.jail import worker_wire\n"
        "for fd in range(3, 64):\n"
        "    try:\n"
        "        os.write(fd, worker_wire.packed(worker_wire.Done()))\n"
        "    except OSError:\n"
        "        pass\n"
        "while True:\n"
        "    pass"
    )
    report = ran(session, raw(body, "liar"))
    assert report.status == "killed"
    assert "sent what is no answer (a Done)" in report.error
    session.close()
