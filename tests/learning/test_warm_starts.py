"""Training that begins from another policy, PPO's published switches, the learner's profiles."""

import shutil
from pathlib import Path

import msgspec
import pytest
import torch
import yaml

from messages.bus import ServiceError
from messages.program import Program
from messages.training import LeadingStage, Policy, TrainingSpec
from messages.world import Guard, RewardTerm
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.fast_agent.learning.warm_starts import same_interface
from nodes.learner.checkpoints import checkpoint
from nodes.learner.checkpoints.policies import folder_of, load_spec
from nodes.learner.checkpoints.state import Spaces, TrainingState, stored_networks
from nodes.learner.optimising.ppo import Ppo
from nodes.learner.training_seed import seed_of
from tests.learning.corridor import Corridors, corridor_spec
from tests.learning.corridor_training import PARAMETERS, begin, collected, training

ROOT = Path(__file__).parents[2]
LAST_DECISION = PARAMETERS.environments * 4  # the macro's steps: it may overrun the budget


def trained_corridor(folder):
    made = training(folder, Corridors(), corridor_spec(budget=8000, stop_at=2.0))
    return made.run(lambda progress: None), made.folder


def test_training_begins_from_the_policy_and_counts_only_what_is_new(tmp_path):
    first, folder = trained_corridor(tmp_path / "first")
    start = Policy(id="skill/corridor", checkpoint=str(folder / checkpoint.NAME))
    spec = corridor_spec(budget=2000, stop_at=2.0)

    warm = training(tmp_path / "warm", Corridors(), msgspec.structs.replace(spec, start=start))
    seen = []
    warmed = warm.run(seen.append)
    cold = training(tmp_path / "cold", Corridors(), spec).run(lambda progress: None)
    assert warmed.samples == warmed.curve[-1][0] < 2000 + LAST_DECISION
    assert first.samples > 2000

    def samples_to_good(trained):
        return next(samples for samples, rate in trained.curve if rate >= 0.7)

    assert samples_to_good(warmed) < samples_to_good(cold)
    # Its own checkpoint stands without the one that it began from.
    kept = checkpoint.read(warm.folder / checkpoint.NAME)
    assert kept["counters"]["samples"] == warmed.samples


def test_the_files_of_a_policy_that_cannot_be_read_are_named_and_left_alone(tmp_path):
    """It may be of another user's library, which a newer version of this project made."""
    folder = tmp_path / "skills" / "dig"
    folder.parent.mkdir()
    checkpoint.save(folder, {"format": 99})
    checkpoint.write(folder / checkpoint.NAME, {"format": 99})
    start = Policy(id="skill/dig", checkpoint=str(folder / checkpoint.NAME))
    spec = msgspec.structs.replace(corridor_spec(budget=600), start=start)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(ServiceError, match=r"is not of format 1") as refused:
        training(tmp_path, Corridors(), spec).run(lambda progress: None)
    assert refused.value.code == "unknown_policy"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("content", [b"", b'{"name": "di', b"\xff", b"[]", None])
def test_a_damaged_spec_of_a_policy_is_named_in_a_sentence(tmp_path, content):
    """Else the goal would end as by a bug of ours, and the whole run with it."""
    path = tmp_path / "spec.json"
    path.mkdir() if content is None else path.write_bytes(content)
    with pytest.raises(
        ServiceError, match=r"The spec of the policy 'dig', .* cannot be read"
    ) as no:
        load_spec(tmp_path, "dig")
    assert no.value.code == "unknown_policy"
    assert str(path) in str(no.value)


def test_a_warm_start_from_a_moved_library_draws_the_same(tmp_path):
    """The same start from the same library, moved: the same draws."""

    def first_rate(library):
        start = Policy(id="skill/corridor", checkpoint=str(library / checkpoint.NAME))
        spec = msgspec.structs.replace(corridor_spec(budget=600, stop_at=2.0), start=start)
        made = training(library / "warm", Corridors(), spec)
        return made.run(lambda progress: None).curve

    _, here = trained_corridor(tmp_path)
    there = tmp_path / "somewhere else"
    shutil.copytree(here, there)
    assert first_rate(here) == first_rate(there)


