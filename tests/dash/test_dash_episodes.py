"""Episodes on the page: found by seed, what was done in them, and played again with a film; the
code of what ran in them, and how often it succeeded."""

import json
import time
from pathlib import Path
from urllib.parse import urlencode

from messages.bus import Bus
from rlgpt.dash.views.program_view import program_id
from tests.bus_processes import Process
from tests.dash.dash_served import Served, served
from tests.env_server.embedded_server import bus, run, server
from tests.env_server.test_episodes import FAULTY, LOOK, played

__all__ = ["bus", "run", "server"]  # fixtures
FILMED = 240.0  # seconds
PLAY = "-mine/0-dirt/iteration-1/look-around/trial-0"
"""Of a goal whose id begins as an option does."""


def filmed(page: Served, name: str, seed: int) -> dict[str, object]:
    query = urlencode({"play": PLAY, "seed": seed})
    status, body, _ = page.ask(
        f"/api/runs/{name}/episode/again?{query}", "POST", origin=page.address
    )
    assert status == 200, body
    replay = json.loads(body)
    until = time.monotonic() + FILMED
    while replay["state"] in ("waiting", "playing"):
        assert time.monotonic() < until
        time.sleep(0.1)
        replay = page.json(f"/api/replays/{replay['number']}")
    return replay


def test_an_episode_is_found_described_and_played_again(
    server: Process, bus: Bus, run: Path
) -> None:
    played(bus, f"{PLAY}/play-0", PLAY)
    name = run.name
    with served(run) as page:
        found = page.json(f"/api/runs/{name}/episodes?seed=41")
        assert (found["found"], found["all"]) == (1, 3)
        (row,) = found["rows"]
        for digits, seeds in (("1", [41]), ("01", [41]), ("40", [40]), ("7", []), ("-1", [])):
            ending = page.json(f"/api/runs/{name}/episodes?seed={digits}")
            assert [each["seed"] for each in ending["rows"]] == seeds
        assert row["words"] == "tryout 0 of look-around, iteration 1"
        assert row["why"].startswith("faulty failed at line 3")
        query = urlencode({"play": PLAY, "environment": row["environment"]})
        one = page.json(f"/api/runs/{name}/episode?{query}")
        assert [part["name"] for part in one["parts"]] == ["look_around", "faulty"]
        assert one["parts"][1]["program"] == program_id(FAULTY.source)
        query = urlencode({"play": PLAY, "environment": 2})
        parts = page.json(f"/api/runs/{name}/episode?{query}")["parts"]
        assert [part["what"] for part in parts] == ["program", "policy"]
        assert parts[1]["macros"] == {"look_around": program_id(LOOK.source)}
        assert sum(parts[1]["choices"].values()) == parts[1]["decisions"] == 6
        programs = {each["name"]: each for each in page.json(f"/api/runs/{name}/programs")}
        assert set(programs) == {"look_around", "faulty"}
        (use,) = programs["faulty"]["uses"]
        assert (use["episodes"], use["successes"]) == (1, 0)  # it ran in one of the three
        replay = filmed(page, name, 40)
        assert replay["state"] == "done", replay
        assert "as recorded" in str(replay["text"])
        film = page.ask(f"/api/runs/{name}/films/again/{replay['film']}".replace("%", "%25"))
        assert film[0] == 200
        assert film[1][4:8] == b"ftyp"
        (listed,) = [
            f for f in page.json(f"/api/runs/{name}/films")["rows"] if f["kind"] == "again"
        ]
        assert listed["name"] == replay["film"]
