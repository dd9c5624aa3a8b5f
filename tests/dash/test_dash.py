"""The page's server over real sockets: a live run of toys, its nodes' deaths, its launcher's death
and resumption, and what a finished run leaves."""

import json
import os
import signal
from pathlib import Path

import msgspec
import pytest

from rlgpt.report.writing import write
from rlgpt.runs import launches
from rlgpt.runs.run_folder import launched as is_launched
from tests.dash.dash_served import Served, served, states_until, toys
from tests.launch_toys.launched import Launched, launched
from tests.report_run import fill, goal_report
from tests.report_run import launched as mark_launched


@pytest.fixture(scope="module")
def over(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that has ended."""
    run = tmp_path_factory.mktemp("over") / "runs" / "over"
    run.mkdir(parents=True)
    fill(run)
    mark_launched(run)
    write(run, goal_report())
    return run


def killed_an_hour_ago(run: Path) -> None:
    """A run whose launcher was killed now, as if that had been then."""
    for path in (run, *run.rglob("*")):
        changed = path.lstat().st_mtime - 3600.0
        os.utime(path, (changed, changed), follow_symlinks=False)
    (record,) = launches.read(run)
    assert record.ready is not None
    record.began, record.ready = record.began - 3600.0, record.ready - 3600.0
    (run / launches.FILE).write_bytes(msgspec.json.encode([record]))


def states(nodes: list[dict[str, object]]) -> dict[str, object]:
    return {str(row["node"]): row["state"] for row in nodes}


def test_a_launch_prints_the_command_that_shows_it(live: Launched) -> None:
    assert "rlgpt dash" in live.text


def test_the_page_of_a_live_run_is_sent_nodes_graph_rates_and_log(page: Served) -> None:
    with page.live("it") as socket:
        found = states_until(
            socket,
            lambda s: (
                {"nodes", "graph", "rates", "run", "log", "versions"} <= set(s)
                and any(row["topic"] == "talker/chatter" and row["hz"] > 0 for row in s["rates"])
                and s["graph"]["edges"]
            ),
        )
    assert states(found["nodes"]) == {"talker": "ready", "caller": "ready"}
    assert found["run"]["kind"] == "running"
    assert {"user": "caller", "owner": "talker", "name": "talker/describe", "kind": "service"} in (
        found["graph"]["edges"]
    )
    memory = page.json("/api/runs/it/memory")
    assert memory["series"]["talker"][-1] > 1 << 20
    log = page.json("/api/runs/it/log")
    assert {"talker", "caller", "launcher"} <= {each["entry"]["node"] for each in log["entries"]}
    assert page.json(f"/api/runs/it/log?after={log['newest']}")["entries"] == []


def test_a_killed_node_and_one_restarted_from_the_page_are_shown_restarted(page: Served) -> None:
    with page.live("it") as socket:
        found = states_until(socket, lambda s: s.get("nodes") and s["nodes"][0]["pid"])
        pid = next(row["pid"] for row in found["nodes"] if row["node"] == "talker")
        os.kill(pid, signal.SIGKILL)
        states_until(
            socket,
            lambda s: any(
                row["node"] == "talker" and row["restarts"] and row["state"] == "ready"
                for row in s.get("nodes", [])
            ),
        )
        own = {"origin": page.address}
        status, body, _ = page.ask("/api/runs/it/nodes/caller/restart", "POST", **own)
        assert status == 200, body
        assert json.loads(body)["node"] == "caller"
        states_until(
            socket,
            lambda s: any(
                row["node"] == "caller" and row["restarts"] and row["state"] == "ready"
                for row in s.get("nodes", [])
            ),
        )
        status, body, _ = page.ask("/api/runs/it/nodes/nobody/restart", "POST", **own)
        assert status == 409
        assert b"there is no node `nobody`" in body
        assert page.ask("/api/runs/it/nodes/caller/release", "POST", **own)[0] == 404


def test_a_page_that_reads_nothing_does_not_delay_other_pages(page: Served) -> None:
    with page.live("it") as slow:
        slow.recv(timeout=30.0)  # and nothing from here on
        watched = page.runs.get("it")
        assert watched is not None
        with page.live("it") as socket:
            for number in range(2_000):
                watched.follower.show("flood", {"number": number, "filling": "x" * 20_000})
            states_until(socket, lambda s: s.get("flood", {}).get("number") == 1_999)
        assert page.json("/api/runs")["first"] == "it"
        slow.socket.shutdown(2)


def test_an_open_connection_is_sent_the_launchers_death_and_its_resumption(place: Path) -> None:
    with toys(place, "again") as launch:
        run = launch.run
        with served(run) as page, page.live("again") as socket:
            states_until(socket, lambda s: s.get("run", {}).get("launched") and s.get("rates"))
            launch.process.kill()
            launch.process.wait()
            found = states_until(
                socket,
                lambda s: (
                    s.get("run", {}).get("launched") is False
                    and set(states(s.get("nodes", [])).values()) == {"not running"}
                ),
            )
            assert "launcher was killed" in found["run"]["text"]
            status, body, _ = page.ask(
                "/api/runs/again/nodes/talker/restart", "POST", origin=page.address
            )
            assert status == 409
            assert f"`rlgpt resume {run}`".encode() in body
            killed_an_hour_ago(run)
            with launched("resume", "again", cwd=place, run=run) as resumed:
                resumed.wait_for("there is no goal")
                states_until(
                    socket,
                    lambda s: (
                        set(states(s.get("nodes", [])).values()) == {"ready"}
                        and any(
                            row["topic"] == "talker/chatter" and row["hz"] > 0
                            for row in s.get("rates", [])
                        )
                    ),
                )
                assert is_launched(run)
                assert page.json("/api/runs/again/times")["whole"] < 1800.0  # not the pause
                resumed.stop(signal.SIGINT)
            states_until(socket, lambda s: s.get("run", {}).get("launched") is False)


def test_a_finished_run_is_shown_from_its_files(over: Path) -> None:
    with served(over) as page:
        plan = page.json("/api/runs/over/plan")
        report = goal_report()
        assert plan["task"]["prompt"] == report.task.prompt
        assert plan["state"]["kind"] == "reached"
        (subtask, *_) = plan["subtasks"]
        assert [turn["number"] for turn in subtask["iterations"]] == [
            each.number for each in report.iterations if each.subtask == subtask["name"]
        ]
        line = subtask["iterations"][-1]["lines"][-1]
        assert line["verdict"]["reason"] == report.iterations[-1].lines[-1].verdict.reason
        programs = page.json("/api/runs/over/programs")
        assert {each["role"] for each in programs} == {"stage", "macro"}
        (curve,) = page.json("/api/runs/over/curves")
        assert curve["policy"] == line["policy"]
        query = f"tag=episode/success_rate&policy={curve['policy'].replace('+', '%2B')}"
        (points,) = page.json(f"/api/runs/over/points?{query}&columns=20")["series"]
        assert points["x"][-1] == 59 * 2048
        assert page.json("/api/runs/over/episodes")["all"] == 0
        assert len(page.json("/api/runs/over/questions")["questions"]) == 3
        assert page.json("/api/runs/over/questions/1")["answer"] == "{}"
        assert page.json("/api/runs/over/times")["whole"] == pytest.approx(131.4)
        with page.live("over") as socket:
            found = states_until(socket, lambda s: "nodes" in s and "run" in s)
        assert found["run"]["launched"] is False


def test_unknown_addresses_get_404_and_invalid_queries_do_no_harm(over: Path) -> None:
    with served(over) as page:
        for path in (
            "/nothing",
            "/api/runs/other/plan",
            "/api/runs/over/nothing",
            "/api/runs/over/questions/99",
            "/api/runs/over/episode?play=x&environment=9999999999999999999999",
            "/api/compare?runs=over",
            "/api/replays/1",
            "/api/replays/x",
        ):
            assert page.ask(path)[0] == 404, path
        status, _, _ = page.ask("/api/runs/over/episode/again?seed=1", "POST", origin=page.address)
        assert status == 404
        for query in ("seed=x", "seed=-1&first=-5&most=99999999", "ended=nothing", "of=%00"):
            assert page.json(f"/api/runs/over/episodes?{query}")["rows"] == []
        assert page.ask("/api/runs/over/points?first=x&last=y&columns=-5")[0] == 200
        assert page.ask("/api/runs", "DELETE")[0] in (403, 405)
