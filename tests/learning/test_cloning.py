"""A policy that begins as a clone of programs: what is cloned, the term of the loss by hand, and
trainings that try their policy out."""

import logging
import math
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import pytest
import torch

from messages.bus import ServiceError
from messages.program import Program
from messages.training import Demonstrated, Tryouts
from messages.world import Condition, Field, Guard, Opened, OpenSession, SeedRange, Stepped
from models.cloning import faded, kl_to_clone
from nodes.learner.checkpoints import checkpoint
from nodes.learner.checkpoints.state import Spaces, TrainingState
from nodes.learner.ending.decline import fallen_below, has_fallen
from nodes.learner.optimising.cloning import Demonstrations
from nodes.learner.optimising.ppo import Ppo
from nodes.learner.training import Training
from nodes.learner.training_seed import seed_of
from tests.learning.corridor import Corridors, corridor_spec
from tests.learning.corridor_training import PARAMETERS, begin, collected, iterate

RUN = Program(name="run", source="", max_steps=4)
WALK = Program(name="walk", source="walk", max_steps=40)


def logs(*probabilities: float) -> torch.Tensor:
    return torch.tensor([[math.log(p) for p in probabilities]])


def test_the_divergence_from_the_clone_equals_one_computed_by_hand():
    """KL((1/2, 1/4, 1/4), (1/4, 1/4, 1/2)) = 1/2 log 2 + 0 - 1/4 log 2."""
    clone, policy = logs(0.5, 0.25, 0.25), logs(0.25, 0.25, 0.5)
    assert kl_to_clone(clone, policy).item() == pytest.approx(0.25 * math.log(2))
    assert kl_to_clone(clone, clone).item() == 0
    both = torch.cat([clone, clone]), torch.cat([policy, clone])
    assert kl_to_clone(*both).item() == pytest.approx(0.125 * math.log(2))  # the mean of two


def test_masked_choices_do_not_count_in_the_divergence_from_the_clone():
    lowest = torch.finfo(torch.float32).min
    clone = torch.tensor([[math.log(0.5), math.log(0.5), lowest]])
    policy = torch.tensor([[math.log(0.75), math.log(0.25), lowest]], requires_grad=True)
    divergence = kl_to_clone(clone, policy)
    assert divergence.item() == pytest.approx(0.5 * math.log(2 / 3) + 0.5 * math.log(2))
    divergence.backward()
    # The gradient of -sum p_clone log p: minus the clone's probabilities.
    assert policy.grad is not None
    assert policy.grad[0].tolist() == pytest.approx([-0.5, -0.5, 0.0])


@pytest.mark.parametrize(("samples", "left"), [(0, 0.8), (250, 0.6), (1000, 0.0), (9999, 0.0)])
def test_the_weight_of_cloning_fades_linearly(samples: int, left: float):
    assert faded(0.8, samples, 1000) == pytest.approx(left)


def last_layer(network: Any) -> Any:
    return network[-1]


def update(weight: float, hold: bool = True, **changes: object) -> tuple[TrainingState, float]:
    """One update of a policy that is held to another one, from a rollout that teaches nothing: what
    draws the other way is entropy."""
    session, collector, state = begin()
    rollout = collected(session, collector, state)
    rollout.reward[:] = 0
    other = TrainingState(state.spaces, PARAMETERS, seed=77)
    with torch.no_grad():
        last_layer(other.networks.actor).bias[:] = torch.tensor([0.0, 0.0, 3.0, 0.0])
    parameters = msgspec.structs.replace(PARAMETERS, entropy_bonus=0.1, target_kl=0.0, **changes)
    with torch.no_grad():  # values of 0: no decision was better than another
        last_layer(state.networks.critic).weight[:] = 0
    state.ppo = Ppo(state.networks, parameters, state.generator)
    if hold:
        state.ppo.clone = other.networks.actor
    state.ppo.update(rollout, to_clone=weight)
    features = torch.eye(14)
    with torch.no_grad():
        apart = kl_to_clone(
            other.networks.actor(features).log_softmax(-1),
            state.networks.actor(features).log_softmax(-1),
        )
    return state, apart.item()


def test_a_larger_cloning_weight_brings_the_policy_nearer_to_its_clone():
    none, apart = update(0.0)
    nearer, nearest = update(0.1)[1], update(1.0)[1]
    assert nearest < nearer < apart
    alone, unheld = update(1.0, hold=False)
    assert unheld == apart
    for name, weight in none.networks.actor.state_dict().items():
        assert torch.equal(weight, alone.networks.actor.state_dict()[name])


