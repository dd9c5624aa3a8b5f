"""A run folder of many goals, one after the other: each with its report, plays of a program,
episodes of a training, a curve, questions and the times of its training."""

import json
from pathlib import Path
from typing import Any

import msgspec
from tensorboard.compat.proto.event_pb2 import Event  # pyright: ignore
from tensorboard.compat.proto.summary_pb2 import Summary as Scalars  # pyright: ignore
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from messages.bus.actions.goal_store import GoalRecord
from messages.codec import encode, snapshot
from messages.plan import PURSUE, Limits, PursueGoal
from messages.program import Program
from messages.world import Episode, OpenSession, SeedRange, View
from nodes.common.goals.goal_ids import file_name
from nodes.common.storage.episode_store import FILE, Kept, PlayPart, StoredEpisodes, StoredPlay
from nodes.common.storage.stored_goals import StoredGoals
from tests.report_run import ATTACK, SEARCH, TASK, goal_report, spec

PLAYS = 2  # of each goal: a tryout and the evaluation
EPISODES = 3  # of each play
TRAINED = 4  # episodes of each goal's training


def evaluation(goal: str) -> str:
    return f"{goal}/0-harvest-log/iteration-1/evaluate/episodes"


def tryout(goal: str) -> str:
    return f"{goal}/0-harvest-log/iteration-1/harvest-log/trial-0"


def policy(goal: str) -> str:
    return f"{goal}/0-harvest-log/iteration-1/harvest-log/train"


def many_goals(run: Path, count: int, reached: int = 0) -> list[str]:
    """Goals ``goal-0`` and so on, of which the first ``reached`` were. Returns their ids."""
    run.mkdir(parents=True, exist_ok=True)
    (run / "config.yaml").write_text(
        "name: harvest_log\nnodes: {planner: {}, learner: {}, env_server: {}, llm: {}}\n"
        "limits: {iterations: 4, success_rate: 0.9}\n"
    )
    for node in ("planner", "env_server", "learner", "llm"):
        (run / node).mkdir(exist_ok=True)
    ids = [f"goal-{number}" for number in range(count)]
    pursued = StoredGoals(run / "planner" / "goals.sqlite")
    episodes = StoredEpisodes(run / "env_server" / FILE)
    for number, id in enumerate(ids):
        pursued.save(_pursued(id, reached=number < reached))
        for place, play in enumerate((tryout(id), evaluation(id))):
            began = 1e9 + 100.0 * number + 10.0 * place
            episodes.keep(_play(play, began), [_kept(play, place) for place in range(EPISODES)])
        episodes.keep_trained(policy(id), [(seed, "success", 5) for seed in range(TRAINED)])
        episodes.keep_trained(f"{policy(id)}/tryout", [(seed, "success", 5) for seed in (1, 2)])
        _curve(run / "learner" / "tensorboard" / file_name(policy(id)), 1e9 + 100.0 * number)
        (run / "env_server" / "videos").mkdir(exist_ok=True)
        (run / "env_server" / "videos" / f"{file_name(evaluation(id))}.mp4").write_bytes(b"no film")
    pursued.close()
    episodes.close()
    with (run / "llm" / "transcript.jsonl").open("w") as transcript:
        for number, id in enumerate(ids):
            transcript.write(json.dumps(_question(id, 1e9 + 100.0 * number)) + "\n")
    with (run / "learner" / "times.jsonl").open("w") as times:
        for number, id in enumerate(ids):
            times.write(json.dumps(_times(id, 1e9 + 100.0 * number)) + "\n")
    began = {"began": 1e9, "ready": 1e9 + 1, "ended": 1e9 + 100.0 * count, "how": "interrupted"}
    launches = [{**began, "text": "SIGINT", "restarts": {}}]
    (run / "launches.json").write_text(json.dumps(launches))
    return ids


def _pursued(id: str, reached: bool) -> GoalRecord:
    report = msgspec.structs.replace(goal_report(), success=reached)
    return GoalRecord(
        action=PURSUE.name,
        goal=id,
        status="succeeded",
        request=snapshot(encode(PursueGoal(task=TASK, limits=Limits()))),
        result=snapshot(encode(report)),
    )


def _play(id: str, began: float) -> StoredPlay:
    program = Program(name="find_a_tree", source=SEARCH, purpose="Walk up to a tree.")
    # It is the same program in all plays, and one of its own.
    own = Program(name="attack_20", source=f"{ATTACK}# {id}\n", purpose="Attack 20 times.")
    return StoredPlay(
        id=id,
        began=began,
        ended=began + 4.0,
        whole=True,
        opened=OpenSession(
            session=id,
            task=TASK,
            size=EPISODES,
            seeds=SeedRange(first=0, count=EPISODES),
            interface=spec([]).interface,
        ),
        parts=[PlayPart(program=program), PlayPart(program=own)],
    )


def _kept(play: str, place: int) -> Kept:
    view = View(inventory={"log": 1})
    episode = Episode(
        environment=place,
        seed=950_000 + place,
        success=place > 0,
        steps=30,
        reward=0.0,
        ended="success" if place else "horizon",
        before=View(inventory={}),
        after=view,
    )
    return Kept(play=play, why="", episode=episode)


def _curve(folder: Path, began: float) -> None:
    writer = EventFileWriter(str(folder))
    for step in range(1, 4):
        value = Scalars.Value(tag="episode/success_rate", simple_value=step / 10)
        event = Event(step=step * 100, wall_time=began + step, summary=Scalars(value=[value]))
        writer.add_event(event)
    writer.close()


def _question(goal: str, at: float) -> dict[str, Any]:
    id = f"{goal}/0-harvest-log/iteration-1/harvest-log/program-0"
    tokens = {"prompt_tokens": 1000, "completion_tokens": 10, "seconds": 0.5}
    answered = {"id": id, "answer": "{}", "model": "a model", **tokens}
    return {"time": at, "agent": "fast_agent", "asked": "ProgramQuestion", "answered": answered}


def _times(goal: str, at: float) -> dict[str, Any]:
    return {"at": at + 2.0, "seconds": 2.0, "spent": {policy(goal): {"update": 2.0}}}
