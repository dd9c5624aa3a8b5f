"""A run folder whose report has all that a report can have, and text that would do harm in HTML."""

from html.parser import HTMLParser
from pathlib import Path
from typing import Literal

import msgspec
from tensorboard.compat.proto.event_pb2 import Event  # pyright: ignore
from tensorboard.compat.proto.summary_pb2 import Summary as Scalars  # pyright: ignore
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from messages.chat import Answered
from messages.plan import (
    GoalReport,
    Iteration,
    Line,
    Samples,
    Stage,
    SubAction,
    Subtask,
)
from messages.program import Program
from messages.training import Policy, TrainingSpec
from messages.verdict import Verdict
from messages.world import Condition, Interface, RewardTerm, SeedRange, Task
from rlgpt.report.writing import write
from rlgpt.runs.launches import LaunchRecord

HOSTILE = "<script>alert('pwned')</script>"

SEARCH = '''def action(obs):
    """Walk up to the nearest tree."""
    for _ in range(40):
        seen = nearest(obs, "wood")
        if seen is None:
            obs = turn(30)  # look elsewhere
            continue
        yaw, pitch, distance = seen
        obs = turn(yaw)
        if distance < 3.5:
            obs = look(pitch)
            return
        obs = forward()
'''

ATTACK = """def action(obs):
    for _ in range(20):
        obs = attack()
"""

LOG = Condition(kind="have", name="log", quantity=1)
TASK = Task(id="harvest_log", prompt="Harvest one log in a forest", success=LOG)
POLICY = "goal/0-harvest-log/iteration-1/harvest-log/train"
RESTARTS = {"env_server": 0, "critic": 2, "learner": 0}


def spec(macros: list[Program]) -> TrainingSpec:
    return TrainingSpec(
        name="harvest log",
        task=TASK,
        interface=Interface(
            observations=["compass", "voxels", "target_direction"],
            actions=["forward", "attack", "yaw+30", "yaw-30"],
            macros=macros,
            rewards=[
                RewardTerm(kind="success", weight=10.0),
                RewardTerm(kind="step", weight=-0.01),
                RewardTerm(kind="approach", weight=0.5, name="wood"),
                RewardTerm(kind="facing", weight=0.02, name="wood"),
            ],
            success=LOG,
            horizon=200,
            targets=["wood"],
        ),
        prefix=[Program(name="find_a_tree", source=SEARCH, max_steps=400)],
        seeds=SeedRange(first=0, count=900_000),
        budget=120_000,
        stop_at=0.97,
    )


def goal_report(program: str = SEARCH, verdict: str = "The tree was reached.") -> GoalReport:
    near = Condition(kind="near", name="wood")
    find = SubAction(
        name="find a tree", method="code", success=near, description="Walk to the nearest tree."
    )
    by_code = SubAction(name="harvest log", method="code", success=LOG)
    by_rl = SubAction(name="harvest log", method="rl", success=LOG)
    found = Line(
        sub_action=find,
        attempts=1,
        verdict=Verdict(success=True, success_rate=0.97, reason=verdict),
    )
    search = Program(name="find_a_tree", source=program, purpose="Walk up to a tree.")
    macro = Program(name="attack_20", source=ATTACK, purpose="Attack 20 times.", max_steps=20)
    return GoalReport(
        task=TASK,
        subtasks=[Subtask(name="harvest log", success=LOG, why="A log is what was asked for.")],
        iterations=[
            Iteration(
                subtask="harvest log",
                number=0,
                lines=[
                    found,
                    Line(
                        sub_action=by_code,
                        attempts=4,
                        verdict=Verdict(
                            success=False,
                            success_rate=0.03,
                            reason="It attacked the leaves beside the trunk in 29 of 30 episodes.",
                            suggestion="Aiming is hard to put into code; let it be learned.",
                        ),
                    ),
                ],
                stages=[
                    Stage(sub_action=find, program=search),
                    Stage(sub_action=by_code, program=Program(name="harvest_log", source=ATTACK)),
                ],
                success_rate=1 / 30,
                episodes=30,
                samples=Samples(trial=21_400, evaluation=18_212),
                seconds=14.2,
            ),
            Iteration(
                subtask="harvest log",
                number=1,
                lines=[
                    found,
                    Line(
                        sub_action=by_rl,
                        attempts=1,
                        macros=["attack_20"],
                        verdict=Verdict(
                            success=True, success_rate=0.95, reason="The trunk was dug out."
                        ),
                    ),
                ],
                stages=[
                    Stage(sub_action=find, program=search),
                    Stage(
                        sub_action=by_rl,
                        policy=Policy(id=POLICY, checkpoint="learner/harvest-log/checkpoint.pt"),
                        spec=spec([macro]),
                    ),
                ],
                success_rate=28 / 30,
                episodes=30,
                samples=Samples(training=118_784, trial=9_000, evaluation=7_311),
                seconds=96.0,
                video="env_server/videos/1.mp4",
            ),
        ],
        success=True,
        reason="The success rate 0.93 reaches 0.9.",
        chosen={"harvest log": 1},
    )


def fill(run: Path) -> None:
    """What the launcher and the nodes leave in a run folder."""
    (run / "config.yaml").write_text(
        "name: harvest_log\nseed: 3\nlimits: {iterations: 4, success_rate: 0.9, samples: 3000000}\n"
        "world: {kind: embedded}\nllm: {kind: rulebook}\n"
    )
    (run / "llm").mkdir()
    with (run / "llm" / "transcript.jsonl").open("wb") as transcript:
        for number, kind in enumerate(["PlanQuestion", "SpecQuestion", "SpecQuestion"]):
            answered = Answered(
                id=str(number),
                answer="{}",
                model="rulebook",
                prompt_tokens=1200,
                completion_tokens=80,
                seconds=0.25,
            )
            entry = {"agent": "fast_agent", "asked": kind, "question": {}, "answered": answered}
            transcript.write(msgspec.json.encode(entry) + b"\n")
        transcript.write(b'{"agent": "planner", "ask')  # killed while it wrote
    (run / "critic").mkdir()
    (run / "critic" / "node.log").write_text(
        "12:00:01 INFO goal/0-log failed (0.10): most often an error: dropped\n"
        "12:00:02 WARNING dropped a message: expected int\n"
        "12:00:03 WARNING dropped a message: expected int\n"
        f"12:00:04 ERROR cannot read {HOSTILE}\n"
    )
    (run / "env_server" / "videos").mkdir(parents=True)
    (run / "env_server" / "videos" / "1.mp4").write_bytes(b"not really a film")
    learning_curve(run / "learner" / "tensorboard" / POLICY.replace("/", "+"))


def learning_curve(folder: Path) -> None:
    writer = EventFileWriter(str(folder))
    for step in range(1, 60):
        rate = 1.0 / (1.0 + 40.0 * 0.87**step)
        value = Scalars.Value(tag="episode/success_rate", simple_value=rate)
        writer.add_event(Event(step=step * 2048, summary=Scalars(value=[value])))
    writer.close()


class Outline(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data


def launched(run: Path, how: Literal["finished", "interrupted", "failed"] = "finished") -> None:
    """What the launcher leaves of a launch of 131.4 s."""
    record = LaunchRecord(began=1e9, ended=1e9 + 131.4, how=how, text="SIGINT", restarts=RESTARTS)
    (run / "launches.json").write_bytes(msgspec.json.encode([record]))


def written(run: Path, report: GoalReport) -> Outline:
    launched(run)
    _, page = write(run, report)
    return Outline(page.read_text(encoding="utf-8"))
