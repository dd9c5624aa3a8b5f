"""Addresses that no page has made, names of runs that are not plain, runs that are deleted while a
page shows them, and what a page asks for again."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from rlgpt.report.writing import write
from tests.dash.browser import NONE, PROGRAM, Browser
from tests.dash.dash_served import Served, served
from tests.many_goals_run import many_goals
from tests.report_run import fill, goal_report
from tests.report_run import launched as mark_launched

pytestmark = [pytest.mark.browser, pytest.mark.skipif(PROGRAM is None, reason=NONE)]
PROMPT = goal_report().task.prompt


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


def over(folder: Path) -> Path:
    """A run that has ended."""
    folder.mkdir(parents=True)
    fill(folder)
    mark_launched(folder)
    write(folder, goal_report())
    return folder


@pytest.fixture
def page(tmp_path: Path, browser: Browser) -> Iterator[Served]:
    browser.begin()
    with served(over(tmp_path / "runs" / "over")) as page:
        yield page
        browser.begin()


def test_an_address_that_is_not_encoded_names_a_run_that_there_is_not(
    browser: Browser, page: Served
) -> None:
    for address in ("%E0%A4%A", "..", "%E0%A4%A/nodes"):
        browser.open(f"{page.address}/#/{address}")
        browser.wait_text(f"There is no run {address.partition('/')[0]} here.")
    assert not [error for error in browser.errors if "URIError" in error]
    browser.open(f"{page.address}/#/over/%E0%A4%A")  # no panel either: the first one
    browser.wait_text(PROMPT)


def test_an_address_of_a_program_that_there_is_not_shows_no_other_one(
    browser: Browser, page: Served
) -> None:
    browser.open(f"{page.address}/#/over/programs/elsewhere")
    browser.wait_text("There is no program elsewhere in this run.")
    assert "def action(obs):" not in browser.run("document.body.innerText")


def test_runs_are_compared_whatever_their_names_are(
    browser: Browser, page: Served, tmp_path: Path
) -> None:
    names = ["a,b", "100% of it", "x&run=over", "ü #1?"]
    for name in names:
        over(tmp_path / "runs" / name)
    browser.open(f"{page.address}/#/over/runs")
    browser.wait("document.querySelectorAll('main input').length === 5")
    browser.run("document.querySelectorAll('main input').forEach((box) => box.click())")
    browser.wait("document.querySelectorAll('.sides th').length === 6")
    # And from an address.
    chosen = "/".join(quote(name, safe="") for name in names)
    browser.open(f"{page.address}/#/{quote(names[1])}/runs/{chosen}")
    browser.wait("document.querySelectorAll('.sides th').length === 5")
    heads = browser.run("[...document.querySelectorAll('.sides th')].map((e) => e.innerText)")
    assert heads == ["", *names]
    assert browser.errors == []


def test_a_page_says_that_its_run_was_deleted_and_shows_another_one_of_its_name(
    browser: Browser, page: Served, tmp_path: Path
) -> None:
    run = over(tmp_path / "runs" / "gone")
    browser.open(f"{page.address}/#/gone/model")
    browser.wait_text("3 questions")
    shutil.rmtree(run)
    browser.wait_text("There is no run gone here.")
    other = over(tmp_path / "other")
    transcript = other / "llm" / "transcript.jsonl"
    transcript.write_text(transcript.read_text().splitlines()[0] + "\n")
    other.rename(run)
    browser.wait_text("1 question")
    shutil.rmtree(tmp_path / "runs" / "over")  # the one that the page was started for
    browser.open(f"{page.address}/")
    browser.wait_text("There is no run over here.")
    assert [row["run"] for row in page.json("/api/runs")["runs"]] == ["gone"]
    shutil.rmtree(tmp_path / "runs")
    assert page.json("/api/runs")["runs"] == []
    assert page.ask("/api/runs/gone/plan")[0] == 404


def test_curves_that_cannot_be_fetched_stay_and_the_newest_policy_is_drawn(
    browser: Browser, page: Served, tmp_path: Path
) -> None:
    curves = tmp_path / "runs" / "over" / "learner" / "tensorboard"
    [first] = curves.iterdir()
    browser.open(f"{page.address}/#/over/learning")
    browser.wait("document.querySelectorAll('.charts .uplot').length > 0")
    drawn = browser.run("document.querySelectorAll('.charts .uplot').length")
    watched = page.runs.get("over")
    assert watched is not None
    browser.run("window.fetched = window.fetch; window.fetch = () => Promise.reject(Error('no'))")
    watched.follower.renew("curves")
    browser.wait_text("This cannot be shown: no")
    assert browser.run("document.querySelectorAll('.charts .uplot').length") == drawn
    browser.run("window.fetch = window.fetched")
    shutil.copytree(first, curves / first.name.replace("iteration-1", "iteration-2"))
    browser.wait("document.querySelectorAll('.choices input:checked').length === 2")
    browser.wait("document.querySelectorAll('.u-legend .u-series').length === 3")  # and samples
    # What a person has chosen stays, with the focus.
    browser.run("document.querySelector('.choices input').focus()")
    browser.run("document.activeElement.click()")
    browser.wait("document.querySelectorAll('.u-legend .u-series').length === 2")
    shutil.copytree(first, curves / first.name.replace("iteration-1", "iteration-3"))
    browser.wait("document.querySelectorAll('.choices input').length === 3")
    assert browser.run("document.querySelectorAll('.choices input:checked').length") == 1
    assert browser.run("document.activeElement.matches('.choices input')")


def test_the_focus_stays_in_the_plan_while_its_run_goes_on(
    browser: Browser, page: Served, tmp_path: Path
) -> None:
    focused = "document.activeElement.dataset.key"
    fetched = "performance.getEntriesByType('resource').filter((e) => /plan/.test(e.name)).length"
    browser.open(f"{page.address}/#/over/overview")
    browser.wait("document.querySelectorAll('.subtask summary').length > 0")
    browser.run("document.querySelector('.subtask summary').focus()")
    key, before = browser.run(focused), browser.run(fetched)
    browser.run("window.kept = document.activeElement")
    watched = page.runs.get("over")
    assert watched is not None
    watched.follower.renew("account")
    browser.wait(f"{fetched} > {before}")
    browser.wait("rlgptPage.shown && document.activeElement === window.kept")
    write(tmp_path / "runs" / "over", goal_report(verdict="It was another verdict."))
    watched.follower.renew("account")
    browser.wait("document.querySelector('.subtask summary') !== window.kept")
    assert browser.run(focused) == key
    assert browser.errors == []


def test_a_film_is_left_by_the_address_of_its_panel(browser: Browser, page: Served) -> None:
    browser.open(f"{page.address}/#/over/episodes")
    browser.wait_text("Choose an episode")
    browser.click("main a[href*='/film/']")
    browser.wait("!!document.querySelector('video')")
    browser.run("history.back()")
    browser.wait_text("Choose an episode")
    assert not browser.run("document.querySelector('video')")


def test_the_episode_that_was_chosen_last_is_shown(
    browser: Browser, page: Served, tmp_path: Path
) -> None:
    """Also where the answer for the one before comes later."""
    many_goals(tmp_path / "runs" / "many", 1)
    browser.open(f"{page.address}/#/many/episodes")
    browser.wait("document.querySelectorAll('.pick tbody tr').length > 1")
    browser.run("""(() => {
      const fetched = window.fetch;
      window.answered = 0;
      window.fetch = async (path, ...rest) => {
        const found = await fetched(path, ...rest);
        if (!path.includes('/episode?')) return found;
        if (!window.second) await new Promise((done) => { window.second = done; });
        else setTimeout(window.second, 300);
        window.answered += 1;
        return found;
      };
    })()""")
    rows = "[...document.querySelectorAll('.pick tbody tr')]"
    browser.run(f"{rows}.slice(0, 2).forEach((row) => row.click())")
    seed = browser.run(f"{rows}[1].children[0].innerText")
    browser.wait("window.answered === 2")
    browser.run("fetch('/api/runs').then((found) => found.text())")  # what it answers comes later
    assert browser.run("document.querySelector('.shown h3').innerText") == f"Seed {seed}"
    assert browser.errors == []


def test_a_panel_rests_for_a_multiple_of_what_its_request_took(
    browser: Browser, page: Served
) -> None:
    """So that files that change all the time do not keep the server busy."""
    browser.open(f"{page.address}/#/over/log")
    browser.wait("!!document.querySelector('main.log')")
    script = """(async () => {
      const { Loaded } = await import('/static/panels/loading.js');
      const states = { versions: { account: 1 } };
      const context = { states: () => states, current: () => true };
      const pause = (ms) => new Promise((done) => setTimeout(done, ms));
      const times = [];
      const fetching = async () => {
        const began = performance.now();
        await pause(100);
        times.push([began, performance.now()]);
      };
      const loaded = new Loaded(context, 'account', fetching, () => {}, null, 0);
      const change = () => { states.versions.account += 1; loaded.update(new Set(['versions'])); };
      change();
      while (times.length < 2) { await pause(20); change(); }
      loaded.end();
      return times;
    })()"""
    first, second = browser.run(script)
    assert second[0] - first[1] >= 3.9 * (first[1] - first[0])
    assert browser.errors == []
