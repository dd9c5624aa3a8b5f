"""What a page may change of a live run, over HTTP and in headless Chromium: pauses and steps,
parameters, breakpoints and the answers that wait at them."""

import json
import logging
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from rlgpt.report.changes import changes_of
from tests.bus_processes import PATIENCE, eventually
from tests.dash.browser import NONE, PROGRAM, Browser
from tests.dash.dash_served import Served, served, states_until
from tests.launch_toys.launched import Launched
from tests.llm.test_breakpoints import OTHER, Setting

in_browser = pytest.mark.skipif(PROGRAM is None, reason=NONE)


@pytest.fixture(scope="module")
def page(live: Launched) -> Iterator[Served]:
    with served(live.run) as page:
        with page.live("it") as socket:
            states_until(socket, lambda s: {"nodes", "pauses"} <= set(s))
        yield page


@pytest.fixture
def asking(run_folder: Path) -> Iterator[tuple[Setting, Served]]:
    """The llm node, without a launcher, and the page of its run."""
    setting = Setting(run_folder)
    try:
        with served(setting.run) as page:
            yield setting, page
    finally:
        setting.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


def test_a_node_is_paused_stepped_and_continued(page: Served) -> None:
    node = "/api/runs/it/nodes/caller"
    try:
        assert page.change(f"{node}/pause")[1]["text"] == "caller is paused"
        with page.live("it") as socket:
            found = states_until(
                socket,
                lambda s: (
                    s.get("pauses", {}).get("caller", {}).get("waiting")
                    and any(row["paused"] for row in s.get("nodes", []))
                ),
            )
        assert found["pauses"]["caller"]["by"].endswith("on the page")
        status, found = page.change(f"{node}/step?count=3")
        assert status == 200
        assert found["text"].startswith("caller took 3 steps")
        for count in ("0", "-1", "100001", "1e5", "2.5"):
            status, found = page.change(f"{node}/step?count={count}")
            assert status == 409, count
            assert "take 1 to 100,000 at a time" in found["error"]
    finally:
        assert page.change(f"{node}/continue")[1]["text"] == "caller goes on"
    assert page.change(f"{node}/continue")[1]["text"] == "caller was not paused"
    status, found = page.change("/api/runs/it/nodes/coller/pause")
    assert status == 409
    assert "did you mean `caller`" in found["error"]
    assert page.change(f"{node}/explode")[0] == 404


def test_parameters_are_shown_set_and_reset(page: Served, live: Launched) -> None:
    path = "/api/runs/it/parameters"
    talker = page.json(path)["talker"]
    assert talker["live"] == ["log_level", "text"]
    assert talker["values"]["loudness"] == 3
    status, found = page.change(path, {"node": "talker", "values": {"text": "good day"}})
    assert status == 200
    assert found["talker"]["values"]["text"] == "good day"
    assert found["talker"]["configured"] == {"text": "hello"}
    for values, words in (
        ({"loudness": "5"}, "cannot be set while talker runs"),
        ({"text": "[1]"}, "text"),
    ):
        status, found = page.change(path, {"node": "talker", "values": values})
        assert status == 409
        assert words in found["error"]
    assert page.json(path)["talker"]["values"]["text"] == "good day"
    _, found = page.change(path, {"node": "talker", "reset": ["text"]})
    assert found["talker"]["values"]["text"] == "hello"
    changes = [each for each in changes_of(live.run) if each.node == "talker"]
    assert [each.new for each in changes][-2:] == ["good day", "hello"]
    assert all(each.by.endswith("on the page") for each in changes)