def test_only_the_critic_learns_while_the_clone_is_held():
    session, collector, state = begin()
    parameters = msgspec.structs.replace(PARAMETERS, clone_hold=1)
    state = TrainingState(state.spaces, parameters, seed=3)
    state.episodes.begin(8)
    state.keep_clone()
    before = {name: w.clone() for name, w in state.networks.state_dict().items()}
    iterate(session, collector, state, 1)
    after = state.networks.state_dict()
    assert all(torch.equal(after[n], w) for n, w in before.items() if n.startswith("actor"))
    assert any(not torch.equal(after[n], w) for n, w in before.items() if n.startswith("critic"))
    iterate(session, collector, state, 1)
    assert any(not torch.equal(after[n], w) for n, w in before.items() if n.startswith("actor"))


# ---- what is cloned


def fields(choices: int) -> list[Field]:
    return [
        Field(name="cell", size=1),
        Field(name="previous_choice", size=choices),
        Field(name="under_way", size=2),
    ]


def stepped(features, matched, steps, mask=None) -> Stepped:
    size = len(steps)
    width = features.shape[1] - 3
    none = np.zeros(size, bool)
    return Stepped(
        features=features.astype(np.float32),
        mask=np.ones((size, width), bool) if mask is None else mask,
        reward=np.zeros(size, np.float32),
        steps=np.array(steps),
        terminated=none,
        truncated=none,
        success=none,
        final_rows=np.zeros(0, np.int64),
        final_features=np.zeros((0, features.shape[1]), np.float32),
        final_returns=np.zeros(0, np.float32),
        final_lengths=np.zeros(0, np.int64),
        prefix_steps=0,
        matched=np.array(matched),
    )


def shown(cell: float, choices: int, previous: int, under_way=(0.0, 0.0)) -> list[float]:
    one_hot = [0.0] * choices
    if previous >= 0:
        one_hot[previous] = 1.0
    return [cell, *one_hot, *under_way]


def demonstrations(clone: list[Program], size: int, macros: list[Program]) -> Demonstrations:
    spec = corridor_spec()
    interface = msgspec.structs.replace(spec.interface, macros=macros)
    spec = msgspec.structs.replace(spec, interface=interface, clone=clone)
    count = 3 + len(macros)
    spaces = Spaces(
        fields=[(field.name, field.size) for field in fields(count)],
        choices=["left", "stay", "right", *(macro.name for macro in macros)],
    )
    return Demonstrations(spec, spaces, size)


def opened(rows: list[list[float]], choices: int) -> Opened:
    features = np.array(rows, np.float32)
    return Opened(
        fields=fields(choices),
        choices=[str(number) for number in range(choices)],
        features=features,
        mask=np.ones((len(rows), choices), bool),
        prefix_steps=0,
    )


def test_the_steps_of_a_program_that_is_no_macro_are_cloned():
    """Two environments of three play it; the first succeeds after right, something that the policy
    cannot do, and stay."""
    played = demonstrations([WALK], size=2, macros=[RUN])
    macros = played.interface.macros
    assert [macro.interrupt for macro in macros] == [None, 1]
    assert macros[1].source == "walk"
    assert played.choose(np.zeros(0), np.zeros(0)).tolist() == [4, 4]
    # The session has a fifth choice, and says that it is chosen each time and goes on.
    played.begin(opened([shown(0, 5, -1), shown(50, 5, -1)], 5))
    choices = np.array([4, 4])
    on = (1.0, 0.5)
    told_steps = ((1, [2, 1], [1, 1]), (2, [-1, 1], [1, 1]), (3, [1, 0], [1, 0]))
    # In the last one more was done than the program's own step, as by a guard.
    for cell, matched, steps in (*told_steps, (4, [0, 0], [3, 0])):
        rows = np.array([shown(cell, 5, 4, on), shown(50 + cell, 5, 4, on)])
        played.see(choices, stepped(rows, matched, steps))
    (trajectory,), told = played.trajectories(np.array([True, False]))
    assert trajectory.choices.tolist() == [2, 1]
    # It sees its own choices: none yet, and none after what it cannot do; nothing is under way.
    assert trajectory.features.tolist() == [shown(0, 4, -1), shown(2, 4, -1)]
    assert trajectory.mask.shape == (2, 4)
    assert told == [Demonstrated(program="walk", episodes=2, successes=1, decisions=2, steps=4)]