WOODS = ("acacia", "birch", "dark_oak", "jungle", "spruce", "wooden")


def test_a_policy_of_another_interface_is_not_used_as_a_start():
    """Names and sizes are equal; the learner would not see it."""
    dig = Program(name="dig", source="def action(obs):\n    attack()\n")
    spec = corridor_spec()
    interface = msgspec.structs.replace(spec.interface, macros=[dig], observations=["inventory"])

    def with_interface(**changed):
        return msgspec.structs.replace(
            spec, interface=msgspec.structs.replace(interface, **changed)
        )

    same = with_interface()
    walk = msgspec.structs.replace(dig, source="def action(obs):\n    forward()\n")
    gain = [RewardTerm(kind="gain", weight=1.0, name="planks")]
    assert same_interface(same, with_interface())
    assert not same_interface(same, with_interface(macros=[walk]))
    assert not same_interface(same, with_interface(memory="gru"))
    small, large = (with_interface(memory="gru", memory_size=size) for size in (8, 16))
    assert same_interface(small, small)
    assert not same_interface(small, large)
    assert not same_interface(same, with_interface(rewards=gain))
    several = [RewardTerm(kind="gain", weight=1.0, name=f"{wood}_door") for wood in WOODS]
    more = [*several, *gain]  # beyond what the feature shows
    assert same_interface(with_interface(rewards=several), with_interface(rewards=more))
    elsewhere = msgspec.structs.replace(same, task=msgspec.structs.replace(same.task, game="maze"))
    assert not same_interface(same, elsewhere)
    blind = {"observations": ["rays"]}
    assert same_interface(with_interface(**blind), with_interface(**blind, rewards=gain))


def test_a_warm_start_takes_the_weights_and_a_new_optimiser(tmp_path):
    _, folder = trained_corridor(tmp_path)
    found = checkpoint.read(folder / checkpoint.NAME)
    session, _, _ = begin()
    state = TrainingState(Spaces.of(session.open(0)), PARAMETERS, seed=5, start=found)
    for name, weight in stored_networks(found).state_dict().items():
        assert torch.equal(weight, state.networks.state_dict()[name])
    assert state.counters.samples == 0
    assert not state.ppo.optimiser.state_dict()["state"]


def test_a_start_that_does_not_fit_is_refused(tmp_path):
    _, folder = trained_corridor(tmp_path / "first")
    start = Policy(id="skill/corridor", checkpoint=str(folder / checkpoint.NAME))
    other = msgspec.structs.replace(corridor_spec(budget=2000, macro=False), start=start)
    with pytest.raises(
        ServiceError, match=r"can't start from the policy skill/corridor: its act"
    ) as r:
        training(tmp_path / "other", Corridors(), other).run(lambda progress: None)
    assert r.value.code == "policy_does_not_fit"


def test_a_start_that_is_deleted_is_refused(tmp_path):
    start = Policy(id="skill/gone", checkpoint=str(tmp_path / "gone" / checkpoint.NAME))
    spec = msgspec.structs.replace(corridor_spec(budget=2000), start=start)
    with pytest.raises(ServiceError, match="skill/gone: it has no checkpoint") as refused:
        training(tmp_path, Corridors(), spec).run(lambda progress: None)
    assert refused.value.code == "unknown_policy"


def test_specs_without_a_start_keep_their_seeds(tmp_path):
    # A field that is not used changes nothing: a launch repeats itself.
    assert seed_of(training(tmp_path, Corridors()).spec) == 381478468


def guarded_spec(folder: str) -> TrainingSpec:
    """Every policy of it, but the one that is trained, is in this folder."""
    plain = corridor_spec()
    policy = Policy(id="skill/run", checkpoint=f"{folder}/run/checkpoint.pt")
    guard = Guard(
        name="rest",
        when="def when(obs):\n    return False\n",
        interface=plain.interface,
        policy=policy.id,
        checkpoint=policy.checkpoint,
    )
    stages = [LeadingStage(policy=policy)]
    return msgspec.structs.replace(
        plain, start=policy, lead=stages, guards=[guard], guard=guard, guarded=stages
    )