def test_requests_that_are_unreadable_or_of_another_origin_change_nothing(page: Served) -> None:
    path = "/api/runs/it/parameters"
    good = b'{"node": "talker", "values": {"text": "bad"}}'
    assert page.ask(path, "POST", good)[0] == 403
    assert page.ask(path, "POST", good, origin="http://evil.example")[0] == 403
    own = {"origin": page.address}
    for body in (b"", b"{", b"[]", b'{"node": "talker", "value": {}}', b'{"node": "\xff"}'):
        status, found, _ = page.ask(path, "POST", body, **own)
        assert status == 400, body
        assert b"this cannot be read" in found
    status, found, _ = page.ask(path, "POST", good[:-1] + b" " * (1 << 20) + b"}", **own)
    assert status == 413
    assert b"at most 1024 KiB" in found
    assert page.json(path)["talker"]["values"]["text"] == "hello"
    status, found = page.change("/api/runs/it/breakpoints", {"at": "planner/plan", "stops": True})
    assert status == 409
    assert "no node `llm`" in found["error"]
    for address in ("parameters", "breakpoints", "held", "nodes/talker/pause"):
        assert page.ask(f"/api/runs/it/{address}", "POST", b"{}")[0] == 403, address


def test_a_client_that_leaves_in_the_middle_of_a_body_is_no_error(
    page: Served, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its errors are logged there, and would not reach what records them here.
    monkeypatch.setattr(logging.getLogger("uvicorn"), "propagate", True)
    head = (
        f"POST /api/runs/it/parameters HTTP/1.1\r\nhost: 127.0.0.1:{page.port}\r\n"
        f"origin: {page.address}\r\ncontent-length: 1000\r\n\r\n{{"
    )
    with socket.create_connection(("127.0.0.1", page.port)) as client:
        client.sendall(head.encode())
        time.sleep(0.2)  # it has begun to read the body
    assert page.json("/api/runs/it/parameters")["talker"]["values"]["text"]
    time.sleep(0.2)
    assert not [record for record in caplog.records if record.exc_info]


def test_a_run_that_is_over_cannot_be_changed(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "over"
    run.mkdir(parents=True)
    (run / "config.yaml").write_text("{name: over, nodes: {llm: {}}}\n")
    with served(run) as page:
        for path, what in (
            ("nodes/llm/pause", None),
            ("parameters", {"node": "llm"}),
            ("breakpoints", {"at": "planner/plan", "stops": True}),
            ("held", {"id": "x"}),
        ):
            status, found = page.change(f"/api/runs/over/{path}", what)
            assert status == 409, path
            assert f"`rlgpt resume {run}`" in found["error"]


def test_an_answer_waits_at_a_breakpoint_and_is_edited_over_http(
    asking: tuple[Setting, Served],
) -> None:
    setting, page = asking
    api = f"/api/runs/{setting.run.name}"
    with page.live(setting.run.name) as socket:
        states_until(socket, lambda s: "breakpoints" in s)
        status, found = page.change(f"{api}/breakpoints", {"at": "planner/plan", "stops": True})
        assert (status, found["at"]) == (200, ["planner/plan"])
        asked = setting.ask("goal/plan-0")
        states_until(socket, lambda s: s.get("breakpoints", {}).get("held"))
    held = page.json(f"{api}/held?id=goal/plan-0")
    assert "subtasks:\n- name: harvest 1 log" in held["draft"]
    assert "[user]" in held["prompt"]

    def use(answer: Any) -> Any:
        return page.change(f"{api}/held", {"id": "goal/plan-0", "answer": answer})[1]

    assert "what you wrote is neither JSON nor YAML" in use("subtasks: [")["problems"][0]
    aliases = "a: &a [1]\nb: [*a, *a]\n"
    assert "what you wrote has YAML aliases (*name)" in use(aliases)["problems"][0]
    assert any("The plan is empty" in each for each in use("subtasks: []")["problems"])
    assert not asked.done()
    assert use(yaml.safe_dump(OTHER)) == {"type": "Used", "problems": [], "edited": True}
    answered = asked.result(PATIENCE)
    assert json.loads(answered.answer)["subtasks"][0]["name"] == "get logs"
    assert answered.edited_by.endswith("on the page")
    eventually(lambda: not setting.waiting())
    status, found = page.change(f"{api}/held", {"id": "goal/plan-0"})
    assert status == 409
    assert "no answer to 'goal/plan-0' waits" in found["error"]
    status, found = page.change(f"{api}/breakpoints", {"at": "nobody/plan", "stops": True})
    assert status == 409
    assert "write AGENT/KIND" in found["error"]


@pytest.mark.browser
@in_browser
def test_an_answer_is_edited_on_the_page(
    asking: tuple[Setting, Served], browser: Browser, tmp_path: Path
) -> None:
    setting, page = asking
    browser.begin()
    browser.open(f"{page.address}/#/{setting.run.name}/breakpoints")
    browser.wait("!!document.querySelector('select option[value=\"planner/plan\"]')")
    browser.wait("!document.querySelector('form .set').disabled")
    browser.run("document.querySelector('select').value = 'planner/plan'")
    browser.click("form .set")
    browser.wait("!!document.querySelector('[data-at=\"planner/plan\"]')")
    asked = setting.ask("goal/plan-0")
    browser.wait("document.querySelector('.held textarea')?.value.includes('harvest 1 log')")
    browser.wait_text("Breakpoints (1)")

    def write(text: str) -> None:
        script = f"document.querySelector('.held textarea').value = {json.dumps(text)}"
        browser.run(script)
        browser.click(".held .use")

    write("subtasks: []")
    browser.wait_text("It is not used, and the answer still waits")
    browser.wait_text("The plan is empty")
    assert not asked.done()
    # What is written stays, whatever else is published meanwhile.
    setting.stop_at("critic/judge")
    browser.wait("!!document.querySelector('[data-at=\"critic/judge\"]')")
    assert browser.run("document.querySelector('.held textarea').value") == "subtasks: []"
    browser.screenshot(tmp_path / "held.png")
    write(yaml.safe_dump(OTHER))
    browser.wait_text("No answer waits.")
    assert json.loads(asked.result(PATIENCE).answer)["subtasks"][0]["name"] == "get logs"
    browser.click("[data-at='planner/plan'] .clear")
    browser.wait("!document.querySelector('[data-at=\"planner/plan\"]')")
    assert setting.ask("goal/plan-1").result(PATIENCE).edited_by == ""
    assert browser.errors == []


@pytest.mark.browser
@in_browser
def test_nodes_are_paused_and_parameters_set_on_the_page(browser: Browser, page: Served) -> None:
    browser.begin()
    browser.open(f"{page.address}/#/it/nodes")
    browser.click("[data-node=caller] .pause:not(:disabled)")
    browser.wait("document.querySelector('[data-node=caller]').children[1].innerText === 'paused'")
    browser.wait("/waits with talker.describe/.test(document.body.innerText)")
    browser.click("[data-node=caller] .step")
    browser.wait_text("caller took 1 step")
    browser.open(f"{page.address}/#/it/overview")
    browser.wait_text("Waiting for you: caller is paused")
    browser.open(f"{page.address}/#/it/nodes")
    browser.click("[data-node=caller] .pause:not(:disabled)")
    browser.wait_text("caller goes on")
    browser.wait("document.querySelector('[data-node=caller]').children[1].innerText === 'ready'")
    browser.open(f"{page.address}/#/it/parameters")
    row = "[data-node=talker] [data-parameter=text]"
    browser.wait(f"document.querySelector('{row} input')?.value === 'hello'")
    browser.run(f"document.querySelector('{row} input').value = 'good day'")
    browser.click(f"{row} .set")
    browser.wait_text('talker: text = "good day"')
    browser.wait_text('set (configured: "hello")')
    assert page.json("/api/runs/it/parameters")["talker"]["values"]["text"] == "good day"
    browser.click(f"{row} .reset:not([hidden])")
    browser.wait_text("as configured")
    assert browser.errors == []
