"""A training that begins where an earlier policy ends: who is asked when, what is counted, and that
it learns what it could not learn from the start."""

import logging
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
import torch

from messages.bus import ServiceError
from messages.chat import SpecAnswer
from messages.plan import Implement, Stage, SubAction
from messages.program import Program
from messages.roll_out import ROLL_OUT
from messages.training import LeadingStage, Policy, TrainingSpec
from messages.world import (
    CLOSE,
    OPEN,
    STEP,
    Closed,
    Interface,
    Lead,
    Opened,
    OpenSession,
    RewardTerm,
    SeedRange,
    Stepped,
)
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.env_server.session import Session
from nodes.fast_agent.fast_agent import FastAgent
from nodes.fast_agent.learning.rl_branch import training_spec
from nodes.learner.checkpoints import checkpoint
from nodes.learner.checkpoints.policies import policy_folder, save_spec
from nodes.learner.checkpoints.state import Spaces, TrainingState
from nodes.learner.training import Training
from nodes.learner.training_seed import seed_of
from tests.agent_stack import FIND, LOG, TASK
from tests.env_server.line_sessions import FACING, NEAR, interface, task
from tests.fake_world import FakeWorld

WALK = interface(actions=["noop", "forward", "sneak"], macros=[], success=NEAR, horizon=4)
NOOP, FORWARD, SNEAK = range(3)
BACK_OFF = Program(name="turn", source="def action(obs):\n    turn(15)\n", max_steps=5)
DIG = interface(
    observations=["facing"],
    actions=["noop", "attack"],
    macros=[],
    rewards=[RewardTerm(kind="success", weight=10), RewardTerm(kind="step", weight=-0.1)],
    horizon=12,
)


def opening(*lead: Lead, size: int = 4, trained: Interface = DIG, **changes: Any) -> OpenSession:
    return OpenSession(
        session="test",
        task=task(),
        size=size,
        seeds=SeedRange(first=0, count=1000),
        interface=trained,
        autoreset=True,
        lead=list(lead),
        **changes,
    )


def training(*lead: Lead, size: int = 4, **changes: Any) -> tuple[Session, FakeWorld]:
    world = FakeWorld(size)
    return Session(opening(*lead, size=size, **changes), world), world


def choose(session: Session, *choices: int) -> Stepped:
    return session.step(np.array(choices, np.int64))


def test_the_earlier_policy_chooses_until_it_has_ended_in_every_environment() -> None:
    session, world = training(Lead(interface=WALK))
    opened = session.opened()
    assert opened.choices == ["noop", "attack"]  # of the policy that is trained
    assert opened.lead == 0
    assert opened.mask.shape == (4, 3)  # and this is the earlier one's
    # Trees are 3 to 6 metres away, 4.5 are within reach, and a step is a quarter of a metre.
    stepped = choose(session, NOOP, FORWARD, FORWARD, FORWARD)
    # The first two were near as soon as they were looked at after a step.
    assert stepped.lead == 0
    assert stepped.prefix_steps == 4
    assert stepped.steps.tolist() == [0, 0, 0, 0]
    stepped = choose(session, 99, 99, FORWARD, FORWARD)  # what the others choose is not read
    assert stepped.prefix_steps == 2
    assert world.z.tolist() == [0, 0.25, 0.5, 0.5]
    for _ in range(2):  # the third is near, the fourth comes to its horizon of 4 steps
        assert stepped.lead == 0
        stepped = choose(session, NOOP, NOOP, FORWARD, FORWARD)
    assert stepped.lead == -1
    assert stepped.features.shape == (4, 3)
    assert stepped.mask.shape == (4, 2)
    assert world.z.tolist() == [0, 0.25, 0.5, 1.0]
    stepped = choose(session, 1, 1, 1, 1)
    assert stepped.steps.tolist() == [1, 1, 1, 1]
    assert stepped.prefix_steps == 0


