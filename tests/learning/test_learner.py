"""The learner as a process of its own, against a toy env server in another, on a real bus."""

import subprocess
import sys

import pytest
import yaml

from messages.bus import Bus, DeadlineExceeded, RemoteError
from messages.training import ACT, TRAIN, Act, Policy, Train
from messages.world import OPEN, OpenSession, SeedRange
from tests.learning.corridor import corridor_spec
from tests.learning.learner_stack import PATIENCE, ROOT, LearnerStack


@pytest.fixture
def stack(request, tmp_path):
    made = LearnerStack(tmp_path, **getattr(request, "param", {}))
    yield made
    made.close()


def test_a_trained_policy_solves_the_corridor_and_acts_in_a_session_after_a_restart(stack):
    heard = []
    spec = corridor_spec(budget=40_000)
    trained = stack.train("demo/corridor/train", spec, on_feedback=heard.append)
    assert trained.success_rate >= 0.95
    assert "success rate" in trained.reason
    assert trained.samples <= 40_000
    assert trained.samples == trained.curve[-1][0] == stack.samples("demo/corridor/train")
    assert trained.policy.id == "demo/corridor/train"
    assert (stack.run / trained.policy.checkpoint).exists()
    assert list((stack.run / "learner" / "tensorboard").rglob("events*"))
    assert all(progress.policy == trained.policy.id for progress in heard)

    # Acting, by a learner that was started again.
    stack.kill("learner")
    stack.start("learner")
    opening = OpenSession(session="play", task=spec.task, size=5, seeds=SeedRange(first=0, count=5))
    stack.bus.call(OPEN, opening)
    act = Act(session="play", policy=trained.policy)
    acted = stack.bus.run_goal(ACT, "demo/corridor/act", act, timeout=PATIENCE)
    assert 5 * 11 <= acted.steps <= 5 * 40

    lost = Act(session="gone", policy=trained.policy)
    with pytest.raises(RemoteError) as refusal:
        stack.bus.run_goal(ACT, "demo/lost/act", lost, timeout=PATIENCE)
    assert refusal.value.code == "unknown_session"

    unknown = Act(session="play", policy=Policy(id="nobody", checkpoint=""))
    with pytest.raises(RemoteError, match="no policy 'nobody'") as refusal:
        stack.bus.run_goal(ACT, "demo/nobody/act", unknown, timeout=PATIENCE)
    assert refusal.value.code == "unknown_policy"


EITHER_WAY = pytest.mark.parametrize(
    "stack",
    [{}, pytest.param({"overlap": True}, marks=pytest.mark.slow)],
    ids=["", "overlap"],
    indirect=True,
)


@EITHER_WAY
@pytest.mark.parametrize("macro", [False, True])
def test_a_learner_killed_while_training_resumes_and_counts_every_sample_once(stack, macro):
    id, budget = "demo/killed/train", 12_000
    spec = corridor_spec(budget=budget, stop_at=2.0, macro=macro)  # to the end of the budget
    longest = 4 if macro else 1
    stack.bus.send_goal(TRAIN, id, Train(spec=spec))
    stack.wait_for(lambda: stack.samples(id) > 1000)
    stack.kill("learner")
    kept = stack.samples(id)
    stack.start("learner")
    stack.wait_for(lambda: stack.samples(id) > kept)
    stack.kill("env_server")
    stack.start("env_server")

    trained = stack.train(id, spec)
    samples = [count for count, _ in trained.curve]
    assert samples == sorted(set(samples))
    assert kept in samples
    assert samples[-1] == trained.samples == stack.samples(id)
    # The budget was spent, and the last decision may have overrun it.
    assert budget <= trained.samples < budget + 16 * longest
    assert trained.success_rate > 0.9
    assert stack.train(id, spec) == trained


def test_a_budget_below_one_decision_is_refused(stack):
    with pytest.raises(RemoteError, match="less than one decision may take") as refusal:
        stack.train("demo/poor/train", corridor_spec(budget=3))
    assert refusal.value.code == "budget"


@EITHER_WAY
def test_training_can_be_cancelled(stack):
    id, spec = "demo/long/train", corridor_spec(budget=100_000_000, stop_at=2.0)
    stack.bus.send_goal(TRAIN, id, Train(spec=spec))
    stack.wait_for(lambda: stack.samples(id) > 0)
    stack.bus.cancel_goal(TRAIN, id)
    # The action works on one goal at a time: the next one gets its turn.
    assert stack.train("demo/next/train", corridor_spec(budget=2000)).samples < 2000 + 16 * 4


@EITHER_WAY
def test_a_learner_stops_cleanly_while_training_and_resumes(stack):
    id, spec = "demo/stopped/train", corridor_spec(budget=6000, stop_at=2.0)
    stack.bus.send_goal(TRAIN, id, Train(spec=spec))
    stack.wait_for(lambda: stack.samples(id) > 0)
    stack.processes["learner"].terminate()
    assert stack.processes["learner"].wait(PATIENCE) == 0
    kept = stack.samples(id)
    stack.start("learner")
    trained = stack.train(id, spec)
    assert kept in [count for count, _ in trained.curve]
    assert 6000 <= trained.samples < 6000 + 16 * 4


@EITHER_WAY
def test_a_learner_stops_without_waiting_for_the_end_of_a_long_update(stack):
    id, spec = "demo/long/train", corridor_spec(budget=6000, stop_at=2.0)
    config = yaml.safe_load((stack.run / "config.yaml").read_text())
    config["nodes"]["learner"]["parameters"]["epochs"] = 10**6
    (stack.run / "config.yaml").write_text(yaml.safe_dump(config))
    stack.kill("learner")
    stack.start("learner")
    stack.bus.send_goal(TRAIN, id, Train(spec=spec))
    began = stack.run / "learner" / "tensorboard"
    stack.wait_for(lambda: began.exists() and stack.processor("learner") > 0)
    busy = stack.processor("learner")
    stack.wait_for(lambda: stack.processor("learner") > busy + 1.0)  # in the update by then
    stack.processes["learner"].terminate()
    assert stack.processes["learner"].wait(PATIENCE) == 0  # the update takes far longer


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"environments": 0}, "environments"),
        ({"environments": 5000}, "learner.environments is 5000, and a session has at most 1024"),
        ({"gamma": 0.0}, "`float` > 0.0"),
        ({"entropy_bonus": 1e300}, "`float` <= 1e+30"),
        ({"threads": 100_000}, "`int` <= 64"),
        ({"device": "gpu"}, "there is no device called 'gpu': use cpu, cuda"),
        ({"device": "cuda:99"}, "learner.device=cuda:99, but"),
    ],
)
def test_a_wrong_parameter_is_refused_in_one_sentence(tmp_path, wrong, said):
    config = {
        "name": "test",
        "run": str(tmp_path),
        "seed": 0,
        "hosts": {},
        "nodes": {"learner": {"parameters": wrong}},
    }
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
    process = subprocess.run(
        [sys.executable, "-m", "nodes.learner", "--run", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        timeout=PATIENCE,
    )
    assert process.returncode == 2
    assert said.encode() in process.stderr
    assert b"Traceback" not in process.stderr


def test_a_goal_sent_to_a_learner_that_does_not_run_ends_at_its_deadline(tmp_path):
    bus = Bus(run=tmp_path)
    with pytest.raises(DeadlineExceeded):
        bus.run_goal(TRAIN, "demo/nobody", Train(spec=corridor_spec()), timeout=0.5)
    bus.close()
