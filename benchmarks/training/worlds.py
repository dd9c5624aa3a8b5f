"""The worlds that are trained in: the env server's sessions in this process, without a bus."""

from pathlib import Path
from typing import Any

import msgspec
import yaml

from benchmarks.goals import task_of
from messages.roll_out import ROLL_OUT
from messages.training import TrainingSpec
from messages.world import CLOSE, OPEN, STEP, OpenSession, RewardTerm
from nodes.env_server.session import Session
from rlgpt.composing.configuration import StrictTask
from rlgpt.composing.spec_file import read_spec_file, training_spec
from worlds import play

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = ROOT / "docs" / "examples" / "train" / "harvest_log.yaml"
GAMMA = 0.99


def options_spec(seed: int, budget: int) -> TrainingSpec:
    """Harvest a log with two coded actions as options, begun by code: the example of
    `rlgpt train`."""
    wanted = read_spec_file(OPTIONS)
    task = yaml.safe_load((ROOT / "launch" / "task" / f"{wanted.task}.yaml").read_text())
    spec = training_spec(wanted, OPTIONS, msgspec.convert(task, StrictTask), seed, GAMMA)
    return msgspec.structs.replace(spec, budget=budget, stop_at=2.0)


def steps_spec(seed: int, budget: int) -> TrainingSpec:
    """The spec with single steps alone, from the world's own start: what any library can train."""
    spec = options_spec(seed, budget)
    interface = msgspec.structs.replace(spec.interface, macros=[])
    return msgspec.structs.replace(spec, name="steps", interface=interface, prefix=[])


def fight_spec(seed: int, budget: int) -> TrainingSpec:
    """Kill a zombie with single steps. What a policy sees of mobs, gear and light is computed in
    another way than what it sees of the ground."""
    task = task_of("combat_zombie_plains_iron_armors_wooden_sword_shield")
    spec = steps_spec(seed, budget)
    seen = ["target", "hostiles", "passives", "life", "equipment", "light", "fluids", "food"]
    interface = msgspec.structs.replace(
        spec.interface,
        observations=["compass", "voxels", "rays", "facing", *seen, "previous_choice"],
        targets=["zombie"],
        rewards=[
            RewardTerm(kind="success", weight=10.0),
            RewardTerm(kind="step", weight=-0.01),
            RewardTerm(kind="approach", weight=0.2, name="zombie"),
        ],
        success=task.success,
    )
    return msgspec.structs.replace(spec, name="fight", task=task, interface=interface)


class LocalSession:
    """Sessions of the env server as functions: `call` is the bus's."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}

    def open(self, request: OpenSession) -> Session:
        world = play(request.task.game).make_world("embedded", request.size, request.task)
        self.sessions[request.session] = Session(request, world)
        return self.sessions[request.session]

    def call(self, service: Any, request: Any, timeout: float | None = None) -> Any:
        if service is OPEN:
            return self.open(request).opened()
        if service is STEP:
            return self.sessions[request.session].step(request.choices)
        if service is ROLL_OUT:
            return self.sessions[request.session].roll_out(request)
        if service is CLOSE:
            return self.sessions.pop(request.session).close()
        raise ValueError(f"a training does not call {service.name}")
