"""The bus when processes are killed: what is asked again, what is not, what is remembered."""

from pathlib import Path
from typing import Any

import pytest

from messages.bus import Bus, DeadlineExceeded, GoalCancelled, PeerRestarted, RemoteError
from tests.bus import SERVER
from tests.bus.asking import Asking, notes
from tests.bus.bus_server import BEHIND, DO, DO_AGAIN, LATEST, NEWS, WORK, Do, Done
from tests.bus_processes import Process, eventually


def test_call_before_the_server_is_there(run: Path, bus: Bus) -> None:
    asking = Asking(lambda: bus.call(DO, Do(note="early")))
    process = Process(SERVER, run)
    assert asking.result() == Done(note="early", life=process.popen.pid)
    assert notes(run) == ["early"]
    process.kill()


@pytest.mark.parametrize("service", [DO_AGAIN, BEHIND])
def test_idempotent_call_is_put_to_the_restarted_server(
    run: Path, server: Process, bus: Bus, service: Any
) -> None:
    first = server.popen.pid
    asking = Asking(lambda: bus.call(service, Do(note="one", seconds=1.0)))
    eventually(lambda: notes(run) == ["one"])
    server.kill()
    server.start()
    done = asking.result()
    assert isinstance(done, Done)
    assert done.life == server.popen.pid != first
    assert notes(run) == ["one", "one"]


@pytest.mark.parametrize("known", [True, False])
def test_other_call_is_not_done_twice(run: Path, server: Process, bus: Bus, known: bool) -> None:
    def ask() -> Any:
        if known:  # then the caller has heard of the server's first life
            bus.call(DO, Do(note="zero"))
        return bus.call(DO, Do(note="one", seconds=600.0))

    asking = Asking(ask)
    eventually(lambda: notes(run)[-1:] == ["one"])
    server.kill()
    server.start()
    outcome = asking.result()
    assert isinstance(outcome, PeerRestarted)
    assert "server/do" in str(outcome)
    assert notes(run).count("one") == 1
    assert bus.call(DO, Do(note="next")).life == server.popen.pid


def test_call_after_a_restart_is_an_ordinary_call(run: Path, server: Process, bus: Bus) -> None:
    assert bus.call(DO, Do(note="one")).life == server.popen.pid
    server.kill()
    asking = Asking(lambda: bus.call(DO, Do(note="elsewhere")))
    outcome_before = bus.call  # the line of this thread saw the server go
    server.start()
    assert outcome_before(DO, Do(note="two")).life == server.popen.pid
    assert asking.result().life == server.popen.pid
    assert sorted(notes(run)) == ["elsewhere", "one", "two"]


def test_deadline_names_the_service_the_node_and_the_seconds(server: Process, bus: Bus) -> None:
    with pytest.raises(DeadlineExceeded) as error:
        bus.call(BEHIND, Do(note="slow", seconds=5.0), timeout=0.25)
    for part in ("server/behind", "from server", "0.25 seconds"):
        assert part in str(error.value)
    # What comes late is not taken for the answer to the next question.
    assert bus.call(BEHIND, Do(note="next")).note == "next"


def test_goal_survives_the_kill_of_its_server(run: Path, server: Process, bus: Bus) -> None:
    heard: list[Done] = []
    asking = Asking(
        lambda: bus.run_goal(WORK, "g/1", Do(note="x", seconds=1.0), on_feedback=heard.append)
    )
    eventually(lambda: "begin g/1" in notes(run))
    server.kill()
    server.start()
    done = asking.result()
    assert done == Done(note="x", life=server.popen.pid)
    assert heard
    assert notes(run) == ["begin g/1", "begin g/1", "end g/1"]
    server.kill()
    server.start()
    assert bus.run_goal(WORK, "g/1", Do(note="x", seconds=1.0)) == done
    assert len(notes(run)) == 3


def test_two_callers_of_one_goal_get_one_result(run: Path, server: Process, bus: Bus) -> None:
    asking = [Asking(lambda: bus.run_goal(WORK, "g", Do(note="x", seconds=0.3))) for _ in range(3)]
    assert len({asked.result() for asked in asking}) == 1
    assert notes(run) == ["begin g", "end g"]


def test_goal_that_fails_stays_failed(run: Path, server: Process, bus: Bus) -> None:
    for _ in range(2):
        with pytest.raises(RemoteError, match="cannot be done") as error:
            bus.run_goal(WORK, "g", Do(note="fail"))
        assert error.value.code == "impossible"
        server.kill()
        server.start()
    assert notes(run) == ["begin g"]


def test_goal_that_failed_by_a_mistake_is_begun_again_once_that_is_mended(
    run: Path, server: Process, bus: Bus
) -> None:
    def fails() -> None:
        with pytest.raises(RemoteError, match="KeyError") as error:
            bus.run_goal(WORK, "g", Do(note="mistake"))
        assert error.value.code == "internal"
        assert error.value.mishap

    fails()
    fails()  # in the same life nothing can have changed
    assert notes(run) == ["begin g"]
    server.kill()
    server.start()
    fails()
    assert notes(run) == ["begin g", "begin g"]
    (run / "mended").touch()
    server.kill()
    server.start()
    assert bus.run_goal(WORK, "g", Do(note="mistake")).life == server.popen.pid
    assert notes(run) == ["begin g", "begin g", "begin g", "end g"]


def test_goal_without_an_answer_is_begun_again_in_a_later_life(
    run: Path, server: Process, bus: Bus
) -> None:
    for _ in range(2):
        with pytest.raises(RemoteError, match="model is away") as error:
            bus.run_goal(WORK, "g", Do(note="silence"))
        assert error.value.mishap
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


def test_goal_has_a_deadline_where_one_is_given(server: Process, bus: Bus) -> None:
    with pytest.raises(DeadlineExceeded, match=r"server/work.*server.*0\.3 seconds"):
        bus.run_goal(WORK, "g", Do(note="x", seconds=600.0), timeout=0.3)


def test_subscribers_hear_a_restarted_server(server: Process, run: Path, bus: Bus) -> None:
    latest: list[Done] = []
    news: list[Done] = []
    bus.call(DO, Do(note="before"))
    bus.subscribe(LATEST, latest.append)
    bus.subscribe(NEWS, news.append)

    def heard(note: str) -> bool:
        bus.spin_once(0.05)
        return bool(latest) and latest[-1].note == note

    eventually(lambda: heard("before"))  # a late joiner gets the last value, of latched topics only
    assert news == []
    server.kill()
    server.start()

    def says(note: str) -> bool:
        bus.call(DO_AGAIN, Do(note=note))
        return heard(note) and any(done.note == note for done in news)

    eventually(lambda: says("after"))