def test_environments_whose_episode_ended_are_led_while_the_others_stand_still() -> None:
    session, world = training(Lead(interface=WALK), Lead(program=BACK_OFF), size=2)
    while session.opened().lead == 0:
        choose(session, FORWARD, FORWARD)
    assert world.yaw.tolist() == [15, 15]  # the program came after the policy
    assert np.array_equal(world.z > 0, [True, True])
    before = world.z.copy()
    for _ in range(11):
        stepped = choose(session, 0, 0)
        assert stepped.lead == -1
    stepped = choose(session, 0, 0)  # the horizon of what is trained
    assert stepped.truncated.tolist() == [True, True]
    assert stepped.final_rows.tolist() == [0, 1]
    assert stepped.lead == 0
    assert stepped.mask.shape == (2, 3)
    # The new episodes have begun where the old ones had, and wait for the earlier policy.
    assert world.z.tolist() == [0, 0]
    assert (before > 0).all()
    spent = 0
    while stepped.lead == 0:
        stepped = choose(session, FORWARD, FORWARD)
        spent += stepped.prefix_steps
    assert spent > 2
    assert session.records.steps.tolist() == [0, 0]


def test_a_death_during_the_lead_ends_the_episode_in_the_first_decision() -> None:
    session, _ = training(Lead(interface=WALK), size=1)
    stepped = choose(session, SNEAK)
    assert stepped.lead == -1
    stepped = choose(session, 0)
    assert stepped.terminated.tolist() == [True]
    assert stepped.success.tolist() == [False]
    assert stepped.lead == 0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"autoreset": False}, "needs autoreset"),
        ({"lead": [Lead()]}, "a program or a policy's interface"),
        (
            {"lead": [Lead(interface=msgspec.structs.replace(WALK, observations=["x"]))]},
            "no observ",
        ),
    ],
)
def test_a_lead_without_autoreset_or_with_an_invalid_stage_is_refused(
    changes: dict[str, Any], said: str
) -> None:
    request = msgspec.structs.replace(opening(Lead(interface=WALK)), **changes)
    with pytest.raises(ValueError, match=said):
        Session(request, FakeWorld(4))


# ---- the learner

PARAMETERS = Hyperparameters(
    environments=8, decisions=16, minibatch=64, hidden=16, learning_rate=0.01, window=50
)
FAR = interface(
    observations=["facing"], actions=["noop", "forward"], macros=[], success=FACING, horizon=60
)


def spec_of(trained: Interface, **changes: Any) -> TrainingSpec:
    return TrainingSpec(
        **{
            "name": "dig",
            "task": task(),
            "interface": trained,
            "seeds": SeedRange(first=0, count=10_000),
            "budget": 4000,
            "stop_at": 0.9,
            **changes,
        }
    )


def walker(learner: Path) -> Policy:
    """A policy that goes forward nine times of ten, as a training would have left it."""
    spec = spec_of(FAR)
    spaces = Spaces(fields=[("facing", 3)], choices=["noop", "forward"])
    state = TrainingState(spaces, PARAMETERS, seed=0)
    with torch.no_grad():
        last = state.networks.actor[-1]
        assert isinstance(last, torch.nn.Linear)
        last.weight.zero_()
        last.bias.copy_(torch.tensor([0.0, 2.2]))
    folder = policy_folder(learner, "walk")
    save_spec(folder, spec)
    checkpoint.save(folder, state.checkpoint())
    return Policy(id="walk", checkpoint="learner/walk/checkpoint.pt")


class EnvServer:
    """Its services, over worlds of one dimension; ``far``: trees stand beyond the arm's reach."""

    def __init__(self) -> None:
        self.worlds: list[FakeWorld] = []
        self.sessions: dict[str, Session] = {}

    def __call__(self, service: Any, request: Any) -> Any:
        if service is OPEN:
            self.worlds.append(FakeWorld(request.size))
            self.sessions[request.session] = Session(request, self.worlds[-1])
            opened: Opened = self.sessions[request.session].opened()
            return opened
        if service is STEP:
            return self.sessions[request.session].step(np.asarray(request.choices))
        if service is ROLL_OUT:
            return self.sessions[request.session].roll_out(request)
        assert service is CLOSE
        return Closed(episodes=[])


