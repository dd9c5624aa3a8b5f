"""An update beside the next collection: which policy plays, in what order, and what is lost."""

import copy
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

from messages.bus import RemoteError, ServiceError
from messages.roll_out import ROLL_OUT
from messages.training import Trained
from messages.world import OPEN, STEP
from models.distribution import MaskedCategorical
from nodes.learner.checkpoints import checkpoint
from nodes.learner.collecting.acting_weights import CHANGES
from nodes.learner.collecting.rollout import Rollout
from nodes.learner.optimising.ppo import Ppo, UpdateStatistics
from nodes.learner.optimising.updating import Updating
from nodes.learner.training import Training
from tests.learning.corridor import Corridors, corridor_spec
from tests.learning.corridor_training import PARAMETERS
from tests.learning.corridor_training import training as training_in

PATIENCE = 60.0  # seconds until a thread that waits for the other one gives up
STEPS = (STEP, ROLL_OUT)
SPEC = corridor_spec(budget=2500, stop_at=2.0)


def training(folder: Path, call: Any = None, overlap: bool = True, **changed: Any) -> Training:
    spec = changed.pop("spec", SPEC)
    return training_in(folder, Corridors(), spec, call, overlap=overlap, **changed)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    found, problems = checkpoint.load(folder / "learner" / "toy+train")
    assert found is not None
    assert problems == []
    return found["networks"]


@pytest.mark.parametrize(
    ("target_kl", "last", "rollout_samples"),
    [(0.0, PARAMETERS.epochs, 16384), (1e-9, 1, 16384), (0.0, PARAMETERS.epochs, 120)],
)
def test_each_decision_is_by_the_weights_after_its_epoch_of_the_update_beside_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    target_kl: float,
    last: int,
    rollout_samples: int,
) -> None:
    """The smaller ``target_kl`` ends updates after one epoch, or a few; the smaller
    ``rollout_samples`` ends rollouts before they have all their decisions."""
    after: list[list[Any]] = []  # for each update the actor before it and after each epoch
    rollouts: list[Rollout] = []
    update = Ppo.update

    def watched(
        self: Ppo, rollout: Rollout, left: float, to_clone: float, critic_only: bool, epoch: Any
    ) -> UpdateStatistics:
        actors = [copy.deepcopy(self.networks.actor)]
        after.append(actors)
        rollouts.append(rollout)

        def after_epoch() -> None:
            actors.append(copy.deepcopy(self.networks.actor))
            epoch()

        return update(self, rollout, left, to_clone, critic_only, after_epoch)

    monkeypatch.setattr(Ppo, "update", watched)
    parameters = {"target_kl": target_kl, "critic_goes_on": False}
    training(tmp_path, rollout_samples=rollout_samples, **parameters).run(lambda progress: None)
    assert len(rollouts) > 4
    lengths = [len(rollout.choices) for rollout in rollouts]
    assert (max(lengths) < PARAMETERS.decisions) is (rollout_samples == 120)
    assert min(len(actors) for actors in after) - 1 == last

    def differs(rollout: Rollout, decision: int, actor: Any) -> float:
        with torch.no_grad():
            policy = MaskedCategorical(actor(rollout.features[decision]), rollout.mask[decision])
            log_probs = policy.log_prob(rollout.choices[decision])
            return float((log_probs - rollout.log_probs[decision]).abs().max())

    for decision in range(lengths[0]):
        assert differs(rollouts[0], decision, after[0][0]) < 1e-6
    for actors, rollout, before in zip(after, rollouts[1:], lengths, strict=False):
        for decision in range(len(rollout.choices)):
            span = max(1, before // CHANGES)
            due = (decision - decision % span + 1) * PARAMETERS.epochs // before
            epoch = min(due, len(actors) - 1)
            assert differs(rollout, decision, actors[epoch]) < 1e-6
            assert differs(rollout, decision, actors[0 if epoch else 1]) > 1e-5


@pytest.mark.parametrize("overlap", [True, False])
def test_the_environments_step_while_the_learner_updates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, overlap: bool
) -> None:
    updating, stepped = threading.Event(), threading.Event()
    beside: list[bool] = []
    update = Ppo.update

    def waiting(self: Ppo, rollout: Rollout, *args: Any, **named: Any) -> UpdateStatistics:
        stepped.clear()
        updating.set()
        if not beside:  # the first one ends once a step was taken
            beside.append(stepped.wait(PATIENCE if overlap else 1.0))
        updating.clear()
        return update(self, rollout, *args, **named)

    corridors = Corridors()

    def call(service: Any, request: Any) -> Any:
        reply = corridors.call(service, request)
        if service is ROLL_OUT and updating.is_set():
            stepped.set()
        return reply

    begin = Updating.__init__

    def begun(self: Updating, *args: Any) -> None:
        begin(self, *args)
        if overlap and not beside:  # its thread may be late: no step would be left to be taken
            assert updating.wait(PATIENCE)

    monkeypatch.setattr(Ppo, "update", waiting)
    monkeypatch.setattr(Updating, "__init__", begun)
    training(tmp_path, call, overlap).run(lambda progress: None)
    assert beside == [overlap]


