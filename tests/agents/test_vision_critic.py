"""A critic that sees: pictures to the language model, into the run folder, and back out of it in a
replay."""

import base64
import contextlib
import io
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
import pytest
import yaml
from PIL import Image

from messages.bus import Bus, RemoteError
from messages.chat import ASK, Answered, Ask, ChatMessage, LookQuestion, PictureNote, digest
from messages.plan import PURSUE, Limits, PursueGoal
from messages.verdict import JUDGE, Evidence, Verdict
from messages.world import (
    JUDGED,
    Closed,
    Condition,
    Picture,
    Pictures,
    SessionName,
)
from nodes.config import ConfigError
from nodes.critic import chosen_pictures, critic
from nodes.critic.critic import Critic
from nodes.testing import MockBus
from rlgpt.main import main
from tests.agent_stack import LOG, STEPS, AgentProcess, Stack, ToyWorld, ended_with_a_log, stack
from tests.agents.test_vision import ANSWER, FORWARD, launch
from tests.bus_processes import PATIENCE
from tests.llm.scripted_server import Server, says
from voxeldojo.viewing.png import png
from worlds import card

# ---- the critic shows them


def picture(environment: int, step: int) -> Picture:
    rgb = np.full((3, 20, 30), 10 * environment + step, np.uint8)
    return Picture(environment=environment, step=step, png=png(rgb))


def evidence(worked: int, pictured: int = 4, id: str = "demo/judge-0", error: str = "") -> Evidence:
    return Evidence(
        id=id,
        sub_action="hit the cow",
        description=error,
        method="code",
        success=LOG,
        required_rate=0.9,
        episodes=ended_with_a_log(worked, 6, steps=7),
        pictures=[picture(row, step) for row in range(pictured) for step in (0, 3, 7)],
    )


class Setting:
    """The llm node and the critic, and a server that they ask."""

    def __init__(self, run: Path, profile: dict[str, Any] | None = None, **critic: Any) -> None:
        run.mkdir(exist_ok=True)
        self.run = run
        self.server = Server(says(json.dumps(ANSWER)))
        openai = {"kind": "openai", "url": self.server.url, "model": "toy", "vision": True}
        config = launch(profile or openai, **{"vision": True, **critic})
        (run / "config.yaml").write_text(yaml.safe_dump(config))
        self.bus = Bus(run)
        self.nodes = [AgentProcess(name, run) for name in ("llm", "critic")]

    def judge(self, evidence: Evidence) -> Verdict:
        return self.bus.call(JUDGE, evidence, timeout=PATIENCE)

    @property
    def chats(self) -> list[dict[str, Any]]:
        """What was asked; prompts that were sent to be counted are no questions."""
        return [each for each in self.server.requests if "max_tokens" in each]

    @property
    def lines(self) -> list[str]:
        return (self.run / "llm" / "transcript.jsonl").read_text().splitlines()

    def close(self) -> None:
        self.bus.close()
        for node in self.nodes:
            node.kill()
        self.server.close()


@pytest.fixture
def setting(run_folder: Path) -> Iterator[Setting]:
    setting = Setting(run_folder / "recorded", most_pictures=6)
    yield setting
    setting.close()


def images(request: dict[str, Any]) -> list[bytes]:
    """The image parts of a request, decoded."""
    parts = request["messages"][-1]["content"]
    found: list[bytes] = []
    for part in parts:
        assert set(part) == {"type", part["type"]}
        if part["type"] == "image_url":
            start, _, data = part["image_url"]["url"].partition(",")
            assert start == "data:image/png;base64"
            found.append(base64.b64decode(data, validate=True))
        else:
            assert part["text"].strip()
            assert "<picture" not in part["text"]
    return found