def test_a_seed_does_not_depend_on_the_folder_of_the_skill_library() -> None:
    assert seed_of(guarded_spec("/skills")) == seed_of(guarded_spec("/other/skills"))
    # What a run has trained itself has the same path in every run.
    assert seed_of(guarded_spec("learner")) == 2087929596


def test_a_policy_of_the_library_is_found_by_its_path(tmp_path):
    inside = Policy(id="demo/train", checkpoint="learner/demo+train/checkpoint.pt")
    assert folder_of(tmp_path, inside) == tmp_path / "demo+train"
    outside = Policy(id="skill/dig", checkpoint="/skills/dig/checkpoint.pt")
    assert folder_of(tmp_path, outside) == Path("/skills/dig")


def test_with_time_limit_terminal_nothing_is_added_after_a_time_limit():
    """The last decision of a truncated episode: with `terminal` nothing follows it."""
    session, collector, state = begin()
    rollout = collected(session, collector, state)
    assert rollout.truncated.any() or rollout.terminated.any()
    rollout.truncated[3, 2] = True  # one that certainly is, with a final feature of its own
    rollout.terminated[3, 2] = False
    rollout.final_at = torch.tensor([[3, 2]])
    rollout.final_features = rollout.features[4, 2:3].clone()
    targets = {}
    for limit in ("bootstrap", "terminal"):
        parameters = msgspec.structs.replace(PARAMETERS, time_limit=limit)
        ppo = Ppo(state.networks, parameters, state.generator)
        batch, _ = ppo._batch(rollout)
        targets[limit] = batch["value_target"].reshape(rollout.reward.shape)[3, 2]
    scale, gamma = PARAMETERS.reward_scale, PARAMETERS.gamma
    paid = rollout.reward[3, 2] * scale
    with torch.no_grad():
        follows = state.networks.critic(rollout.final_features)[0, 0]
    assert targets["terminal"].item() == pytest.approx(paid.item(), abs=1e-5)
    assert targets["bootstrap"].item() == pytest.approx(
        (paid + gamma ** rollout.steps[3, 2].item() * follows).item(), abs=1e-5
    )


def test_with_critic_goes_on_only_the_critic_learns_after_the_kl_stop():
    def trained(goes_on):
        session, collector, state = begin()
        rollout = collector.collect(
            session.step,
            state.networks.actor,
            state.generator,
            lambda samples, prefix_steps: True,
            state.device,
        )
        parameters = msgspec.structs.replace(
            PARAMETERS, learning_rate=0.02, target_kl=1e-4, epochs=6, critic_goes_on=goes_on
        )
        Ppo(state.networks, parameters, state.generator).update(rollout)
        return state.networks

    stopped, goes_on = trained(False), trained(True)
    for name, weight in stopped.actor.state_dict().items():
        assert torch.equal(weight, goes_on.actor.state_dict()[name])
    assert any(
        not torch.equal(weight, goes_on.critic.state_dict()[name])
        for name, weight in stopped.critic.state_dict().items()
    )


def test_the_paper_profile_has_the_published_hyperparameters():
    values = yaml.safe_load((ROOT / "launch" / "learner" / "paper.yaml").read_text())
    paper = msgspec.convert(values, Hyperparameters)
    assert (paper.learning_rate, paper.final_share) == (1e-4, 1.0)
    assert (paper.clip, paper.gamma, paper.gae_lambda) == (0.2, 0.99, 0.95)
    assert (paper.environments, paper.rollout_samples) == (1, 1000)
    assert (paper.epochs, paper.minibatch, paper.target_kl) == (80, 0, 0.75)
    assert paper.critic_goes_on
    assert (paper.entropy_bonus, paper.normalise_advantages) == (0.0, True)
    assert (paper.imitation_every, paper.imitation_trajectories) == (100, 500)
    assert (paper.encoder, paper.fusion, paper.hidden, paper.layers) == (128, 512, 256, 3)
    default = yaml.safe_load((ROOT / "launch" / "learner" / "default.yaml").read_text())
    assert msgspec.convert(default, Hyperparameters).imitation_every == 0
