"""The bus when processes are killed: what is sent again, what is not, what is remembered."""

from pathlib import Path
from typing import Any

import pytest

from messages.bus import Bus, DeadlineExceeded, GoalCancelled, PeerRestarted, RemoteError
from tests.bus import SERVER
from tests.bus.bus_server import (
    BEHIND,
    DO,
    DO_AGAIN,
    LATEST,
    NEWS,
    UNTIL_STOPPED,
    WORK,
    Do,
    Done,
)
from tests.bus.callers import Caller, notes
from tests.bus_processes import Process, eventually


def test_call_before_the_server_is_started_waits(run: Path, bus: Bus) -> None:
    caller = Caller(lambda: bus.call(DO, Do(note="early")))
    process = Process(SERVER, run)
    assert caller.result() == Done(note="early", process=process.popen.pid)
    assert notes(run) == ["early"]
    process.kill()


@pytest.mark.parametrize("service", [DO_AGAIN, BEHIND])
def test_idempotent_call_is_sent_to_the_restarted_server(
    run: Path, server: Process, bus: Bus, service: Any
) -> None:
    first = server.popen.pid
    caller = Caller(lambda: bus.call(service, Do(note="one", seconds=1.0)))
    eventually(lambda: notes(run) == ["one"])
    server.kill()
    server.start()
    done = caller.result()
    assert isinstance(done, Done)
    assert done.process == server.popen.pid != first
    assert notes(run) == ["one", "one"]


@pytest.mark.parametrize("goal", [False, True])
def test_what_fails_because_the_server_is_stopped_is_done_by_the_next_one(
    run: Path, server: Process, bus: Bus, goal: bool
) -> None:
    do = Do(note=UNTIL_STOPPED)
    caller = Caller(lambda: bus.run_goal(WORK, "g/1", do) if goal else bus.call(BEHIND, do))
    eventually(lambda: notes(run) == ["begin g/1" if goal else UNTIL_STOPPED])
    assert server.stop() == 0
    assert (run / "server" / "was_stopped").exists()
    server.start()
    assert caller.result() == Done(note=UNTIL_STOPPED, process=server.popen.pid)


@pytest.mark.parametrize("known", [True, False])
def test_call_that_is_not_idempotent_is_not_done_again_after_a_restart(
    run: Path, server: Process, bus: Bus, known: bool
) -> None:
    def call() -> Any:
        if known:  # then the client knows the server's first epoch
            bus.call(DO, Do(note="zero"))
        return bus.call(DO, Do(note="one", seconds=600.0))

    caller = Caller(call)
    eventually(lambda: notes(run)[-1:] == ["one"])
    server.kill()
    server.start()
    outcome = caller.result()
    assert isinstance(outcome, PeerRestarted)
    assert "server/do" in str(outcome)
    assert notes(run).count("one") == 1
    assert bus.call(DO, Do(note="next")).process == server.popen.pid


def test_call_after_a_restart_is_an_ordinary_call(run: Path, server: Process, bus: Bus) -> None:
    assert bus.call(DO, Do(note="one")).process == server.popen.pid
    server.kill()
    caller = Caller(lambda: bus.call(DO, Do(note="elsewhere")))
    server.start()
    assert bus.call(DO, Do(note="two")).process == server.popen.pid
    assert caller.result().process == server.popen.pid
    assert sorted(notes(run)) == ["elsewhere", "one", "two"]


def test_deadline_names_the_service_the_node_and_the_seconds(server: Process, bus: Bus) -> None:
    with pytest.raises(DeadlineExceeded) as error:
        bus.call(BEHIND, Do(note="slow", seconds=5.0), timeout=0.25)
    for part in ("server/behind", "from server", "0.25 seconds"):
        assert part in str(error.value)
    # A late reply is not taken for the reply to the next request.
    assert bus.call(BEHIND, Do(note="next")).note == "next"


def test_goal_survives_the_kill_of_its_server(run: Path, server: Process, bus: Bus) -> None:
    feedback: list[Done] = []
    caller = Caller(
        lambda: bus.run_goal(WORK, "g/1", Do(note="x", seconds=1.0), on_feedback=feedback.append)
    )
    eventually(lambda: "begin g/1" in notes(run))
    server.kill()
    server.start()
    done = caller.result()
    assert done == Done(note="x", process=server.popen.pid)
    assert feedback
    assert notes(run) == ["begin g/1", "begin g/1", "end g/1"]
    server.kill()
    server.start()
    assert bus.run_goal(WORK, "g/1", Do(note="x", seconds=1.0)) == done
    assert len(notes(run)) == 3


