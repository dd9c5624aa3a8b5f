"""The page in headless Chromium: a live run, a node's death, a reload, the launcher's death and
resumption with the page open, a hostile run, a hundred updates a second."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from rlgpt.report.words import count
from rlgpt.report.writing import write
from tests.dash.browser import NONE, PROGRAM, Browser
from tests.dash.dash_served import Served, served, toys
from tests.launch_toys.launched import launched
from tests.report_run import HOSTILE, fill, goal_report
from tests.report_run import launched as mark_launched

pytestmark = [pytest.mark.browser, pytest.mark.skipif(PROGRAM is None, reason=NONE)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


def of_node(node: str, column: int) -> str:
    return f"document.querySelector('[data-node={node}]').children[{column}].innerText"


def open_all(browser: Browser) -> None:
    """Every iteration on the page."""
    browser.wait("document.querySelectorAll('.subtask summary').length > 0")
    browser.run("document.querySelectorAll('.subtask details').forEach((e) => { e.open = true })")


def test_the_page_of_a_live_run_shows_a_killed_node_restarted_also_after_a_reload(
    browser: Browser, page: Served
) -> None:
    browser.begin()
    browser.open(f"{page.address}/#/it/nodes")
    browser.wait(f"{of_node('talker', 1)} === 'ready'")
    pid = int(browser.run(of_node("talker", 6)))
    os.kill(pid, signal.SIGKILL)
    browser.wait(f"{of_node('talker', 5)} === '1' && {of_node('talker', 1)} === 'ready'")
    assert int(browser.run(of_node("talker", 6))) != pid
    browser.click("[data-node=caller] .restart")
    browser.wait(f"{of_node('caller', 5)} === '1' && {of_node('caller', 1)} === 'ready'")
    browser.reload()
    browser.wait(f"{of_node('talker', 5)} === '1'")
    browser.open(f"{page.address}/#/it/graph")
    browser.wait("document.querySelectorAll('svg.graph rect.node').length === 2")
    assert "service" in browser.text()
    browser.click(".filter input")  # also what every node has: one of them calls nothing else
    browser.wait("document.querySelector('svg.graph text.service')?.textContent === 'describe'")
    browser.wait("/talker\\/chatter\\s+[1-9]/.test(document.body.innerText)")
    browser.open(f"{page.address}/#/it/overview")
    browser.wait_text("nothing: it waits for a goal")
    browser.open(f"{page.address}/#/nobody/overview")
    browser.wait_text("There is no run nobody here.")
    assert "running since" not in browser.text()
    browser.run("document.querySelector('main a').click()")
    browser.wait("document.querySelector('main.runs td') !== null")
    browser.open(f"{page.address}/#/it/graph")
    browser.wait("document.querySelectorAll('svg.graph rect.node').length === 2")
    browser.wait("/talker\\/chatter\\s+[1-9]/.test(document.body.innerText)")
    browser.errors.clear()  # of the websocket of the run that there is not
    drawn = browser.run("(window.drawn = document.querySelector('svg.graph'), true)")
    assert drawn
    time.sleep(2.5)  # rates change each second, and the picture is the same one
    assert browser.run("window.drawn === document.querySelector('svg.graph')")
    assert browser.errors == []


def test_the_open_page_shows_the_launchers_death_and_its_resumption(
    browser: Browser, place: Path
) -> None:
    with toys(place, "again") as launch:
        run = launch.run
        with served(run) as page:
            browser.open(f"{page.address}/#/again/nodes")
            browser.wait(f"{of_node('talker', 1)} === 'ready'")
            launch.process.kill()
            browser.wait(f"{of_node('talker', 1)} === 'not running'")
            assert browser.run("document.querySelector('.restart').disabled")
            browser.wait_text("its launcher was killed")
            with launched("resume", "again", cwd=place, run=run) as resumed:
                resumed.wait_for("there is no goal")
                browser.wait(f"{of_node('talker', 1)} === 'ready'")
                browser.wait("!document.querySelector('.restart').disabled")
                resumed.stop(signal.SIGINT)
            browser.wait(f"{of_node('talker', 1)} === 'not running'")
        browser.wait_text("no connection, trying again")


def test_hostile_text_of_a_run_is_shown_as_text_in_every_panel(
    browser: Browser, tmp_path: Path
) -> None:
    run = tmp_path / "runs" / "hostile"
    run.mkdir(parents=True)
    fill(run)
    mark_launched(run)
    program = f'def action(obs):\n    "{HOSTILE}"\n    # </pre>{HOSTILE}\n    attack()\n'
    write(run, goal_report(program=program, verdict=f"It failed: {HOSTILE}"))
    with (run / "llm" / "transcript.jsonl").open("a") as transcript:
        transcript.write("\n")
    (run / "fast_agent").mkdir()
    (run / "fast_agent" / "node.log").write_text(f"2026-01-02 03:04:05,678 ERROR {HOSTILE}\n")
    config = yaml.safe_load((run / "config.yaml").read_text())
    config["nodes"] = {"fast_agent": {}, "<img src=x onerror=alert(1)>": {}}
    (run / "config.yaml").write_text(yaml.safe_dump(config))
    browser.begin()
    with served(run) as page:
        for panel in ("overview", "programs", "learning", "episodes", "model", "nodes", "graph",
                      "time", "log", "runs", "world", "breakpoints", "parameters"):  # fmt: skip
            browser.open(f"{page.address}/#/hostile/{panel}")
            browser.wait(f"document.querySelector('main.{panel}')?.innerText.length > 5")
            browser.wait("rlgptPage.connection.states.nodes")
            if panel == "overview":
                open_all(browser)
                browser.wait_text("It failed:")
            time.sleep(0.3)
            assert browser.run("document.scripts.length") == 2, panel
            assert browser.run("document.querySelectorAll('img, iframe, object').length") == 0
            assert not browser.run("window.hacked")
        browser.open(f"{page.address}/#/hostile/log")
        browser.wait(f"document.body.innerText.includes({HOSTILE.splitlines()[0][:20]!r})")
    assert browser.errors == []


def test_a_finished_run_shows_its_plan_verdicts_programs_and_curves(
    browser: Browser, tmp_path: Path
) -> None:
    run = tmp_path / "runs" / "over"
    run.mkdir(parents=True)
    fill(run)
    mark_launched(run)
    report = goal_report()
    write(run, report)
    browser.begin()
    with served(run) as page:
        browser.open(page.address)
        browser.wait_text(report.task.prompt)  # it leads to the run that it was started for
        browser.wait_text(report.iterations[0].lines[0].sub_action.name)
        open_all(browser)
        browser.wait_text(report.iterations[-1].lines[-1].verdict.reason)
        browser.click("a[href*='/programs/']")
        browser.wait_text("def action(obs):")
        browser.open(f"{page.address}/#/over/learning")
        browser.wait("document.querySelectorAll('.charts canvas').length > 0")
        browser.wait_text("after 121k samples")
    assert browser.errors == []


def test_figures_are_whole_in_a_narrow_window(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "over"
    run.mkdir(parents=True)
    fill(run)
    mark_launched(run)
    write(run, goal_report())
    with Browser(400, 800) as narrow, served(run) as page:
        narrow.open(page.address)
        narrow.wait("document.querySelectorAll('.figures dd').length === 6")
        # The widest of them, as after an hour.
        figures = "[...document.querySelectorAll('.figures dd')]"
        narrow.run(f"{figures}.forEach((e) => {{ e.firstChild.nodeValue = '59 min 59 s' }})")
        assert narrow.run(f"{figures}.every((e) => e.scrollWidth <= e.clientWidth)")
        assert narrow.run("document.documentElement.scrollWidth") == 400


def test_the_page_shows_the_last_of_a_hundred_updates_a_second(
    browser: Browser, page: Served
) -> None:
    """All are sent, or replaced by newer ones; the page shows the last of them."""
    browser.begin()
    browser.open(f"{page.address}/#/it/overview")
    browser.wait("rlgptPage.connection?.open && rlgptPage.connection.states.nodes")
    watched = page.runs.get("it")
    assert watched is not None
    before = browser.run("rlgptPage.connection.messages")

    def publish() -> None:
        for number in range(300):
            watched.follower.show("working", {"activity": f"update {number}"})
            time.sleep(0.01)

    thread = threading.Thread(target=publish)
    thread.start()
    browser.wait("document.querySelector('.doing').innerText.startsWith('update')")
    thread.join()
    browser.wait("document.querySelector('.doing').innerText === 'update 299'")
    assert browser.run("rlgptPage.connection.messages") > before + 20
    assert browser.errors == []


def test_counts_are_written_as_in_the_report_and_by_the_commands(
    browser: Browser, page: Served
) -> None:
    numbers = [0, 950, 1_000, 1_200, 12_340, 20_000, 99_960, 100_000, 999_499, 999_500, 1_200_000]
    browser.begin()
    browser.open(f"{page.address}/#/it/overview")
    shown = f"import('/static/format.js').then(({{ count }}) => {numbers}.map(count))"
    browser.wait("!!document.querySelector('.head h1')")
    assert browser.run(shown) == [count(number) for number in numbers]


def test_a_chart_that_was_left_is_not_drawn_again(browser: Browser, page: Served) -> None:
    """Its points may come after another panel was opened: what is drawn then is never removed."""
    browser.begin()
    browser.open(f"{page.address}/#/it/nodes")
    browser.wait("!!document.querySelector('.plot .uplot')")
    left = """(async () => {
      const { chart } = await import('/static/chart.js');
      const root = document.createElement('div');
      const drawn = chart(root);
      drawn.set([[1, 2], [3, 4]], ['a']);
      const before = root.querySelectorAll('.uplot').length;
      drawn.end();
      drawn.set([[1, 2], [3, 4]], ['b']);
      drawn.none('nothing');
      return [before, root.querySelectorAll('.uplot').length];
    })()"""
    assert browser.run(left) == [1, 0]
