"""A guard by policy: its turns are a training's episodes, and what is trained plays in sessions."""

import logging
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch

from messages.program import Program
from messages.training import LeadingStage, Policy, Trained, TrainingSpec
from messages.world import (
    CLOSE,
    OPEN,
    STEP,
    Actor,
    Closed,
    Condition,
    Field,
    Gru,
    Guard,
    GuardReport,
    Interface,
    Lead,
    OpenSession,
    RewardTerm,
    SeedRange,
    SessionName,
    Step,
)
from models.actor import PlainActor, layer_of
from models.policy import NetworkShape, actor
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.env_server.session import Session
from nodes.env_server.session.players import Decider
from nodes.learner.checkpoints.exporting import actor_of, layers_of
from nodes.learner.training import Training
from tests.env_server.line_sessions import CHOP, LOG, choose, session, task
from tests.env_server.test_guards import HERE, guard
from tests.fake_world import FakeWorld

WALK = Program(
    name="walk",
    source="def action(obs):\n    while True:\n        obs = forward()\n",
    max_steps=500,
)
REWARDS = [RewardTerm(kind="step", weight=-1.0), RewardTerm(kind="success", weight=10.0)]
POLICY = Interface(
    observations=["facing", "time"],
    actions=["noop", "forward", "attack"],
    rewards=REWARDS,
    success=LOG,
    horizon=10,
    gamma=0.5,
)
NOOP, FORWARD, ATTACK = range(3)
AT_HALF = "def when(obs):\n    return obs.position[2] == 0.5\n"
LEAVE = Guard(name="leave", when=HERE, interface=POLICY, max_steps=10)
"""Where half a metre is walked, for three steps at most."""


def training(size: int = 1, guard: Guard = LEAVE, **changes: Any) -> Session:
    changes = {"guarded": [Lead(program=WALK)], "autoreset": True, **changes}
    return session(size, guard=guard, interface=guard.interface, **changes)[0]


def test_an_episode_of_a_guards_training_is_a_turn_and_programs_play_between_turns() -> None:
    """Two steps lead to the first turn. One step forward ends it: 10 - 1. Then the program walks on
    for the other 97 of the episode's 100 steps, and in the next episode two to the next turn."""
    playing = training()
    opened = playing.opened()
    assert (opened.prefix_steps, opened.waits) == (2, False)
    stepped = choose(playing, FORWARD)
    assert (stepped.steps.tolist(), stepped.reward.tolist()) == ([1], [9.0])
    assert (stepped.terminated.tolist(), stepped.success.tolist()) == ([True], [True])
    assert (stepped.final_lengths.tolist(), stepped.final_returns.tolist()) == ([1], [9.0])
    assert (stepped.prefix_steps, stepped.waits) == (97 + 2, False)
    assert (opened.begun, stepped.begun) == (1, 2)  # episodes of the world


def test_a_guards_training_counts_seeds_by_episodes_and_not_by_turns() -> None:
    always = "def when(obs):\n    return True\n"
    short = training(guard=msgspec.structs.replace(LEAVE, when=always, max_steps=2))
    short.opened()
    told = [choose(short, NOOP) for _ in range(6)]
    assert sum(len(each.final_rows) for each in told) > 1
    assert {each.begun for each in told} == {1}


def test_a_turn_ends_when_the_condition_holds_no_longer_or_its_steps_are_spent() -> None:
    playing = training()
    playing.opened()
    ends = [choose(playing, NOOP) for _ in range(3)]
    assert [each.terminated.tolist() for each in ends] == [[False], [False], [True]]
    assert ends[2].final_lengths.tolist() == [3]
    assert ends[2].final_returns.tolist() == [10 - 3]
    short = training(guard=msgspec.structs.replace(LEAVE, max_steps=2))
    short.opened()
    ends = [choose(short, NOOP) for _ in range(2)]
    assert [each.truncated.tolist() for each in ends] == [[False], [True]]
    # Its steps are spent where its condition holds: the stage has a step before the next turn.
    assert ends[1].success.tolist() == [False]
    assert ends[1].prefix_steps >= 1