def test_masked_choices_are_not_cloned():
    played = demonstrations([WALK], size=1, macros=[])
    first = opened([shown(0, 4, -1)], 4)
    mask = first.mask.copy()
    mask[0, 2] = False
    played.begin(msgspec.structs.replace(first, mask=mask))
    played.see(np.array([3]), stepped(np.array([shown(1, 4, 3)]), [2], [1]))
    played.see(np.array([3]), stepped(np.array([shown(2, 4, 3)]), [2], [1]))
    (trajectory,), _ = played.trajectories(np.array([True]))
    assert trajectory.features[:, 0].tolist() == [1]
    assert trajectory.features[0].tolist() == shown(1, 3, 2)


def test_the_choice_of_a_macro_is_cloned():
    """Beside a program that is none, which another environment plays."""
    played = demonstrations([RUN, WALK], size=2, macros=[RUN])
    assert played.choose(np.zeros(0), np.zeros(0)).tolist() == [3, 4]
    played.begin(opened([shown(0, 5, -1), shown(50, 5, -1)], 5))
    for cell in (1, 2):
        rows = np.array([shown(cell, 5, 3, (1, 0.25)), shown(50, 5, 4)])
        played.see(np.array([3, 4]), stepped(rows, [2, 2], [4, 1]))
    (run, _walk), told = played.trajectories(np.array([True, True]))
    assert run.choices.tolist() == [3, 3]
    assert run.features.tolist() == [shown(0, 4, -1), shown(1, 4, 3, (1, 0.25))]
    assert [(each.program, each.decisions) for each in told] == [("run", 2), ("walk", 2)]


# ---- whole trainings


def training(folder, clone=(), tryouts=None, budget=1500, horizon=40, most=None, **changes):
    parameters = msgspec.structs.replace(PARAMETERS, clone_episodes=8, **changes)
    bus: Any = Corridors().call
    spec = msgspec.structs.replace(corridor_spec(budget=budget, stop_at=2.0), most=most)
    interface = msgspec.structs.replace(spec.interface, horizon=horizon)
    spec = msgspec.structs.replace(spec, interface=interface, clone=list(clone), tryouts=tryouts)
    return Training(
        policy="toy/train",
        spec=spec,
        parameters=parameters,
        learner=folder / "learner",
        folder=folder / "learner" / "toy+train",
        servers={"env_server": bus},
        log=logging.getLogger("test"),
        warn=logging.getLogger("test").error,
    )


WHOLLY = {"clone_until": 0.001, "clone_epochs": 2000}
TRYOUTS = Tryouts(seeds=SeedRange(first=7000, count=10), every=600)


@pytest.mark.parametrize("program", [RUN, WALK])
def test_a_clone_does_at_once_what_the_program_does(tmp_path, program):
    done = training(tmp_path, [program], TRYOUTS, horizon=14, **WHOLLY).run(lambda progress: None)
    (told,) = done.demonstrated
    assert (told.episodes, told.successes) == (8, 8)
    assert told.decisions == told.steps
    assert done.tryouts[0] == (0, 1.0)
    # 12 or 11 steps to the end, from cells 0 and 1, which are played in turn.
    tried = len(done.tryouts) * 10
    assert done.prefix_samples >= 8 * 11.5 + tried * 11
    # From nothing a policy is lost at first.
    bare = training(tmp_path / "bare", [], TRYOUTS, horizon=14).run(lambda progress: None)
    assert bare.demonstrated == []
    assert (done.clone_kl, done.clone_fade) == (PARAMETERS.clone_kl, PARAMETERS.clone_fade)
    assert (bare.clone_kl, bare.clone_fade) == (0.0, 0)
    assert bare.tryouts[0][1] < 0.9


def test_without_a_success_nothing_is_cloned(tmp_path):
    made = training(tmp_path, [WALK], horizon=5)  # too short for anybody
    done = made.run(lambda progress: None)
    assert done.demonstrated[0].successes == 0
    assert made.state is not None
    assert made.state.clone is None


def with_rates(made: Training, rates: list[float]) -> dict[int, dict]:
    """Tryouts come out as told; the weights that each was of, by samples."""
    seen: dict[int, dict] = {}
    left = list(rates)

    def try_out(state, room, check):
        seen[state.counters.samples] = {
            name: weight.clone() for name, weight in state.networks.state_dict().items()
        }
        state.tried(left.pop(0) if left else 0.0)

    made.side_sessions.try_out = try_out
    return seen


