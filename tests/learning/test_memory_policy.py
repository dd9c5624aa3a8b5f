"""A policy with a memory: hidden states and advantages by hand over an end in mid-sequence, what
carries the memory, and that it learns what needs one."""

import logging
import math
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch
from torch import Tensor, nn

from messages.bus import ServiceError
from messages.training import Act, Policy, Trained, TrainingSpec
from messages.world import OPEN, OpenSession, SeedRange
from models.actor import PlainActor
from models.distribution import MaskedCategorical
from models.memory import MemoryNetwork, Remembering
from models.policy import ActorCritic, NetworkShape
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.acting import play
from nodes.learner.checkpoints import checkpoint
from nodes.learner.checkpoints.exporting import actor_of
from nodes.learner.checkpoints.policies import policy_folder, save_spec
from nodes.learner.checkpoints.state import Spaces, TrainingState, stored_networks
from nodes.learner.collecting.rollout import Collector, Rollout
from nodes.learner.collecting.session import TrainingSession
from nodes.learner.collecting.session_plan import SessionPlan
from nodes.learner.deciding import Deciding
from nodes.learner.optimising.cloning import clone
from nodes.learner.optimising.imitation import Trajectory
from nodes.learner.optimising.sequence_ppo import SequencePpo
from nodes.learner.optimising.sequences import Sequences
from nodes.learner.training import Training
from nodes.learner.training_seed import seed_of
from rlgpt.composing.spec_file import read_spec_file, training_spec
from rlgpt.refused import Refused
from tests.learning.corridor import Corridors, corridor_spec
from tests.learning.cue_world import CHOICES, Cues, CueSession, cue_spec

GRU = {"memory": "gru", "memory_size": 8}
PARAMETERS = Hyperparameters(
    environments=16, hidden=16, checkpoint_seconds=0.0, reward_scale=1.0, learning_rate=3e-3
)


def remembers(scale: float) -> MemoryNetwork:
    """One number is seen and remembered: m' = tanh(x + scale m), and the output is m'."""
    cell, last = nn.GRUCell(1, 1), nn.Linear(2, 1)
    with torch.no_grad():
        cell.weight_ih[:, 0] = torch.tensor([0.0, 0.0, 1.0])
        cell.weight_hh[:, 0] = torch.tensor([0.0, 0.0, scale])
        cell.bias_ih[:] = torch.tensor([50.0, -50.0, 0.0])  # all of the old is read, none is kept
        cell.bias_hh[:] = 0
        last.weight[0] = torch.tensor([0.0, 1.0])
        last.bias[:] = 0
    return MemoryNetwork(nn.Sequential(), cell, nn.Sequential(last))


def column(*numbers: float) -> Tensor:
    return torch.tensor(numbers).unsqueeze(1)


def four_decisions() -> Rollout:
    """Of one environment. A macro of three steps, then the horizon ends the episode; the next one
    begins with the third decision. 0.5 was remembered when the rollout began."""
    return Rollout(
        features=column(0.1, 0.2, 0.3, 0.4, 0.5).unsqueeze(-1),
        mask=torch.ones(4, 1, 1, dtype=torch.bool),
        choices=torch.zeros(4, 1, dtype=torch.int64),
        log_probs=torch.zeros(4, 1),
        reward=column(1.0, 2.0, 3.0, 4.0),
        steps=column(3, 1, 1, 2).long(),
        terminated=column(0, 0, 0, 0).bool(),
        truncated=column(0, 1, 0, 0).bool(),
        final_at=torch.tensor([[1, 0]]),
        final_features=torch.tensor([[0.6]]),
        episodes=[],
        prefix_steps=0,
        memory=torch.tensor([[0.5, 0.5]]),
    )


def by_hand(sequence: int) -> SequencePpo:
    networks = ActorCritic([(1,)], 1, NetworkShape(memory=1))
    networks.actor, networks.critic = remembers(2.0), remembers(1.0)
    parameters = msgspec.structs.replace(
        PARAMETERS,
        gamma=0.5,
        gae_lambda=0.8,
        normalise_advantages=False,
        sequence=sequence,
    )
    return SequencePpo(networks, parameters, torch.Generator())


