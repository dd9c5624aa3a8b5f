"""The agents and the learner beside the real vLLM (its CPU build) and a tiny random model.

The model answers by the schemas and at random, so an agent that asks it fails, and reports that.
The agents' model is one that sees, so that the critic can show it pictures.
Slow; ``make test-llm`` runs it.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from messages.bus import RemoteError
from messages.chat import ANSWERS, Question
from messages.plan import (
    ACHIEVE,
    IMPLEMENT,
    PURSUE,
    AchieveSubtask,
    Implement,
    Limits,
    SubAction,
    Subtask,
)
from messages.verdict import JUDGE
from nodes.llm.answers.answer_schema import answer_schema
from tests import bus_processes
from tests.agent_stack import LOG, TASK, Stack, stack
from tests.agents.test_vision_critic import evidence
from tests.launch_toys import launched
from tests.launch_toys.launched import rlgpt
from tests.learning import test_gpu_lease, test_learner
from tests.learning.corridor import corridor_spec
from tests.learning.test_gpu_lease import SharedLearnerStack
from tests.llm.vllm_environment import made, tiny_profile, write_profile

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(
        not made(), reason=".venv-vllm is not there; `make test-llm` makes it and runs this"
    ),
]
LONG = 1200.0  # seconds; the server has one slow core and the lowest priority
SHORT = {"max_tokens": 1024}  # random answers end by chance; long ones are cut off


def lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def asked_by(run: Path, agent: str) -> list[dict[str, Any]]:
    """The outcome of an agent's questions: the answered are valid by their schemas."""
    answered = [e for e in lines(run / "llm" / "transcript.jsonl") if e["agent"] == agent]
    for entry in answered:
        question = msgspec.convert(entry["question"], type=Question)
        assert entry["schema"] == answer_schema(question)
        msgspec.json.decode(entry["answered"]["answer"], type=ANSWERS[type(question)])
    failed = [e for e in lines(run / "llm" / "unanswered.jsonl") if e["agent"] == agent]
    for entry in failed:
        assert entry["sentence"].startswith("tiny gave no valid answer in 4 tries")
    return [*answered, *failed]


# ---- every agent, asked directly


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    run = tmp_path_factory.mktemp("run")
    profile = {**tiny_profile(tmp_path_factory.mktemp("model"), sees=True), **SHORT}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bus_processes, "PATIENCE", LONG)  # until the llm node is ready
        with stack(run, llm=profile, nodes={"critic": {"vision": True}}) as agents:
            yield agents


def politely(ended: Callable[[], Any]) -> str:
    """Why a goal was not reached. A model that gives no answer at all ends the goal, too."""
    try:
        report = ended()
    except RemoteError as error:
        return error.message
    assert not report.success
    return report.reason


NO_ANSWER = "tiny gave no valid answer"


def test_the_planner_ends_without_a_plan(agents: Stack):
    said = politely(
        lambda: agents.bus.run_goal(PURSUE, "planned", agents.goal(), timeout=LONG),
    )
    assert said.startswith("No plan would do") or NO_ANSWER in said
    assert asked_by(agents.run, "planner")


def test_the_slow_agent_ends_without_a_decomposition(agents: Stack):
    request = AchieveSubtask(
        task=TASK, subtask=Subtask(name="log", success=LOG), limits=Limits(iterations=1)
    )
    said = politely(lambda: agents.bus.run_goal(ACHIEVE, "achieved", request, timeout=LONG))
    # A decomposition by chance may be one that can be tried.
    tried = said.startswith(("No decomposition would do", "The iterations are spent"))
    assert tried or NO_ANSWER in said
    assert asked_by(agents.run, "slow_agent")


@pytest.mark.parametrize("method", ["code", "rl"])
def test_the_fast_agent_gives_a_negative_verdict(agents: Stack, method: Literal["code", "rl"]):
    sub_action = SubAction(name="dig", method=method, success=LOG, description="dig a log")
    request = Implement(task=TASK, sub_action=sub_action, before=[], history=[])
    done = agents.bus.run_goal(IMPLEMENT, f"done-by-{method}", request, timeout=LONG)
    assert not done.line.verdict.success
    assert done.line.verdict.success_rate == 0.0
    assert done.line.verdict.reason
    kind = "ProgramQuestion" if method == "code" else "SpecQuestion"
    assert kind in [entry["asked"] for entry in asked_by(agents.run, "fast_agent")]