def test_a_training_that_falls_below_its_start_ends_with_its_best_weights(tmp_path):
    made = training(tmp_path, tryouts=TRYOUTS, budget=50_000)
    # Two of ten episodes less are chance, also twice in a row.
    rates = [0.6, 0.4, 0.8, 0.4, 0.4, 0.2, 0.2]
    seen = with_rates(made, list(rates))
    done = made.run(lambda progress: None)
    assert done.reason == "its tryouts fell to 0.20, below the 0.60 that it began with"
    assert [rate for _, rate in done.tryouts] == rates
    assert done.samples < 10_000
    best = done.tryouts[2][0]
    assert done.best == best
    found, _ = checkpoint.load(made.folder)
    assert found is not None
    for name, weight in found["networks"].items():
        assert torch.equal(weight, seen[best][name]), name
    assert any(not torch.equal(found["networks"][n], seen[done.samples][n]) for n in seen[best])


def test_a_last_tryout_decides_between_the_best_and_the_last_weights(tmp_path):
    made = training(tmp_path, tryouts=TRYOUTS, budget=1500)
    with_rates(made, [0.1, 0.5, 0.5, 0.5, 0.5])
    done = made.run(lambda progress: None)
    assert done.tryouts[-1][0] == done.samples == done.best  # of equals the later
    assert done.reason == "the budget is spent"


@pytest.mark.parametrize("overlap", [False, True])
def test_tryouts_leave_the_training_as_it_would_have_been(tmp_path, overlap):
    plain = training(tmp_path / "a", overlap=overlap).run(lambda progress: None)
    tried = training(tmp_path / "b", tryouts=TRYOUTS, overlap=overlap).run(lambda progress: None)
    assert tried.curve == plain.curve


def test_a_tryout_that_does_not_fit_is_left_out(tmp_path):
    made = training(tmp_path, tryouts=TRYOUTS, most=1500)
    done = made.run(lambda progress: None)
    assert done.samples + done.prefix_samples <= 1500
    assert len(done.tryouts) < 3