def test_advantages_over_an_end_within_a_sequence_equal_those_computed_by_hand() -> None:
    batch, _ = by_hand(sequence=16)._batch(four_decisions())
    v0 = math.tanh(0.1 + 0.5)
    v1 = math.tanh(0.2 + v0)
    final = math.tanh(0.6 + v1)  # the old episode goes on in what is remembered of it
    v2 = math.tanh(0.3)  # the new one begins with nothing
    v3 = math.tanh(0.4 + v2)
    v4 = math.tanh(0.5 + v3)
    a1 = 2 + 0.5 * final - v1  # a time limit: what follows counts, the trace ends
    a0 = 1 + 0.5**3 * v1 - v0 + 0.5**3 * 0.8 * a1
    a3 = 4 + 0.5**2 * v4 - v3
    a2 = 3 + 0.5 * v3 - v2 + 0.5 * 0.8 * a3
    assert batch["advantage"].flatten().tolist() == pytest.approx([a0, a1, a2, a3], abs=1e-6)
    targets = [a0 + v0, a1 + v1, a2 + v2, a3 + v3]
    assert batch["value_target"].flatten().tolist() == pytest.approx(targets, abs=1e-6)


@pytest.mark.parametrize("sequence", [1, 2, 3, 4, 16])
def test_memories_of_an_update_equal_those_computed_by_hand_for_any_sequence_length(
    sequence: int,
) -> None:
    """The actor remembers m' = tanh(x + 2 m); its one output is m'."""
    ppo = by_hand(sequence)
    batch, _ = ppo._batch(four_decisions())
    m0 = math.tanh(0.1 + 2 * 0.5)
    m1 = math.tanh(0.2 + 2 * m0)
    m2 = math.tanh(0.3)
    m3 = math.tanh(0.4 + 2 * m2)
    told: dict[float, float] = {}
    for minibatch in ppo._minibatches(batch, size=2):
        seen = minibatch["features"].flatten().tolist()
        told |= dict(zip(seen, minibatch["actor_outputs"].flatten().tolist(), strict=True))
    by_feature = {round(feature, 1): output for feature, output in told.items()}
    expected = {0.1: m0, 0.2: m1, 0.3: m2, 0.4: m3}
    assert by_feature == {at: pytest.approx(value, abs=1e-6) for at, value in expected.items()}


def test_sequences_of_a_rollout_are_of_one_environment_each() -> None:
    begins = torch.zeros(5, 2, dtype=torch.bool)
    begins[3, 1] = True
    cut = Sequences.of(begins, 2)
    ways = [cut.at[cut.there[:, s], s].tolist() for s in range(cut.at.shape[1])]
    assert ways == [[0, 2], [1, 3], [4, 6], [5, 7], [8], [9]]  # flat: 2 * decision + environment
    assert cut.begins[cut.there].sum() == 1
    assert cut.begins[1, 3]


def minibatches(decisions: int, environments: int, minibatch: int) -> list[int]:
    """The decisions in each minibatch of one epoch."""
    shape = (decisions, environments)
    nothing = torch.zeros(shape)
    rollout = Rollout(
        features=torch.zeros(decisions + 1, environments, 1),
        mask=torch.ones(*shape, 1, dtype=torch.bool),
        choices=torch.zeros(shape, dtype=torch.int64),
        log_probs=nothing,
        reward=nothing,
        steps=torch.ones(shape, dtype=torch.int64),
        terminated=nothing.bool(),
        truncated=nothing.bool(),
        final_at=torch.zeros(0, 2, dtype=torch.int64),
        final_features=torch.zeros(0, 1),
        episodes=[],
        prefix_steps=0,
        memory=torch.zeros(environments, 2),
    )
    ppo = by_hand(sequence=16)
    ppo.parameters = msgspec.structs.replace(ppo.parameters, minibatch=minibatch)
    batch, _ = ppo._batch(rollout)
    parts = ppo._minibatches(batch, ppo._minibatch_size(rollout.decisions))
    return [len(part) for part in parts]


@pytest.mark.parametrize(
    ("decisions", "environments", "minibatch", "expected"),
    [
        (1, 64, 256, [16] * 4),  # long macros: a rollout may be shorter than a sequence
        (4, 64, 256, [64] * 4),
        (16, 64, 256, [256] * 4),
        (16, 9, 256, [48, 32, 32, 32]),  # as even as whole sequences allow
        (16, 8, 16, [16] * 8),
        (1000, 1, 0, [1000]),
        (20, 64, 0, [1280]),
    ],
)
def test_an_epoch_has_as_many_minibatches_as_without_a_memory(
    decisions: int, environments: int, minibatch: int, expected: list[int]
) -> None:
    assert minibatches(decisions, environments, minibatch) == expected