@pytest.mark.parametrize(("worked", "pictured"), [(0, 0), (0, 4), (6, 4)])
def test_the_critic_decides_by_the_rate_whatever_the_model_answers(
    agents: Stack, worked: int, pictured: int
):
    shown = evidence(worked, pictured, id=f"judged-{worked}-{pictured}")
    verdict = agents.bus.call(JUDGE, shown, timeout=LONG)
    assert verdict.success == (worked == 6)
    assert verdict.success_rate == worked / 6
    asked = [e for e in asked_by(agents.run, "critic") if shown.id in str(e)]
    if worked == 6:  # there is nothing to ask about
        assert not asked
        return
    entry = asked[0]
    assert entry["asked"] == ("LookQuestion" if pictured else "JudgeQuestion")
    if "answered" in entry:
        assert entry["answered"]["pictures"] == 3 * pictured


# ---- the learner beside it


class RealLearnerStack(SharedLearnerStack):
    """A learner with corridors, and an llm node with the real server."""

    def __init__(self, run: Path, profile: dict[str, Any]) -> None:
        self._profile = profile
        super().__init__(run)

    @property
    def profile(self) -> dict[str, Any]:
        return self._profile

    @profile.setter
    def profile(self, fake: dict[str, Any]) -> None:
        """The fake that the parent would have is not wanted."""

    def check_weights(self, version: str) -> None:
        assert version.startswith("tiny, vllm-")  # no digests are recorded of random weights


@pytest.mark.parametrize("how", ["shares", "turns"])
def test_the_learner_trains_while_the_model_answers(
    run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
):
    for module in (bus_processes, test_gpu_lease, test_learner):
        monkeypatch.setattr(module, "PATIENCE", LONG)
    stack = RealLearnerStack(run_folder, {**tiny_profile(tmp_path), **SHORT, "gpu": how})
    try:
        answered: list[float] = []
        said: list[str] = []

        def ask() -> None:
            try:
                stack.ask("meanwhile")
            except RemoteError as error:
                said.append(error.message)  # a model by chance gives no plan: an answer as well
            answered.append(time.monotonic())

        progress: list[float] = []
        asking = threading.Thread(target=ask)

        def follow(_: Any) -> None:
            progress.append(time.monotonic())
            if len(progress) == 1:
                asking.start()

        spec = corridor_spec(budget=100_000, stop_at=2.0)
        trained = stack.train("demo/train", spec, on_feedback=follow)
        assert trained.samples >= 99_000  # whole rollouts
        asking.join(LONG)
        assert answered
        assert all(NO_ANSWER in each for each in said)
        states = [state.state for state in stack.states]
        if how == "shares":
            assert "asleep" not in states
            print(f"\nvllm: {how}: answered {progress[-1] - answered[0]:.1f} s before the end")
        else:
            # It slept until the training was over: nothing was answered before that.
            assert "asleep" in states
            assert answered[0] > progress[-1]
    finally:
        stack.close()


# ---- the whole stack, launched


def test_a_launch_with_a_random_model_fails_with_a_report_and_its_replay_is_equal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(launched, "PATIENCE", LONG)
    write_profile(tmp_path)
    limits = ("limits.iterations=1", "nodes.planner.parameters.plan=false")
    first = rlgpt("launch", "harvest_log", "llm=tiny", "run=runs/first", *limits, cwd=tmp_path)
    assert "The goal was not reached: " in first.stdout or "the goal failed" in first.stderr
    assert "Traceback" not in first.stdout + first.stderr
    run = tmp_path / "runs" / "first"
    assert asked_by(run, "slow_agent")
    summary = json.loads((run / "summary.json").read_text())
    assert summary["success"] is False
    assert (run / "report.html").is_file()
    replay = ("llm=replay", "llm.transcript=runs/first", "run=runs/again")
    again = rlgpt("launch", "harvest_log", *replay, *limits, cwd=tmp_path)
    assert again.returncode == first.returncode
    repeated = json.loads((tmp_path / "runs" / "again" / "summary.json").read_text())
    same = ("success", "reason", "iterations", "samples")
    assert [repeated[key] for key in same] == [summary[key] for key in same]
    answers = [
        [entry["answered"] for entry in lines(tmp_path / "runs" / each / "llm/transcript.jsonl")]
        for each in ("first", "again")
    ]
    assert answers[0] == answers[1]
    assert not (tmp_path / "runs" / "again" / "llm" / "difference.txt").exists()