def test_a_death_ends_a_turn_and_the_next_episode_begins_with_the_stages() -> None:
    deadly = msgspec.structs.replace(
        LEAVE, interface=msgspec.structs.replace(POLICY, actions=["sneak", "forward"])
    )
    playing = training(guard=deadly)
    playing.opened()
    stepped = choose(playing, 0)
    assert (stepped.terminated.tolist(), stepped.success.tolist()) == ([True], [False])
    assert (stepped.prefix_steps, stepped.waits) == (2, False)


def test_environments_whose_turn_has_not_come_are_waited_for() -> None:
    """The tree of the first environment is always three metres away, and a player cannot pass it:
    there the condition never holds, and nothing is decided in the others meanwhile."""
    far = msgspec.structs.replace(
        LEAVE, when="def when(obs):\n    return obs.position[2] > 2.5 and obs.steps < 2\n"
    )
    playing = training(4, guard=far)
    assert playing.opened().waits
    stepped = choose(playing, *[FORWARD] * 4)
    assert stepped.steps.tolist() == [0] * 4
    assert (stepped.prefix_steps, stepped.waits) == (200, True)


def test_other_guards_take_over_from_the_stages_between_turns() -> None:
    """The other one stands still for four steps where a quarter of a metre is walked: one step of
    the program, four of that guard and one more of the program lead to the first turn."""
    quarter = "def when(obs):\n    return obs.position[2] == 0.25 and obs.steps < 4\n"
    other = guard("stand", when=quarter)
    playing = training(guards=[other])
    assert (playing.opened().prefix_steps, playing.opened().waits) == (6, False)
    stepped = choose(playing, FORWARD)
    assert (stepped.steps.tolist(), stepped.reward.tolist()) == ([1], [9.0])
    (report,) = playing.guards()
    # The turn is one of 100 steps of the first episode; in the next one the other guard's came.
    assert (report.turns, report.steps, report.ended) == (2, 8, {"over": 2})
    assert stepped.prefix_steps == 100 - 6 - 1 + 6


def test_a_guard_in_training_waits_for_the_turn_of_another_and_takes_over_after_it() -> None:
    """Both conditions hold at half a metre; the other one's for three steps of its own."""
    own = msgspec.structs.replace(LEAVE, when=AT_HALF)
    playing = training(guard=own, guards=[guard("stand")])
    assert playing.opened().prefix_steps == 2 + 3
    stepped = choose(playing, NOOP)
    assert (stepped.steps.tolist(), stepped.prefix_steps) == ([1], 0)


def test_a_guarded_program_knows_of_the_steps_of_all_guards() -> None:
    """It turns where six steps have passed at once: three of the other guard's, two of the turn and
    its own."""
    source = (
        "def action(obs):\n    before = 0\n    while True:\n        obs = forward()\n"
        "        if obs.steps - before == 6:\n            turn(15)\n        before = obs.steps\n"
    )
    told = Program(name="counts", source=source, max_steps=500)
    playing, world = session(
        1,
        guard=msgspec.structs.replace(LEAVE, when=AT_HALF, max_steps=2),
        interface=POLICY,
        guarded=[Lead(program=told)],
        autoreset=True,
        guards=[guard("stand")],
    )
    playing.opened()
    world.actions.clear()
    choose(playing, NOOP)
    choose(playing, NOOP)
    turned = [int(action[0][4]) - 12 for action in world.actions]
    assert turned[:3] == [0, 0, 1]


def test_a_death_in_the_turn_of_another_guard_begins_the_next_episode() -> None:
    deadly = guard("stand", program=Program(name="s", source="def action(obs):\n    sneak()\n"))
    far = msgspec.structs.replace(
        LEAVE, when="def when(obs):\n    return obs.position[2] > 0.5 and obs.steps < 2\n"
    )
    playing = training(guard=far, guards=[deadly])
    opened = playing.opened()
    assert (opened.waits, opened.prefix_steps) == (True, 200)
    (report,) = playing.guards()
    # Each episode has two steps forward and the deadly one; the last turn has only begun.
    assert (report.turns, report.steps, report.ended) == (67, 66, {"death": 66})