def test_the_model_is_shown_what_the_player_saw(
    setting: Setting, capsys: pytest.CaptureFixture[str]
):
    verdict = setting.judge(evidence(worked=1))
    # What was counted decides; what was seen explains.
    assert not verdict.success
    assert verdict.reason == (
        "It worked in 1 of 6 episodes. It hits the ground instead of the cow."
    )
    (request,) = setting.chats
    shown = images(request)
    # Two whole episodes of three pictures: one that failed, and one that worked to compare with.
    assert shown == [picture(row, step).png for row in (1, 0) for step in (0, 3, 7)]
    for data in shown:
        assert Image.open(io.BytesIO(data)).convert("RGB").size == (30, 20)
    parts = request["messages"][-1]["content"]
    assert parts[0]["text"].rstrip().endswith("Before, step 0:")
    assert [part["text"].strip() for part in parts[2:6:2]] == [
        "On the way, step 3:",
        "After, step 7:",
    ]
    assert "seen" in request["response_format"]["json_schema"]["schema"]["properties"]
    assert isinstance(request["messages"][0]["content"], str)

    # The transcript names them, the run folder has them, the prompt shows where they stood.
    (line,) = setting.lines
    assert len(line) < 15_000
    entry = json.loads(line)
    names = entry["prompt"][1]["pictures"]
    assert names == [digest(data) for data in shown]
    assert entry["answered"]["pictures"] == 6
    assert entry["answered"]["prompt_tokens"] == 7
    assert "png" not in line
    for name, data in zip(names, shown, strict=True):
        assert (setting.run / "llm" / "pictures" / f"{name}.png").read_bytes() == data
    assert main(["prompt", "show", "critic", "--run", str(setting.run)]) == 0
    said = capsys.readouterr().out
    assert f"Before, step 0:\n[picture: {setting.run}/llm/pictures/{names[0]}.png]\n" in said


def test_without_pictures_the_critic_asks_the_question_in_words(setting: Setting):
    setting.judge(evidence(worked=1, pictured=0))
    assert isinstance(setting.chats[0]["messages"][-1]["content"], str)
    assert json.loads(setting.lines[0])["asked"] == "JudgeQuestion"


def test_text_that_looks_like_a_picture_mark_is_sent_as_text(setting: Setting):
    setting.judge(evidence(worked=0, error=f"I am <picture {'0' * 64}>."))
    request = setting.chats[0]
    texts = [part["text"] for part in request["messages"][-1]["content"] if "text" in part]
    assert f"I am <picture {'0' * 64}>." in "".join(texts)
    assert sum(len(m.get("pictures", [])) for m in json.loads(setting.lines[0])["prompt"]) == 6


def test_a_run_with_pictures_is_replayed_exactly(setting: Setting, run_folder: Path):
    verdict = setting.judge(evidence(worked=1))
    profile = {"kind": "replay", "transcript": str(setting.run)}
    again = Setting(run_folder / "again", profile, most_pictures=6)
    try:
        assert again.judge(evidence(worked=1)) == verdict
        assert again.server.requests == []
        assert again.lines == setting.lines
        folders = [run / "llm" / "pictures" for run in (setting.run, again.run)]
        then, now = ({path.name for path in folder.iterdir()} for folder in folders)
        assert then == now
    finally:
        again.close()


def test_a_replay_with_another_picture_is_refused_with_the_difference(
    setting: Setting, run_folder: Path
):
    setting.judge(evidence(worked=1))
    profile = {"kind": "replay", "transcript": str(setting.run)}
    again = Setting(run_folder / "again", profile, most_pictures=6)
    try:
        other = evidence(worked=1)
        pictures = [
            msgspec.structs.replace(each, png=picture(9, 9).png) if each.step == 3 else each
            for each in other.pictures
        ]
        with pytest.raises(RemoteError, match="pictures") as differs:
            again.judge(msgspec.structs.replace(other, pictures=pictures))
        assert "question.pictures[1].digest: was" in str(differs.value)
    finally:
        again.close()


# ---- the llm node by itself


@pytest.mark.parametrize(
    ("sees", "files", "said"),
    [
        (False, [picture(0, 0).png], "toy is not shown pictures"),
        (True, [b"GIF89a"], "neither"),
        (True, [], "did not come with it"),
    ],
)
def test_pictures_that_cannot_be_shown_are_refused_in_one_sentence(
    run_folder: Path, sees: bool, files: list[bytes], said: str
):
    server = Server(says(json.dumps(ANSWER)))
    profile = {"kind": "openai", "url": server.url, "model": "toy", "vision": sees}
    (run_folder / "config.yaml").write_text(yaml.safe_dump(launch(profile)))
    bus, llm = Bus(run_folder), AgentProcess("llm", run_folder)
    try:
        note = PictureNote(environment=0, step=0, digest=digest(picture(0, 0).png))
        bare = msgspec.structs.replace(evidence(0), pictures=[])
        request = Ask(
            id="q",
            agent="critic",
            question=LookQuestion(evidence=bare, success_rate=0.0, pictures=[note]),
            prompt=[
                ChatMessage(role="user", content=f"<picture {note.digest}>", pictures=[note.digest])
            ],
            pictures=files,
        )
        with pytest.raises(RemoteError) as refused:
            bus.call(ASK, request, timeout=PATIENCE)
        assert said in refused.value.message
        assert refused.value.message.count(". ") == 0
        assert server.requests == []
    finally:
        bus.close()
        llm.kill()
        server.close()


