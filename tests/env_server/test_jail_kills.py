"""kill -9 and SIGSTOP of the fork server and of workers, at any moment: there is a jail all the
same, programs that had no part in it are not blamed, and no caller waits for ever."""

import dataclasses
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.bus import Bus
from messages.program import CheckProgram, Program
from messages.world import OPEN
from nodes.common.running import process_status
from nodes.common.running.exit_codes import FAILED, REFUSED
from nodes.common.running.process import python
from nodes.common.running.process_status import status_of
from nodes.env_server.hosting import HostedSessionLost
from nodes.env_server.jail import forking, worker
from nodes.env_server.jail.fork_server import Spec
from nodes.env_server.jail.forking import ForkServer, NoForkServer
from nodes.env_server.jail.jailed import JailedHost, JailedSession
from nodes.env_server.programs.pulse import INSIDE
from rlgpt.report import node_files
from tests.bus_processes import ROOT, Process, eventually, launch
from tests.env_server.jailed_host import OPTIONS, TASK, jailed_host, opening, ran, raw
from tests.env_server.test_jail import configured

PATIENCE = 120.0
SCRIPT = ROOT / "tests" / "env_server" / "forking_env_server_process.py"
IDLE = Program(name="idle", source="def action(obs):\n    noop()\n")
KILLS = (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that was stopped is given up soon."""
    monkeypatch.setattr(process_status, "STOPPED_FOR", 0.5)
    monkeypatch.setattr(worker, "STOPPED_FOR", 0.5)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JailedHost]:
    with jailed_host(tmp_path_factory.mktemp("jail")) as host:
        yield host


@pytest.fixture
def bus(run_folder: Path) -> Iterator[Bus]:
    bus = Bus(run_folder, None)
    yield bus
    bus.close()


class Hit:
    """Sends a signal to the first ``times`` fork servers as soon as they are started."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, number: int, times: int) -> None:
        self.left = times
        started = forking.subprocess.Popen

        def start(*arguments: Any, **options: Any) -> Any:
            process = started(*arguments, **options)
            if self.left:
                self.left -= 1
                process.send_signal(number)
            return process

        monkeypatch.setattr(forking.subprocess, "Popen", start)


@pytest.mark.parametrize("number", KILLS, ids=lambda number: number.name)
def test_a_fork_server_that_is_hit_at_its_start_is_started_again(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hit = Hit(monkeypatch, number, 2)
    with jailed_host(tmp_path) as host:
        assert hit.left == 0
        assert host.check(CheckProgram(program=IDLE)) == []


def test_ctrl_c_while_the_fork_server_imports_leaves_it_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SIGINT comes before its first import, when nothing of ours handles it yet."""
    hit = Hit(monkeypatch, signal.SIGINT, 1)
    with jailed_host(tmp_path) as host:
        assert hit.left == 0
        assert host._server.epoch == 1
        assert host.check(CheckProgram(program=IDLE)) == []
        process = host._server._process
        assert process is not None
        status = Path(f"/proc/{process.pid}/status").read_text().split()
        number = 1 << (signal.SIGINT - 1)
        assert int(status[status.index("SigIgn:") + 1], 16) & number
        assert not int(status[status.index("SigBlk:") + 1], 16) & number
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_a_fork_server_whose_env_server_ends_while_it_imports_ends_without_a_word() -> None:
    spec = msgspec.json.encode(Spec(kind="embedded", options=OPTIONS, task=TASK))
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        process = subprocess.Popen(
            python(forking.MODULE, str(theirs.fileno())),
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(theirs.fileno(),),
        )
    _, errors = process.communicate(spec, timeout=PATIENCE)
    assert (process.returncode, errors) == (0, b"")


def test_a_fork_server_that_never_starts_is_given_up_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forking, "_PAUSES", (0.01, 0.01))
    hit = Hit(monkeypatch, signal.SIGKILL, 100)
    with pytest.raises(NoForkServer, match=r"does not start.*\(SIGKILL\)"), jailed_host(tmp_path):
        pass
    assert hit.left == 97


def test_the_env_server_fails_at_its_start_when_the_fork_server_does_not_start(
    run_folder: Path,
) -> None:
    configured(run_folder)
    process = launch(SCRIPT, run_folder, FORK_SERVER="tests.nowhere")
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == FAILED  # it may go better another time
    assert "the fork server does not start" in errors.splitlines()[-1]
    assert "without it there is no jail" in errors.splitlines()[-1]
    assert "Traceback" not in errors
    assert not (run_folder / "env_server" / "jail.json").exists()


@pytest.mark.parametrize("number", KILLS, ids=lambda number: number.name)
def test_a_fork_server_is_back_before_it_is_needed(host: JailedHost, number: int) -> None:
    server = host._server
    process, epoch = server._process, server.epoch
    assert process is not None
    process.send_signal(number)
    eventually(lambda: server.epoch > epoch and checker_lives(host))
    assert host.check(CheckProgram(program=IDLE)) == []
    session = host.open(opening(), None, lambda steps: None)
    assert ran(session, IDLE).status == "finished"
    session.close()


def checker_lives(host: JailedHost) -> bool:
    checker = host._checker
    return checker is not None and checker.epoch == host._server.epoch


def test_requests_are_answered_though_the_fork_server_is_killed_during_them(
    host: JailedHost,
) -> None:
    """Whatever moment of an answer it is: a session is opened, a program checked."""
    over = threading.Event()

    def kill() -> None:
        for pause in (0.0, 0.02, 0.3):
            process = host._server._process
            if process is not None:
                process.kill()
            over.wait(pause)

    for _ in range(3):
        killing = threading.Thread(target=kill)
        killing.start()
        assert host.check(CheckProgram(program=IDLE)) == []
        session = host.open(opening(), None, lambda steps: None)
        killing.join()
        session.close()


def test_an_incomplete_answer_of_the_fork_server_is_discarded_and_it_is_restarted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A fork server that can pass on no more files, say."""
    server = ForkServer(Spec(kind="embedded", options=OPTIONS, task=TASK))
    receive, left = forking.socket.recv_fds, [2]

    def short(*arguments: Any) -> Any:
        answer, files, flags, address = receive(*arguments)
        if files and left[0]:
            left[0] -= 1
            for each in files:
                os.close(each)
            files = []
        return answer, files, flags, address

    monkeypatch.setattr(forking.socket, "recv_fds", short)
    try:
        server.start()
        forked = server.fork(early=True)
        assert server.epoch == 3
        assert server.reap(forked) == signal.SIGKILL
    finally:
        server.close()


def test_a_worker_of_an_earlier_fork_server_is_not_reaped_by_the_next() -> None:
    server = ForkServer(Spec(kind="embedded", options=OPTIONS, task=TASK))
    try:
        server.start()
        old = server.fork(early=True)
        assert server._process is not None
        server._process.kill()
        new = server.fork(early=True)
        # As if the kernel had given the number of the old one to the new one.
        assert server.reap(dataclasses.replace(old, pid=new.pid)) == -1
        assert status_of(new.pid) is not None
        assert server.reap(new) == signal.SIGKILL
    finally:
        server.close()


@contextmanager
def hit_inside(session: JailedSession, number: int) -> Iterator[None]:
    """The session's worker gets a signal as soon as it is inside a program."""
    forked = session._worker._forked

    def hit() -> None:
        eventually(lambda: forked.memory[INSIDE])
        os.kill(forked.pid, number)

    hitting = threading.Thread(target=hit)
    hitting.start()
    yield
    hitting.join()


def spins(name: str) -> Program:
    """A program that is inside its code until it is ended from outside."""
    return raw(f"{name} = 1\nwhile {name}:\n    pass", name)


@pytest.mark.parametrize("number", KILLS, ids=lambda number: number.name)
def test_a_program_is_not_blamed_for_what_was_done_to_its_worker(
    host: JailedHost, number: int
) -> None:
    killed, kept = host.killed, len(host.quarantine)
    program = spins(f"hit_by_{number}")
    session = host.open(opening(), None, lambda steps: None)
    with (
        hit_inside(session, number),
        pytest.raises(HostedSessionLost, match="open it again") as lost,
    ):
        session.run_program(program)
    session.close()
    assert "inside" not in str(lost.value)
    assert lost.value.killed
    assert (host.killed, len(host.quarantine)) == (killed, kept)


def test_a_program_is_blamed_where_the_kernel_was_out_of_memory(
    host: JailedHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    kills = iter(range(1000))
    monkeypatch.setattr(worker, "memory_kills", lambda: next(kills))
    session = host.open(opening(), None, lambda steps: None)
    with hit_inside(session, signal.SIGKILL):
        report = session.run_program(spins("hungry"))[1][0]
    session.close()
    assert report.status == "killed"
    assert "out of memory" in report.error


def test_a_program_that_closes_its_workers_socket_and_loops_is_quarantined(
    host: JailedHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_DYING", 0.3)
    session = host.open(opening(), None, lambda steps: None)
    closes = raw("import os\nfor n in range(3, 64):\n    try:\n        os.close(n)\n"
                 "    except OSError:\n        pass\nwhile True:\n    pass", "closes")  # fmt: skip
    report = session.run_program(closes)[1][0]
    assert report.status == "killed"
    assert host.quarantine.find(closes.source) is not None
    session.close()


@pytest.mark.parametrize("number", KILLS, ids=lambda number: number.name)
def test_a_worker_that_is_hit_while_it_opens_is_replaced(host: JailedHost, number: int) -> None:
    asked, left = worker.Worker.ask, [2]

    def ask(self: worker.Worker, message: Any, *arguments: Any) -> Any:
        if left[0]:
            left[0] -= 1
            os.kill(self._forked.pid, number)
        return asked(self, message, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker.Worker, "ask", ask)
        session = host.open(opening(prefix=[IDLE]), None, lambda steps: None)
    assert left == [0]
    assert session.opened().prefix_steps == 2
    session.close()


@pytest.mark.parametrize("number", KILLS, ids=lambda number: number.name)
def test_a_checker_that_is_hit_is_replaced(host: JailedHost, number: int) -> None:
    # One that an earlier test hit is replaced when it is next needed.
    assert host.check(CheckProgram(program=IDLE)) == []
    for _ in range(2):
        checker = host._checker
        assert checker is not None
        os.kill(checker._forked.pid, number)
        assert host.check(CheckProgram(program=IDLE)) == []
    bad = Program(name="bad", source="import os\n")
    assert "import" in host.check(CheckProgram(program=bad))[0].message


def test_a_session_of_a_stopped_worker_is_closed(host: JailedHost) -> None:
    session = host.open(opening(), None, lambda steps: None)
    os.kill(session._worker._forked.pid, signal.SIGSTOP)
    began = time.monotonic()
    session.close()
    assert time.monotonic() - began < PATIENCE / 2


def test_a_stopped_env_server_blames_no_program(
    host: JailedHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time in which the monitor did not look does not count: all were stopped together, say, with
    their machine."""
    monkeypatch.setattr(worker, "LONG_PATIENCE", 2.5)
    session = host.open(opening(size=1), None, lambda steps: None)
    look, looks = worker._Wait.look, []

    def late(self: Any) -> None:
        looks.append(1)
        if len(looks) == 2:
            time.sleep(3.5)
        look(self)

    monkeypatch.setattr(worker._Wait, "look", late)
    report = ran(session, raw("import time\ntime.sleep(4.0)", "sleeps"))
    assert report.status in ("finished", "step_limit"), report
    session.close()


def test_an_incomplete_jail_is_refused_unless_the_configuration_allows_it(
    run_folder: Path, bus: Bus
) -> None:
    configured(run_folder)
    landlockless = {"FORK_SERVER": "tests.env_server.landlockless_fork_server"}
    process = launch(SCRIPT, run_folder, **landlockless)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == REFUSED
    assert errors == (
        "env_server: there is no whole jail for coded actions here: this kernel has no landlock; "
        "set nodes.env_server.parameters.jail=partial to use what there is of it, or "
        "nodes.env_server.parameters.jail=false to go without\n"
    )
    server = Process(SCRIPT, run_folder, "jail=partial", **landlockless)
    try:
        bus.call(OPEN, opening("a"), timeout=PATIENCE)
        assert node_files.jail(run_folder).jail == "partial (this kernel has no landlock)"
        assert server.stop() == 0
    finally:
        if server.popen.poll() is None:
            server.kill()


def test_a_session_that_waits_until_the_world_is_compiled_is_reported_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forking, "_LONG", 0.0)
    told: list[str] = []
    server = ForkServer(Spec(kind="embedded", options=OPTIONS, task=TASK), slow=told.append)
    try:
        server.start()
        forked = [server.fork(early=True)]
        assert told == []
        forked.append(server.fork())
        for each in forked:
            server.reap(each)
            server.forget(each)
        assert told == ["loading the world; compiling it for the first time takes minutes, once"]
    finally:
        server.close()