@pytest.mark.parametrize("choice", [ATTACK, 3])
def test_a_guarded_policy_has_crafting_done_as_where_it_is_not_guarded(choice: int) -> None:
    """Five attacks, or the macro of them, bring a log. Then planks are crafted eight times after
    each decision, as this world never makes any."""
    planks = Condition(kind="have", name="planks")
    crafts = msgspec.structs.replace(POLICY, macros=[CHOP], success=planks, autocraft=True)
    crafts = msgspec.structs.replace(crafts, horizon=60)
    names = [*POLICY.actions, CHOP.name]
    made = plain(*(99.0 if each == choice else -99.0 for each in range(4)), choices=names)
    never = msgspec.structs.replace(LEAVE, when="def when(obs):\n    return False\n")
    told = task(success=planks)
    playing, guarded = session(
        1, guard=never, interface=POLICY, guarded=[Lead(interface=crafts, actor=made)],
        task=told, autoreset=True,
    )  # fmt: skip
    guarded.actions.clear()
    playing.opened()
    alone, world = session(1, interface=crafts, task=told)
    world.actions.clear()
    while sum(choose(alone, choice).steps):
        pass
    ours, theirs = ([int(each[0][5]) for each in one.actions] for one in (guarded, world))
    assert theirs[:14] == [3] * 5 + [4] * 8 + [3]
    assert ours[:60] == theirs[:60]


def test_a_guard_that_cannot_be_trained_is_refused() -> None:
    for wrong in ({"guarded": []}, {"prefix": [WALK]}, {"autoreset": False}):
        with pytest.raises(ValueError, match="a guard is trained with autoreset and stages"):
            training(**wrong)


# ---- its actor


def plain(*biases: float, choices: list[str] | None = None) -> Actor:
    """It likes choices by their biases, whatever it sees."""
    layer = layer_of(np.zeros((len(biases), 4)), np.array(biases))
    return Actor(
        fields=[Field(name="facing", size=3), Field(name="time", size=1)],
        choices=choices or POLICY.actions,
        layers=[layer],
    )


def test_a_policy_plays_its_turns_in_a_session() -> None:
    """It goes forward, which ends its turn at once."""
    playing, _ = session(2, interface=None)
    trained = msgspec.structs.replace(LEAVE, actor=plain(-99.0, 99.0, -99.0))
    program = msgspec.structs.replace(WALK, max_steps=8)
    steps, reports = playing.run_program(program, guards=[trained])
    assert (steps, reports[0].steps) == (16, 8)
    assert playing.guards() == [
        GuardReport(name="leave", turns=2, steps=2, episodes=2, ended={"over": 2})
    ]
    assert [episode.after.position[2] for episode in playing.episodes()] == [2.0, 2.0]


def test_a_trained_guard_makes_the_same_choices_in_any_batch() -> None:
    trained = msgspec.structs.replace(
        LEAVE,
        when="def when(obs):\n    return obs.position[2] >= 0.5 and obs.steps < 9\n",
        actor=plain(0.0, 0.1, 0.2),
    )
    program = msgspec.structs.replace(WALK, max_steps=30)
    together, _ = session(4, interface=None)
    together.run_program(program, guards=[trained])
    for seed in range(4):
        alone, _ = session(1, interface=None, seeds=SeedRange(first=seed, count=1))
        alone.run_program(program, guards=[trained])
        assert alone.episodes()[0].after == together.episodes()[seed].after


