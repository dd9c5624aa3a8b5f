"""Pictures from the env server: which are taken, for which critic, and which cannot be."""

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import Image

from messages.program import Program
from messages.world import (
    OpenSession,
    Picture,
    Pictures,
    SeedRange,
    Task,
)
from nodes.common.parameters.vision import check_that_the_model_sees, pictures_for_the_critic
from nodes.config import ConfigError
from nodes.env_server.games import make_world
from nodes.env_server.session import Session
from tests.agent_stack import LOG
from tests.bus_processes import PATIENCE, ROOT
from tests.fake_world import FakeWorld

FORWARD = "def action(obs):\n    for _ in range({steps}):\n        forward()\n"
ANSWER = {
    "seen": "The middle shows grass.",
    "success": True,
    "reason": "It hits the ground instead of the cow.",
    "suggestion": "Aim again.",
}


# ---- the env server takes them


def walk(steps: int) -> Program:
    return Program(name="walk", source=FORWARD.format(steps=steps), max_steps=500)


def opening(size: int = 3, **changes: Any) -> OpenSession:
    task = Task(id="log", prompt="a log", success=LOG, horizon=400)
    opening = OpenSession(
        session="test", task=task, size=size, seeds=SeedRange(first=0, count=9), **changes
    )
    return opening


def brightness(picture: Picture) -> int:
    """Of a world whose pictures get brighter with each metre walked."""
    return int(np.asarray(Image.open(io.BytesIO(picture.png)))[0, 0, 0])


def test_pictures_of_a_stage_are_taken_at_its_start_on_the_way_and_at_its_end():
    wanted = Pictures(environments=2, each=4, height=16, width=32)
    session = Session(opening(prefix=[walk(4)], pictures=wanted), FakeWorld(3))
    session.run_program(walk(90))
    pictures = session.pictures()
    assert [picture.environment for picture in pictures] == [0] * 4 + [1] * 4
    # The first after the prefix's metre; the last where the tree is in the way.
    assert brightness(pictures[0]) == 50
    assert brightness(pictures[3]) == 40 + 10 * 2
    steps = [picture.step for picture in pictures[:4]]
    assert (steps[0], steps[3]) == (0, 90)
    assert abs(steps[1] - 30) <= 8
    assert abs(steps[2] - 60) <= 8
    assert Image.open(io.BytesIO(pictures[0].png)).size == (32, 16)
    # Of stages that follow each other, those of the last.
    session.run_program(walk(2))
    assert [picture.step for picture in session.pictures()[:4]] == [0, 1, 2, 0]


def test_the_last_picture_of_an_episode_that_ended_is_of_its_end():
    attack = "def action(obs):\n    while obs.facing != 'wood':\n        obs = forward()\n"
    attack += "    for _ in range(50):\n        attack()\n"
    session = Session(opening(pictures=Pictures(each=2, height=16, width=16)), FakeWorld(3))
    session.run_program(Program(name="dig", source=attack, max_steps=200))
    episode = session.episodes()[0]
    assert episode.success
    last = session.pictures()[1]
    assert last.step == episode.steps
    world = FakeWorld(3)
    assert world.rgb(0, 16, 16).shape == (3, 16, 16)
    session.run_program(walk(5))  # no episode is played any more
    assert session.pictures()[1] == last


def test_the_embedded_world_s_pictures_are_the_same_each_time():
    def taken() -> list[Picture]:
        request = opening(2, pictures=Pictures(environments=1, each=3))
        session = Session(request, make_world("embedded", 2, request.task))
        session.run_program(walk(30))
        pictures = session.pictures()
        session.close()
        return pictures

    first, again = taken(), taken()
    assert first == again
    assert [picture.step for picture in first][::2] == [0, 30]
    image = np.asarray(Image.open(io.BytesIO(first[0].png)))
    assert image.shape == (224, 352, 3)
    assert image.std() > 10  # there is something to be seen
    assert first[0].png != first[2].png


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (Pictures(height=8), "16 to 1024 pixels, not 8"),
        (Pictures(each=1), "2 to 16 pictures"),
        (Pictures(environments=0), "1 environment or more"),
        (Pictures(environments=3, each=16, height=1000, width=1000), "too much for one answer"),
    ],
)
def test_pictures_that_cannot_be_taken_are_refused(wanted: Pictures, said: str):
    with pytest.raises(ValueError, match=said):
        Session(opening(pictures=wanted), FakeWorld(3))
    with pytest.raises(ValueError, match="autoreset"):
        Session(opening(pictures=Pictures(), autoreset=True), FakeWorld(3))


# ---- who is to see them


def launch(profile: dict[str, Any], **critic: Any) -> dict[str, Any]:
    nodes = {"llm": {"parameters": {"profile": profile}}, "critic": {"parameters": critic}}
    return {"name": "test", "nodes": nodes}


def test_pictures_are_taken_only_for_a_critic_that_looks():
    profile = {"kind": "rulebook"}
    assert pictures_for_the_critic(launch(profile)) is None
    config = launch(profile, vision=True, pictures={"each": 3})
    assert pictures_for_the_critic(config) == Pictures(each=3)
    with pytest.raises(ConfigError, match="eech"):
        pictures_for_the_critic(launch(profile, vision=True, pictures={"eech": 3}))


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        ({"kind": "rulebook"}, "llm=rulebook looks at no pictures"),
        (
            {"kind": "openai", "model": "toy"},
            "toy is not marked as seeing pictures: set llm.vision",
        ),
        ({"kind": "openai", "model": "toy", "vision": True}, ""),
        ({"kind": "replay", "transcript": "x"}, ""),
    ],
)
def test_a_critic_with_vision_is_refused_with_a_model_that_sees_no_pictures(
    profile: dict[str, Any], said: str
):
    if not said:
        check_that_the_model_sees(launch(profile))
        return
    with pytest.raises(ConfigError, match=said):
        check_that_the_model_sees(launch(profile))


def refusal(node: str, run: Path, config: dict[str, Any]) -> str:
    """What a node says that ends at its start."""
    (run / "config.yaml").write_text(yaml.safe_dump(config))
    ended = subprocess.run(
        [sys.executable, "-m", f"nodes.{node}", "--run", str(run)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    return ended.stderr.splitlines()[-1]


def test_a_critic_with_vision_and_the_rulebook_ends_at_its_start(run_folder: Path):
    said = refusal("critic", run_folder, launch({"kind": "rulebook"}, vision=True))
    assert "nodes.critic.parameters.vision=false" in said


SEEING = {"kind": "openai", "url": "http://127.0.0.1:9/v1", "model": "toy", "vision": True}


@pytest.mark.parametrize("node", ["critic", "fast_agent"])
def test_pictures_that_cannot_be_taken_end_the_nodes_at_their_start(node: str, run_folder: Path):
    """Refused at each tryout instead, they would make every sub-action one that fails."""
    pictures = {"environments": 0, "each": 1, "height": -5}
    said = refusal(node, run_folder, launch(SEEING, vision=True, pictures=pictures))
    assert "nodes.critic.parameters.pictures: a picture's sides are 16 to 1024 pixels" in said


def test_the_limit_of_pictures_depends_on_how_many_environments_play():
    config = launch(SEEING, vision=True, pictures={"environments": 100, "height": 480})
    assert pictures_for_the_critic(config, players=6) == Pictures(environments=100, height=480)
    with pytest.raises(ConfigError, match="80 pictures of 480 x 352 are too much for one answer"):
        pictures_for_the_critic(config, players=20)