def test_samples_that_run_short_leave_room_for_the_last_tryout(tmp_path):
    """Else the weights of the first tryout would be kept, and what was learned since be lost."""
    made = training(tmp_path, tryouts=TRYOUTS, budget=4000, most=4000)
    with_rates(made, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    done = made.run(lambda progress: None)
    assert "its last tryout 400" in done.reason  # ten episodes of 40 steps
    assert done.tryouts[-1][0] == done.samples == done.best
    assert 0 < done.samples + done.prefix_samples <= 3600


def test_an_error_in_a_tryout_leaves_no_session_open(tmp_path):
    made = training(tmp_path, tryouts=TRYOUTS)
    corridors = Corridors()
    made.side_sessions._servers = {"env_server": corridors.call}
    asked = iter(range(5))

    def check() -> None:
        if any(name.endswith("/tryout") for name in corridors.sessions) and not next(asked, 0):
            raise ServiceError("cancelled")

    with pytest.raises(ServiceError, match="cancelled"):
        made.run(lambda progress: None, check)
    assert corridors.sessions == {}


def test_a_decline_is_more_than_chance() -> None:
    assert has_fallen(0.9, [0.5, 0.5], episodes=20)
    assert not has_fallen(0.9, [0.5, 0.9], episodes=20)
    # sqrt(0.825 * 0.175 / 20 * 0.5 * 1.5) = 0.074: the mean must be 0.184 below.
    assert not has_fallen(0.9, [0.75, 0.75], episodes=20)
    # sqrt(0.45 * 0.55 / 20 * 0.5 * 1.5) = 0.096, of forty later episodes; one tryout is no fall.
    assert has_fallen(0.6, [0.3, 0.3], episodes=20)
    assert not has_fallen(0.6, [0.2], episodes=20)
    assert has_fallen(0.9, [0.75, 0.75], episodes=200)
    assert not has_fallen(0.0, [0.0, 0.0], episodes=20)


def test_the_last_half_of_the_tryouts_is_compared_with_what_was_there_before() -> None:
    assert fallen_below([0.6, 0.8, 0.3, 0.3], 20) == "the 0.60 that it began with"
    # A smaller fall shows when it has lasted.
    for count in (2, 4):
        assert fallen_below([0.6, *[0.37] * count], 20) == ""
    assert fallen_below([0.6, *[0.37] * 6], 20) == "the 0.60 that it began with"
    assert fallen_below([0.6, *[0.37] * 4, 0.7, 0.37], 20) == ""


def test_a_training_that_falls_below_its_best_tryout_has_fallen_too() -> None:
    assert fallen_below([0.3, 0.9, 0.35], 20) == ""  # one may be chance
    assert fallen_below([0.3, 0.9, 0.35, 0.35], 20) == "the 0.90 of the best of them"
    # The best of several is so partly by luck: less than four errors below it is no fall.
    assert has_fallen(0.7, [0.4, 0.4], episodes=20)
    assert fallen_below([0.3, 0.5, 0.7, 0.4, 0.4], 20) == ""
    # Of equal ones the newest is the best: a single tryout after it may be chance.
    assert fallen_below([0.5, 0.9, 0.6, 0.9, 0.2], 20) == ""
    assert fallen_below([], 20) == ""


def test_few_trainings_that_get_no_worse_are_ended_and_most_that_fall() -> None:
    def ended(before: float, later: float) -> float:
        """The share of trainings of 40 tryouts that are ended. A seed's own chance to succeed is
        drawn from a distribution that makes two tryouts' rates correlate by one half."""
        draws, trainings, episodes = np.random.default_rng(0), 300, 20
        first, rest = (np.sort(draws.beta(p, 1 - p, 10_000)) for p in (before, later))
        found = 0
        for _ in range(trainings):
            ranks = draws.integers(len(first), size=episodes)
            chances = np.array([first[ranks], *[rest[ranks]] * 40])
            rates = (draws.random(chances.shape) < chances).mean(axis=1).tolist()
            found += any(fallen_below(rates[:count], episodes) for count in range(2, 42))
        return found / trainings

    assert max(ended(rate, rate) for rate in (0.3, 0.6, 0.9)) < 0.08
    assert ended(0.6, 0.4) > 0.55
    assert ended(0.6, 0.3) > 0.85


def test_tryouts_and_demonstrations_have_the_guards_of_the_training(tmp_path):
    made = training(tmp_path, [RUN], TRYOUTS)
    guard = Guard(name="wait", when="False", program=WALK, max_steps=3)
    opened: dict[str, list[str]] = {}

    class Guarded(Corridors):
        def open(self, request: OpenSession) -> Opened:
            opened[request.session] = [each.name for each in request.guards]
            return super().open(request)

    guarded = Training(
        policy="toy/train",
        spec=msgspec.structs.replace(made.spec, guards=[guard]),
        parameters=made.parameters,
        learner=tmp_path / "learner",
        folder=tmp_path / "learner" / "toy+train",
        servers={"env_server": Guarded().call},
        log=logging.getLogger("test"),
        warn=logging.getLogger("test").error,
    )
    guarded.run(lambda progress: None)
    assert set(opened) >= {"toy/train", "toy/train/tryout", "toy/train/demonstration"}
    assert all(guards == ["wait"] for guards in opened.values())


def test_long_tryouts_are_made_less_often(tmp_path):
    """At most a third of the steps is for tryouts."""
    tryouts = Tryouts(seeds=SeedRange(first=7000, count=10), every=1)
    made = training(tmp_path, tryouts=tryouts, budget=3000)
    done = made.run(lambda progress: None)
    at = [samples for samples, _ in done.tryouts]
    assert len(at) > 2
    assert done.prefix_samples / len(at) > 100  # a tryout of ten episodes
    assert all(after - before > 200 for before, after in pairwise(at[:-1]))
    state = checkpoint.load(made.folder)[0]
    assert state is not None
    assert state["tryout_steps"] > 100


def test_a_resumed_training_is_held_to_the_same_clone(tmp_path):
    made = training(tmp_path, [RUN], TRYOUTS)
    made.run(lambda progress: None)
    found, _ = checkpoint.load(made.folder)
    assert found is not None
    assert made.state is not None
    resumed = TrainingState(made.state.spaces, made.parameters, seed=1, checkpoint=found)
    assert resumed.tryouts == made.state.tryouts
    assert resumed.demonstrated == made.state.demonstrated
    assert resumed.best is not None
    assert made.state.best is not None
    assert resumed.best.samples == made.state.best.samples
    assert resumed.clone is not None
    assert made.state.clone is not None
    assert resumed.ppo.clone is resumed.clone.actor
    for name, weight in made.state.clone.state_dict().items():
        assert torch.equal(weight, resumed.clone.state_dict()[name])


def test_new_spec_fields_do_not_change_seeds(tmp_path):
    """The same training as before there were clones, tryouts and interruptions."""
    plain = training(tmp_path)
    assert seed_of(training(tmp_path, tryouts=TRYOUTS).spec) == seed_of(plain.spec)
    assert seed_of(training(tmp_path, [RUN]).spec) != seed_of(plain.spec)
    assert b"interrupt" in msgspec.json.encode(plain.spec)
    condition = Condition(kind="near", name="door")
    assert plain.spec.interface.success == condition
    assert seed_of(plain.spec) == 1_360_003_338