def test_each_turn_of_a_policy_in_an_episode_draws_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a turn that fails by an unlucky draw would fail in the same way each time."""
    began: list[tuple[int, int, int]] = []
    begin = Decider.begin

    def noted(self: Decider, row: int, seed: int, turn: int) -> np.random.Generator:
        began.append((row, seed, turn))
        return begin(self, row, seed, turn)

    monkeypatch.setattr(Decider, "begin", noted)
    always = "def when(obs):\n    return True\n"
    trained = msgspec.structs.replace(LEAVE, when=always, max_steps=2, actor=plain(99.0, 0.0, 0.0))
    playing, _ = session(1, interface=None)
    playing.run_program(msgspec.structs.replace(WALK, max_steps=9), guards=[trained])
    assert began == [(0, 0, 0), (0, 0, 1), (0, 0, 2)]


def test_a_macro_of_its_policy_is_ended_with_its_turn() -> None:
    macro = Program(
        name="stay",
        source="def action(obs):\n    while True:\n        obs = noop()\n",
        max_steps=50,
    )
    interface = msgspec.structs.replace(POLICY, actions=["noop"], macros=[macro])
    trained = msgspec.structs.replace(
        LEAVE,
        interface=interface,
        actor=plain(-99.0, 99.0, choices=["noop", "stay"]),
    )
    playing, _ = session(1, interface=None)
    playing.run_program(msgspec.structs.replace(WALK, max_steps=8), guards=[trained])
    assert playing.guards()[0].ended == {"over": 1}
    assert playing.guards()[0].steps == 3


def test_an_interrupted_macro_of_its_policy_goes_on_when_it_is_chosen_again() -> None:
    """It walks out with its third step, which a macro that began again would never come to."""
    macro = Program(
        name="walk_out",
        source="def action(obs):\n    noop()\n    noop()\n    forward()\n",
        max_steps=50,
        interrupt=1,
    )
    trained = msgspec.structs.replace(
        LEAVE,
        when="def when(obs):\n    return obs.position[2] == 0.5 and obs.steps < 20\n",
        interface=msgspec.structs.replace(POLICY, actions=["noop"], macros=[macro]),
        actor=plain(-99.0, 99.0, choices=["noop", "walk_out"]),
    )
    playing, _ = session(1, interface=None)
    playing.run_program(msgspec.structs.replace(WALK, max_steps=8), guards=[trained])
    report = playing.guards()[0]
    assert (report.steps, report.ended) == (3, {"over": 1})


def counting() -> Actor:
    """It does nothing in its first decision and goes forward in its second: it remembers
    tanh(1/2 + m), which is 0.46 and then 0.75."""
    gru = Gru(
        seen=layer_of(np.zeros((3, 1), np.float32), np.array([50, -50, 0.5], np.float32)),
        kept=layer_of(np.array([[0], [0], [1]], np.float32), np.zeros(3, np.float32)),
    )
    last = np.array([[0, -99], [0, 99], [0, 0]], np.float32)
    return Actor(
        fields=[Field(name="facing", size=3), Field(name="time", size=1)],
        choices=POLICY.actions,
        layers=[layer_of(np.zeros((1, 4), np.float32), np.zeros(1, np.float32))],
        memory=gru,
        after=[layer_of(last, np.array([60, -60, -99], np.float32))],
        greedy=True,
    )


def test_a_policy_remembers_within_its_turn_and_nothing_of_the_one_before() -> None:
    """Each turn takes two steps, the second of which ends it: it is over where it was forward."""
    trained = msgspec.structs.replace(
        LEAVE,
        when="def when(obs):\n    return obs.position[2] in (0.5, 1.0)\n",
        actor=counting(),
    )
    playing, _ = session(2, interface=None)
    playing.run_program(msgspec.structs.replace(WALK, max_steps=12), guards=[trained])
    assert playing.guards() == [
        GuardReport(name="leave", turns=4, steps=8, episodes=2, ended={"over": 4})
    ]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"after": []}, "at least one layer after it"),
        ({"memory": None}, "an actor without a memory has layers after it"),
        ({"layers": [layer_of(np.zeros((2, 4)), np.zeros(2))]}, "is shown 1 numbers, not 2"),
    ],
)
def test_an_actor_whose_memory_does_not_fit_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        PlainActor(msgspec.structs.replace(counting(), **changes))


@pytest.mark.parametrize(
    ("actor_", "said"),
    [
        (None, "its actor is missing"),
        (plain(0.0, 0.0, choices=["noop", "jump"]), "other choices"),
        (msgspec.structs.replace(plain(0.0, 0.0, 0.0), fields=[Field(name="time", size=4)]),
         "other observations"),
        (msgspec.structs.replace(plain(0.0, 0.0, 0.0), layers=[]), "at least one layer"),
    ],
)  # fmt: skip
def test_an_actor_with_other_choices_observations_or_no_layers_is_refused(
    actor_: Actor | None, said: str
) -> None:
    playing, _ = session(1, interface=None)
    with pytest.raises(ValueError, match=said):
        playing.run_program(WALK, guards=[msgspec.structs.replace(LEAVE, actor=actor_)])


@pytest.mark.parametrize("encoder", [0, 5])
def test_a_plain_actors_logits_equal_the_networks(encoder: int) -> None:
    generator = torch.Generator().manual_seed(3)
    shape = NetworkShape(hidden=8, encoder=encoder, fusion=6 if encoder else 0)
    network = actor([(3,), (1,)], 3, shape, generator)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 0.1 * torch.randn(parameter.shape, generator=generator)
    made = msgspec.structs.replace(plain(0.0, 0.0, 0.0), layers=layers_of(network))
    features = torch.randn(7, 4, generator=generator)
    ours = PlainActor(made).logits(features.numpy())
    assert np.allclose(ours, network(features).detach().numpy(), atol=1e-5)


# ---- its training


class Sessions:
    """An env server's services over fake worlds, without a bus."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        self.opened: list[OpenSession] = []

    def call(self, service: Any, request: Any) -> Any:
        return {OPEN: self._open, STEP: self._step, CLOSE: self._close}[service](request)

    def _open(self, request: OpenSession) -> Any:
        self.opened.append(request)
        made = self.sessions[request.session] = Session(request, FakeWorld(request.size))
        return made.opened()

    def _step(self, request: Step) -> Any:
        return self.sessions[request.session].step(np.array(request.choices))

    def _close(self, request: SessionName) -> Closed:
        return Closed(episodes=self.sessions.pop(request.session).episodes())