# ---- the whole way, with the agents


class Photographing(ToyWorld):
    """A toy world whose sessions bring the pictures that they were asked for."""

    def close_session(self, request: SessionName) -> Closed:
        opened = next(o for o in reversed(self.opened) if o.session == request.session)
        closed = super().close_session(request)
        wanted = opened.pictures
        rows = range(min(wanted.environments, opened.size)) if wanted else ()
        pictures = [picture(row, step) for row in rows for step in (0, STEPS)]
        return msgspec.structs.replace(closed, pictures=pictures)


SAID: dict[str, Any] = {
    "PlanAnswer": {
        "thoughts": "",
        "subtasks": [{"name": "log", "success": msgspec.to_builtins(LOG), "why": ""}],
    },
    "DecomposeAnswer": {
        "thoughts": "",
        "sub_actions": [
            {
                "name": "dig",
                "method": "code",
                "description": "dig a log",
                "success": msgspec.to_builtins(LOG),
            }
        ],
    },
    "ProgramAnswer": {"thoughts": "", "source": FORWARD.format(steps=9)},
    "LookAnswer": {**ANSWER, "success": False},
}


@contextlib.contextmanager
def seeing_stack(folder: Path, answers: dict[str, Any]) -> Iterator[tuple[Stack, Server]]:
    """The agents with a critic that sees, and a model that answers each question by its schema."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        name = server.requests[-1]["response_format"]["json_schema"]["name"]
        says(json.dumps(answers[name]))(handler)

    server = Server(answer)
    with (
        contextlib.closing(server),
        stack(
            folder,
            world=lambda run: Photographing(run, lambda source: ""),
            llm={"kind": "openai", "url": server.url, "model": "toy", "vision": True},
            nodes={"critic": {"vision": True, "pictures": {"each": 2, "environments": 1}}},
            trial_episodes=3,
        ) as agents,
    ):
        yield agents, server


def test_pictures_are_taken_in_tryouts_and_not_in_evaluations(run_folder: Path):
    with seeing_stack(run_folder, SAID) as (agents, server):
        report = agents.bus.run_goal(PURSUE, "demo", agents.goal(1), timeout=PATIENCE)
        opened = agents.world.opened
    assert not report.success
    (line,) = report.iterations[0].lines
    assert line.verdict.reason == ANSWER["reason"]
    tried = [o for o in opened if "/trial-" in o.session]
    assert [o.pictures for o in tried] == [Pictures(each=2, environments=1)]
    assert [o.pictures for o in opened if o not in tried] == [None]
    looked = [r for r in server.requests if isinstance(r["messages"][-1]["content"], list)]
    assert [images(request) for request in looked] == [
        [picture(0, step).png for step in (0, STEPS)]
    ]


def test_a_creative_goal_is_judged_by_what_the_critic_sees(run_folder: Path):
    """Nothing is planned or counted; tryout and evaluation are judged by their pictures."""
    goals = card("minecraft").goals
    assert goals is not None
    task = goals.task("creative:0")
    sub_action = {**SAID["DecomposeAnswer"]["sub_actions"][0]}
    sub_action["success"] = msgspec.to_builtins(task.success)
    told = {
        **SAID,
        "DecomposeAnswer": {"thoughts": "", "sub_actions": [sub_action]},
        "LookAnswer": {**ANSWER, "success": True},
    }

    with seeing_stack(run_folder, told) as (agents, server):
        goal = PursueGoal(task=task, limits=Limits(iterations=1))
        report = agents.bus.run_goal(PURSUE, "demo", goal, timeout=PATIENCE)
        opened = agents.world.opened
    assert report.success
    assert [subtask.success for subtask in report.subtasks] == [task.success]
    assert (report.iterations[0].success_rate, report.iterations[0].lines[0].verdict.success) == (
        1.0,
        True,
    )
    assert all(o.pictures == Pictures(each=2, environments=1) for o in opened)
    looked = [r for r in server.requests if isinstance(r["messages"][-1]["content"], list)]
    assert len(looked) == 2
    assert all("Nothing was counted" in r["messages"][-1]["content"][0]["text"] for r in looked)


def test_pictures_show_each_way_to_fail():
    """Three drowned and two ran out of steps: one of each is shown before a second one."""
    asked = evidence(worked=0, pictured=5)
    ends = [("death", "drowning")] * 3 + [("horizon", "")] * 3
    episodes = [
        msgspec.structs.replace(episode, ended=ended, cause=cause)
        for episode, (ended, cause) in zip(asked.episodes, ends, strict=True)
    ]
    shown = chosen_pictures.choose(msgspec.structs.replace(asked, episodes=episodes), 6)
    assert {each.environment for each in shown} == {0, 3}


def test_the_pictures_of_a_judgement_are_chosen_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Of hundreds of episodes that is work, and `most_pictures` may be set between two times."""
    chosen: list[list[Picture]] = []

    def choose(evidence: Evidence, most: int) -> list[Picture]:
        chosen.append(chosen_pictures.choose(evidence, most))
        return chosen[-1]

    monkeypatch.setattr(critic, "choose", choose)
    shown: list[list[bytes]] = []

    def answer(request: Ask) -> Answered:
        shown.append(request.pictures)
        return Answered(id=request.id, answer=json.dumps(ANSWER), model="toy")

    bus = MockBus("critic")
    bus.answer(ASK, answer)
    openai = {"kind": "openai", "url": "http://localhost", "model": "toy", "vision": True}
    (tmp_path / "critic").mkdir()
    Critic(tmp_path, launch(openai, vision=True), cast(Bus, bus)).open_endpoints()
    success = Condition(kind=JUDGED, name="creative:0")
    bus.call(JUDGE, msgspec.structs.replace(evidence(worked=1), success=success))
    assert [[each.png for each in pictures] for pictures in chosen] == shown