# ---- what was remembered in the rollout is what the update begins with


def collected(spec: TrainingSpec, decisions: int, sequence: int) -> tuple[TrainingState, Rollout]:
    """The second rollout of a new policy: some episodes have begun before it."""
    session = TrainingSession(
        Corridors().call, SessionPlan(name="toy", spec=spec, gamma=0.99, size=6)
    )
    opened = session.open(0)
    spaces = Spaces.of(opened)
    collector = Collector(size=6, features=14, choices=4, decisions=decisions)
    collector.begin(opened)
    parameters = msgspec.structs.replace(PARAMETERS, sequence=sequence, environments=6)
    state = TrainingState(spaces, parameters, seed=3, memory=8)
    with torch.no_grad():  # choices that depend on what is remembered
        state.networks.actor.after[-1].weight.mul_(200)
    state.begin(6)
    for _ in range(2):
        rollout = collector.collect(
            session.step, state.player, state.generator, lambda *_: True, state.device
        )
    return state, rollout


@pytest.mark.parametrize("sequence", [3, 16])
def test_an_update_begins_with_the_probabilities_of_the_rollout(sequence: int) -> None:
    state, rollout = collected(corridor_spec(), decisions=31, sequence=sequence)
    done = rollout.terminated | rollout.truncated
    assert done[:-1].any()  # episodes end inside
    assert rollout.memory is not None
    assert rollout.memory.abs().sum(1).gt(0).any()
    batch, _ = state.ppo._batch(rollout)
    seen = 0
    for minibatch in state.ppo._minibatches(batch, size=40):
        policy = MaskedCategorical(minibatch["actor_outputs"], minibatch["mask"])
        torch.testing.assert_close(
            policy.log_prob(minibatch["action"]), minibatch["action_log_prob"]
        )
        seen += len(minibatch)
    assert seen == rollout.decisions
    statistics = state.ppo.update(rollout)
    assert statistics.entropy > 0
    assert math.isfinite(statistics.loss_critic)


def test_the_clone_keeps_a_memory_of_its_own_over_rollouts() -> None:
    """It is asked about two rollouts of an untrained policy's, and says what it says step by step
    in the same episodes."""
    spec = corridor_spec()
    session = TrainingSession(
        Corridors().call, SessionPlan(name="toy", spec=spec, gamma=0.99, size=4)
    )
    opened = session.open(0)
    collector = Collector(size=4, features=14, choices=4, decisions=25)
    collector.begin(opened)
    state = TrainingState(Spaces.of(opened), PARAMETERS, seed=3, memory=8)
    state.begin(4)
    other = TrainingState(Spaces.of(opened), PARAMETERS, seed=9, memory=8)
    state.ppo.clone = other.networks.actor
    alone = Remembering(other.networks.actor)
    alone.begin(4)
    for _ in range(2):
        rollout = collector.collect(
            session.step, state.player, state.generator, lambda *_: True, state.device
        )
        batch, _ = state.ppo._batch(rollout)
        with torch.no_grad():
            told = state.ppo._clone_log_probs(rollout, batch).reshape(25, 4, 4)
            for t in range(25):
                expected = MaskedCategorical(alone(rollout.features[t]), rollout.mask[t])
                torch.testing.assert_close(told[t], expected.log_probs)
                done = rollout.terminated[t] | rollout.truncated[t]
                alone.forget(done.nonzero().flatten().tolist())


# ---- learning


def training(folder: Path, world: Cues, spec: TrainingSpec) -> Training:
    made = Training(
        policy="cue",
        spec=spec,
        parameters=PARAMETERS,
        learner=folder,
        folder=policy_folder(folder, "cue"),
        servers={"env_server": world.call},
        log=logging.getLogger("test"),
        warn=logging.getLogger("test").error,
    )
    save_spec(made.folder, spec)
    return made


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Trained]:
    folder = tmp_path_factory.mktemp("learner")
    return folder, training(folder, Cues(), cue_spec(**GRU)).run(lambda progress: None)