def spec(**changes: Any) -> TrainingSpec:
    """Only attacking five times in a row, which brings a log, ends the turn: what holds then."""
    guard = Guard(
        name="dig",
        when="def when(obs):\n    return obs.facing == 'wood' and 'log' not in obs.inventory\n",
        max_steps=40,
    )
    fields = {
        "name": "dig",
        "task": task(horizon=60),
        "interface": msgspec.structs.replace(POLICY, actions=["noop", "attack"], horizon=40),
        "seeds": SeedRange(first=0, count=1000),
        "budget": 12_000,
        "stop_at": 0.95,
        "guard": guard,
        "guarded": [LeadingStage(program=WALK)],
    }
    return TrainingSpec(**{**fields, **changes})


def train(folder: Path, told: TrainingSpec) -> tuple[Trained, Sessions]:
    sessions = Sessions()
    trained = Training(
        policy="goal/guard/train",
        spec=told,
        parameters=Hyperparameters(environments=8, learning_rate=5e-3),
        learner=folder,
        folder=folder / "goal+guard+train",
        servers={"env_server": sessions.call},
        log=logging.getLogger("test"),
        warn=lambda problem: None,
    ).run(lambda progress: None)
    return trained, sessions


def test_a_guard_is_trained_on_its_own_decisions(tmp_path: Path) -> None:
    trained, sessions = train(tmp_path, spec())
    assert trained.success_rate > 0.8
    assert 0 < trained.samples <= 12_000
    # What it interrupts is counted apart.
    assert trained.prefix_samples > 0
    assert sessions.opened[0].guard == spec().guard
    policy = Policy(id="goal/guard/train", checkpoint="")
    made = actor_of(tmp_path, policy)
    told = spec()
    assert told.guard is not None
    guard = msgspec.structs.replace(told.guard, interface=told.interface, actor=made)
    playing, _ = session(4, interface=None)
    playing.run_program(WALK, guards=[guard])
    assert [episode.ended for episode in playing.episodes()] == ["success"] * 4


def test_a_condition_that_never_holds_ends_the_training_with_the_reason(tmp_path: Path) -> None:
    never = Guard(name="never", when="def when(obs):\n    return False\n", max_steps=5)
    trained, _ = train(tmp_path, spec(guard=never, most=5_000))
    assert trained.samples == 0
    assert trained.reason == "the samples are spent on the stages that it interrupts"
    assert trained.prefix_samples <= 5_000