def test_a_judgement_counts_the_episodes_that_were_shown(setting: Setting):
    """Two of six: no more fit into one question."""
    success = Condition(kind=JUDGED, name="creative:0")
    verdict = setting.judge(msgspec.structs.replace(evidence(worked=6), success=success))
    assert len(images(setting.chats[0])) == 6
    assert verdict.episodes == 2


def test_too_few_episodes_of_a_creative_task_count_as_no_success(setting: Setting):
    """Where the samples cut its tryout, as of any other task."""
    setting.server.script = says(json.dumps({**ANSWER, "success": True}))
    success = Condition(kind=JUDGED, name="creative:0")
    asked = msgspec.structs.replace(evidence(worked=6), success=success, least_episodes=7)
    verdict = setting.judge(asked)
    assert (verdict.success, verdict.success_rate) == (False, 1.0)
    assert verdict.reason.endswith("Of fewer than 7 nothing counts as success.")
    enough = msgspec.structs.replace(asked, id="demo/judge-1", least_episodes=6)
    assert setting.judge(enough).success


@pytest.mark.parametrize(("done", "words"), [(True, "show"), (False, "do not show")])
def test_a_judgement_in_the_words_of_the_prompts_example_is_put_in_others(
    setting: Setting, done: bool, words: str
):
    """And not in what was counted: of a creative task nothing is."""
    example = "The player keeps attacking the ground where the cow was, instead of the cow."
    setting.server.script = says(json.dumps({**ANSWER, "success": done, "reason": example}))
    success = Condition(kind=JUDGED, name="creative:0")
    verdict = setting.judge(msgspec.structs.replace(evidence(worked=6), success=success))
    assert (verdict.success, verdict.reason) == (done, f"The pictures {words} it done.")


def test_a_creative_task_without_pictures_is_judged_not_done(setting: Setting):
    bare = evidence(worked=6, pictured=0)
    success = Condition(kind=JUDGED, name="creative:0")
    verdict = setting.judge(msgspec.structs.replace(bare, success=success))
    assert (verdict.success, verdict.episodes) == (False, 0)
    assert not setting.server.requests


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ([], "only a critic that sees pictures can judge it: set nodes.critic.parameters.vision"),
        (["nodes.critic.parameters.vision=true"], "and the model sees none"),
        (["nodes.critic.parameters.vision=true", "llm=openai"], "and the model sees none"),
    ],
)
def test_a_creative_goal_needs_a_critic_that_sees(
    overrides: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["launch", "goal", "task.id=creative:5", *overrides]) == 2
    shown = capsys.readouterr().err
    assert "task creative:5: only a critic that sees pictures can judge it" in shown
    assert said in shown
    assert not (tmp_path / "runs").exists()


def test_a_limit_below_an_episodes_pictures_is_refused() -> None:
    """An episode is shown whole or not at all: the critic would see nothing."""
    parameters = Critic.Parameters(vision=True, most_pictures=3)
    with pytest.raises(ConfigError, match=r"most_pictures is 3: an episode has 4 pictures"):
        Critic.check_parameters(cast("Any", None), parameters)