def trained(learner: Path, spec: TrainingSpec, name: str = "dig") -> tuple[Any, EnvServer]:
    server = EnvServer()
    made = Training(
        policy=name,
        spec=spec,
        parameters=PARAMETERS,
        learner=learner,
        folder=policy_folder(learner, name),
        servers={"env_server": server},
        log=logging.getLogger("test"),
        warn=lambda problem: None,
    )
    return made.run(lambda progress: None), server


def test_a_training_begins_where_the_earlier_policy_ends(tmp_path: Path) -> None:
    lead = [LeadingStage(policy=walker(tmp_path))]
    # Trees are 5 or 6 metres away in half of the episodes; who only digs gets no log there.
    without, _ = trained(tmp_path, spec_of(DIG), "without")
    assert without.success_rate < 0.8
    assert without.prefix_samples == 0
    after, server = trained(tmp_path, spec_of(DIG, lead=lead))
    assert after.success_rate >= 0.9, after
    assert after.prefix_samples > 0
    # Every step of the world is in one of the two counts, but for those of the last episodes.
    steps = sum(world.stepped for world in server.worlds)
    assert steps == after.samples + after.prefix_samples


def test_a_leading_policy_that_is_deleted_or_does_not_fit_is_refused_in_a_sentence(
    tmp_path: Path,
) -> None:
    gone = [LeadingStage(policy=Policy(id="gone", checkpoint="learner/gone/checkpoint.pt"))]
    with pytest.raises(ServiceError, match="no policy 'gone'"):
        trained(tmp_path, spec_of(DIG, lead=gone))
    policy = walker(tmp_path)
    save_spec(policy_folder(tmp_path, "walk"), spec_of(WALK))  # not what it was trained on
    with pytest.raises(ServiceError, match="3 features and 2 choices; the session has"):
        trained(tmp_path, spec_of(DIG, lead=[LeadingStage(policy=policy)]))


def test_specs_without_a_lead_keep_their_seeds(tmp_path: Path) -> None:
    server = EnvServer()
    made = Training(
        policy="p",
        spec=spec_of(DIG),
        parameters=PARAMETERS,
        learner=tmp_path,
        folder=tmp_path / "p",
        servers={"env_server": server},
        log=logging.getLogger("test"),
        warn=lambda problem: None,
    )
    # Only what a spec had when the first policies were trained.
    told = msgspec.to_builtins(made.spec)
    first = ("name", "task", "interface", "prefix", "seeds", "budget", "stop_at")
    told = {name: value for name, value in told.items() if name in first}
    told["task"]["biome"] = "forest"  # the default before it could be left open
    del (
        told["interface"]["autocraft"],
        told["interface"]["memory"],
        told["interface"]["memory_size"],
    )
    del told["task"]["game"]
    for term in told["interface"]["rewards"]:
        del term["negatives"]
    assert seed_of(made.spec) == zlib.crc32(msgspec.json.encode(told))


# ---- the fast agent


def test_stages_before_are_the_prefix_up_to_the_first_policy_and_then_the_lead() -> None:
    find = Stage(sub_action=FIND, program=Program(name="find", source="", max_steps=9000))
    dig = SubAction(name="dig", method="rl", success=LOG)
    learned = Stage(sub_action=dig, policy=Policy(id="dig", checkpoint="learner/dig/checkpoint.pt"))
    answer = SpecAnswer(
        observations=["facing"], actions=["attack"], rewards=[], horizon=10, budget=100
    )
    agent: Any = SimpleNamespace(parameters=FastAgent.Parameters(), gamma=0.9, seed=0)

    def spec(before: list[Stage]) -> TrainingSpec:
        request = Implement(task=TASK, sub_action=dig, before=before, history=[])
        return training_spec(agent, request, answer, [])

    assert [program.name for program in spec([find, find]).prefix] == ["find", "find"]
    assert spec([find, find]).lead == []
    mixed = spec([find, learned, find])
    assert [program.name for program in mixed.prefix] == ["find"]
    policy, program = mixed.lead
    assert (policy.policy, policy.program) == (learned.policy, None)
    assert program.policy is None
    assert program.program is not None
    assert program.program.max_steps == 1000  # in a reset, no longer than that