def test_a_policy_with_a_memory_learns_a_task_that_needs_one(learned: tuple[Path, Trained]) -> None:
    _, trained = learned
    assert trained.success_rate >= 0.97, trained.curve[-1]
    assert trained.samples < 20_000


def test_a_policy_without_a_memory_does_not_learn_a_task_that_needs_one(tmp_path: Path) -> None:
    trained = training(tmp_path, Cues(), cue_spec(budget=10_000)).run(lambda progress: None)
    assert trained.reason == "the budget is spent"
    assert trained.success_rate < 0.7


def test_an_acting_policy_uses_its_memory(learned: tuple[Path, Trained]) -> None:
    folder, trained = learned
    world = Cues()
    spec = cue_spec(**GRU)
    seeds = SeedRange(first=50_000, count=64)
    world.open(OpenSession(session="s", task=spec.task, size=64, seeds=seeds))
    play(
        world.call,
        Act(session="s", policy=trained.policy),
        spec=spec,
        folder=policy_folder(folder, "cue"),
        learner=folder,
        greedy=True,
        warn=pytest.fail,
    )
    assert world.succeeded >= 62


def test_each_play_begins_with_an_empty_memory(learned: tuple[Path, Trained]) -> None:
    found = checkpoint.read(policy_folder(learned[0], "cue") / checkpoint.NAME)
    deciding = Deciding(stored_networks(found).actor, torch.Generator(), greedy=True)
    mask = np.ones((2, 2), bool)
    shown = np.array([[-1.0, 0.0], [1.0, 0.0]], np.float32)
    blank = [np.array([[0.0, time / 4]] * 2, np.float32) for time in (1, 2, 3)]
    for _ in range(2):
        deciding.begin(2)
        for features in (shown, *blank):
            chosen = deciding.choose(features, mask)
        assert chosen.tolist() == [0, 1]
        shown = shown[::-1].copy()
        deciding.begin(2)
        for features in (shown, *blank):
            chosen = deciding.choose(features, mask)
        assert chosen.tolist() == [1, 0]
        shown = shown[::-1].copy()


def test_the_plain_actor_of_a_policy_with_a_memory_gives_the_learners_logits(
    learned: tuple[Path, Trained],
) -> None:
    """The same logits without torch, over three decisions."""
    folder, trained = learned
    found = checkpoint.read(policy_folder(folder, "cue") / checkpoint.NAME)
    network = stored_networks(found).actor
    assert isinstance(network, MemoryNetwork)
    theirs = Remembering(network)
    theirs.begin(1)
    plain = PlainActor(actor_of(folder, trained.policy))
    memory = plain.blank()
    assert memory.shape == (8,)
    for features in ([1.0, 0.0], [0.0, 0.25], [0.0, 0.5]):
        with torch.no_grad():
            expected = theirs(torch.tensor([features]))[0]
        ours = plain.logits(np.array(features, np.float32), memory)
        np.testing.assert_allclose(ours, expected.numpy(), atol=1e-5)
    assert np.abs(memory).max() > 0.1
    first = plain.logits(np.array([1.0, 0.0], np.float32))
    assert np.array_equal(first, plain.logits(np.array([1.0, 0.0], np.float32), plain.blank()))


def test_a_checkpoint_keeps_the_size_and_a_start_has_to_have_the_same(
    learned: tuple[Path, Trained], tmp_path: Path
) -> None:
    folder, trained = learned
    found = checkpoint.read(policy_folder(folder, "cue") / checkpoint.NAME)
    resumed = TrainingState(Spaces(fields=[], choices=[]), PARAMETERS, 0, checkpoint=found)
    assert resumed.shape.memory == 8
    resumed.begin(3)
    assert isinstance(resumed.player, Remembering)
    assert resumed.player.memory.shape == (3, 16)  # the actor's and the critic's
    start = Policy(
        id="cue", checkpoint=str(policy_folder(folder, "cue").resolve() / checkpoint.NAME)
    )
    other = msgspec.structs.replace(cue_spec(), start=start)
    with pytest.raises(ServiceError, match="which remembers 8 numbers where the spec has 0"):
        training(tmp_path, Cues(), other).run(lambda progress: None)
    assert trained.policy.id == "cue"


def test_a_memory_changes_the_seed_of_a_training_and_an_unused_size_does_not() -> None:
    """A spec without one keeps its seed, whatever size it does not have."""
    plain = cue_spec()
    assert seed_of(plain) == seed_of(cue_spec(memory_size=7))
    assert seed_of(plain) != seed_of(cue_spec(**GRU))