@pytest.mark.parametrize("memory", ["none", pytest.param("gru", marks=pytest.mark.slow)])
def test_whichever_of_the_two_is_faster_the_same_is_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: str
) -> None:
    update = Ppo.update
    interface = msgspec.structs.replace(SPEC.interface, memory=memory, memory_size=8)
    spec = msgspec.structs.replace(SPEC, budget=1500, interface=interface)

    def run(folder: Path, first: str) -> Trained:
        """``first``: what is done first, the update or the steps of the next rollout."""
        idle, steps = threading.Event(), threading.Semaphore(0)
        idle.set()
        corridors = Corridors()

        def ordered(self: Ppo, rollout: Rollout, *args: Any, **named: Any) -> UpdateStatistics:
            if first == "steps":
                steps.acquire(timeout=0.2)  # after the last rollout there are none
            try:
                return update(self, rollout, *args, **named)
            finally:
                idle.set()

        def call(service: Any, request: Any) -> Any:
            if service in STEPS and first == "update":
                assert idle.wait(PATIENCE)
            reply = corridors.call(service, request)
            if service in STEPS:
                steps.release()
            return reply

        monkeypatch.setattr(Ppo, "update", ordered)
        one = training(folder, call, spec=spec)
        learn = one._learn

        def learning(*args: Any) -> None:
            idle.clear()
            while steps.acquire(blocking=False):
                pass  # of the rollout that is learned from
            learn(*args)

        monkeypatch.setattr(one, "_learn", learning)
        return one.run(lambda progress: None)

    runs = [run(tmp_path / first, first) for first in ("update", "steps")]
    assert runs[0] == runs[1]
    assert len(runs[0].curve) > 4
    ours, theirs = (weights(tmp_path / first) for first in ("update", "steps"))
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)


@pytest.mark.parametrize(("rollouts", "lost_at"), [("learner", 16 + 8), ("session", CHANGES + 2)])
def test_a_rollout_lost_beside_an_update_is_played_again_and_counted_once(
    tmp_path: Path, rollouts: str, lost_at: int
) -> None:
    """The session is lost with each rollout but the first: what was learned stands, and choices
    are drawn as though nothing had been."""
    played: dict[bool, list[Any]] = {True: [], False: []}

    def run(loses: bool) -> Trained:
        corridors = Corridors()
        taken, at = 0, 0

        def call(service: Any, request: Any) -> Any:
            nonlocal taken, at
            if service is OPEN:
                at = 0
            if service in STEPS:
                taken, at = taken + 1, at + 1
                if loses and at == lost_at:
                    raise RemoteError(service.name, "unknown_session", "The worker died.")
            return corridors.call(service, request)

        folder = tmp_path / str(loses)
        one = training(folder, call, rollouts=rollouts)

        def report(progress: Any) -> None:
            played[loses].append((progress.samples, progress.decisions))
            found, _ = checkpoint.load(folder / "learner" / "toy+train")
            if found is not None:  # of the report before, as one is saved after it
                assert found["counters"]["samples"] < progress.samples

        return one.run(report)

    lost, whole = run(True), run(False)
    assert played[True][0] == played[False][0]
    for found, trained in ((played[True], lost), (played[False], whole)):
        assert [samples for samples, _ in found] == [samples for samples, _ in trained.curve]
        assert trained.samples == found[-1][0]
        assert SPEC.budget <= trained.samples < SPEC.budget + 16 * 4
    assert len(lost.curve) > 4


def test_a_resumed_training_goes_on_with_what_it_had_learned_from(tmp_path: Path) -> None:
    """Ended where the third rollout was being collected beside the second update."""
    reported: list[int] = []

    def check() -> None:
        if len(reported) == 2:
            raise ServiceError("killed", code="cancelled")

    with pytest.raises(ServiceError, match="killed"):
        training(tmp_path).run(lambda progress: reported.append(progress.samples), check)
    found, _ = checkpoint.load(tmp_path / "learner" / "toy+train")
    assert found is not None
    assert found["counters"]["samples"] == reported[-1]
    assert found["counters"]["iterations"] == 2

    resumed = training(tmp_path).run(lambda progress: reported.append(progress.samples))
    assert [samples for samples, _ in resumed.curve] == reported
    assert resumed.samples == reported[-1] > found["counters"]["samples"]


def test_an_update_that_fails_ends_the_training_with_its_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: Ppo, rollout: Rollout, *args: Any, **named: Any) -> UpdateStatistics:
        raise MemoryError("no memory for the update")

    monkeypatch.setattr(Ppo, "update", fails)
    with pytest.raises(MemoryError, match="no memory for the update"):
        training(tmp_path).run(lambda progress: None)
    assert not list(tmp_path.rglob("checkpoint*"))