def test_two_callers_of_one_goal_get_one_result(run: Path, server: Process, bus: Bus) -> None:
    callers = [Caller(lambda: bus.run_goal(WORK, "g", Do(note="x", seconds=0.3))) for _ in range(3)]
    assert len({caller.result() for caller in callers}) == 1
    assert notes(run) == ["begin g", "end g"]


def test_goal_that_failed_with_a_service_error_is_not_done_again_after_a_restart(
    run: Path, server: Process, bus: Bus
) -> None:
    for _ in range(2):
        with pytest.raises(RemoteError, match="cannot be done") as error:
            bus.run_goal(WORK, "g", Do(note="fail"))
        assert error.value.code == "impossible"
        server.kill()
        server.start()
    assert notes(run) == ["begin g"]


def test_goal_that_failed_by_a_bug_begins_again_in_a_fixed_node(
    run: Path, server: Process, bus: Bus
) -> None:
    def fails() -> None:
        with pytest.raises(RemoteError, match="KeyError") as error:
            bus.run_goal(WORK, "g", Do(note="mistake"))
        assert error.value.code == "internal"
        assert error.value.retryable

    fails()
    fails()  # without a restart nothing can have changed
    assert notes(run) == ["begin g"]
    server.kill()
    server.start()
    fails()
    assert notes(run) == ["begin g", "begin g"]
    (run / "fixed").touch()
    server.kill()
    server.start()
    assert bus.run_goal(WORK, "g", Do(note="mistake")).process == server.popen.pid
    assert notes(run) == ["begin g", "begin g", "begin g", "end g"]


def test_goal_without_an_answer_begins_again_after_a_restart(
    run: Path, server: Process, bus: Bus
) -> None:
    for _ in range(2):
        with pytest.raises(RemoteError, match="model is away") as error:
            bus.run_goal(WORK, "g", Do(note="silence"))
        assert error.value.retryable
        server.kill()
        server.start()
    assert notes(run) == ["begin g", "begin g"]


def test_goal_is_cancelled_by_its_caller(run: Path, server: Process, bus: Bus) -> None:
    with pytest.raises(GoalCancelled):
        bus.run_goal(
            WORK,
            "g",
            Do(note="x", seconds=600.0),
            cancelled=lambda: "begin g" in notes(run),
        )
    with pytest.raises(GoalCancelled):
        bus.run_goal(WORK, "g", Do(note="x", seconds=600.0))
    assert notes(run) == ["begin g"]


def test_goal_that_waits_is_cancelled_before_it_begins(
    run: Path, server: Process, bus: Bus
) -> None:
    bus.send_goal(WORK, "first", Do(note="x", seconds=600.0))
    eventually(lambda: notes(run) == ["begin first"])
    bus.send_goal(WORK, "second", Do(note="y", seconds=600.0))
    assert bus.cancel_goal(WORK, "second") == "cancelling"
    bus.cancel_goal(WORK, "first")
    with pytest.raises(GoalCancelled):
        bus.run_goal(WORK, "second", Do(note="y", seconds=600.0))
    assert bus.cancel_goal(WORK, "none") == "unknown_goal"
    assert notes(run) == ["begin first"]


def test_goal_with_a_timeout_raises_at_its_deadline(server: Process, bus: Bus) -> None:
    with pytest.raises(DeadlineExceeded, match=r"server/work.*server.*0\.3 seconds"):
        bus.run_goal(WORK, "g", Do(note="x", seconds=600.0), timeout=0.3)


def test_subscribers_receive_messages_of_a_restarted_server(
    server: Process, run: Path, bus: Bus
) -> None:
    latest: list[Done] = []
    news: list[Done] = []
    bus.call(DO, Do(note="before"))
    bus.subscribe(LATEST, latest.append)
    bus.subscribe(NEWS, news.append)

    def received(note: str) -> bool:
        bus.spin_once(0.05)
        return bool(latest) and latest[-1].note == note

    eventually(lambda: received("before"))  # a new subscriber gets the last value if it is latched
    assert news == []
    server.kill()
    server.start()

    def published(note: str) -> bool:
        bus.call(DO_AGAIN, Do(note=note))
        return received(note) and any(done.note == note for done in news)

    eventually(lambda: published("after"))


def test_the_first_feedback_of_each_goal_arrives(server: Process, bus: Bus) -> None:
    """It is published as soon as the goal is sent, and some goals have no other."""
    for number in range(20):
        feedback: list[Done] = []
        do = Do(note=f"{number}", seconds=0.001)
        bus.run_goal(WORK, f"g/{number}", do, on_feedback=feedback.append)
        assert [each.note for each in feedback] == [f"{number}"]