class Turns:
    """Earlier policies that lead to a training: when the turn of which began, and who chose."""

    def __init__(self) -> None:
        self.lead: list[Any] = []
        self.calls: list[tuple[str, int]] = []

    def begin(self, number: int, environments: int) -> None:
        self.calls.append(("begin", number))

    def choose(self, number: int, features: Any, mask: Any) -> Any:
        self.calls.append(("choose", number))
        return np.zeros(len(features), np.int64)


def test_an_earlier_policy_begins_each_reset_with_an_empty_memory() -> None:
    """Two policies lead on in the resets, twice."""
    spec = cue_spec()
    session = CueSession(
        OpenSession(session="s", task=spec.task, size=2, seeds=spec.seeds, autoreset=True)
    )
    leads = iter([0, 0, 1, -1, 0, 1, -1])

    def call(service: Any, request: Any) -> Any:
        if service is OPEN:
            return msgspec.structs.replace(session.opened(), lead=next(leads))
        return msgspec.structs.replace(session.step(request.choices), lead=next(leads))

    turns: Any = Turns()
    plan = SessionPlan(name="s", spec=spec, gamma=0.99, size=2, leaders=turns)
    led = TrainingSession(call, plan)
    led.open(0)
    one = [("begin", 0), ("choose", 0), ("choose", 0), ("begin", 1), ("choose", 1)]
    assert turns.calls == one
    led.step(np.zeros(2, np.int64))
    assert turns.calls[len(one) :] == [("begin", 0), ("choose", 0), ("begin", 1), ("choose", 1)]


def test_a_spec_file_may_name_a_memory_and_its_size(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "docs" / "examples" / "train" / "harvest_log.yaml"
    plain = read_spec_file(example)
    assert plain.memory == "none"
    file = tmp_path / "mine.yaml"
    file.write_text(f"{example.read_text()}memory: gru\nmemory_size: 32\n")
    spec = read_spec_file(file)
    made = training_spec(spec, example, cue_spec().task, seed=0, gamma=0.99)
    assert (made.interface.memory, made.interface.memory_size) == ("gru", 32)
    file.write_text(f"{example.read_text()}memory: lstm\n")
    with pytest.raises(Refused, match="`memory`: it cannot be 'lstm'"):
        read_spec_file(file)


# ---- cloning


def shown_once(cue: int) -> Trajectory:
    features = torch.tensor([[2.0 * cue - 1.0, 0.0], [0.0, 0.25], [0.0, 0.5], [0.0, 0.75]])
    return Trajectory(features, torch.ones(4, 2, dtype=torch.bool), torch.full((4,), cue))


@pytest.mark.parametrize(("memory", "copied"), [(8, True), (0, False)])
def test_choices_that_need_a_memory_are_cloned_only_by_a_policy_with_one(
    memory: int, copied: bool
) -> None:
    """Left all the way, or right, by what the first decision saw: what comes after it is even for
    a policy that has forgotten it."""
    spaces = Spaces(fields=[("cue", 1), ("time", 1)], choices=CHOICES)
    state = TrainingState(spaces, PARAMETERS, seed=1, memory=memory)
    options: dict[str, Any] = {"epochs": 150, "minibatch": 16, "learning_rate": 1e-2}
    loss = clone(
        state.networks,
        [shown_once(number % 2) for number in range(16)],
        state.generator,
        until=0.02,
        **options,
    )
    assert (loss <= 0.05) is copied
    if not copied:  # log 2 in three of four decisions
        assert loss >= 0.7 * math.log(2)


def test_pictures_go_through_their_encoder_before_the_memory() -> None:
    generator = torch.Generator().manual_seed(0)
    shape = NetworkShape(hidden=16, memory=4)
    networks = ActorCritic([(2,), (3, 36, 36)], 3, shape, generator)
    features = torch.rand(5, 2, 2 + 3 * 36 * 36)
    together, _ = networks.actor.unroll(
        features, torch.zeros(2, 4), torch.zeros(5, 2, dtype=torch.bool)
    )
    remembering = networks.remembering()
    assert remembering is not None
    remembering.begin(2)
    for t in range(5):
        torch.testing.assert_close(remembering(features[t]), together[t])
