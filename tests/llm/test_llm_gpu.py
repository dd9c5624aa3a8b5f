"""vLLM and PPO on one GPU: what sleeping frees, how long it takes, and how fast PPO is beside it.

Needs a card, vLLM and the weights of a profile of models/llm/: RLGPT_GPU_PROFILE names it
(qwen3_8b). Run with ``pytest -s -m gpu tests/llm/test_llm_gpu.py``.
"""

import os
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from messages.bus import Bus
from messages.chat import ASK, Ask, ChatMessage
from messages.gpu import GIVE_BACK_GPU, TAKE_GPU, GiveBackGpu, TakeGpu
from nodes.llm.doctor import examine
from nodes.llm.prompt_pages import samples
from nodes.llm.vllm.cards import cards
from tests import bus_processes
from tests.agent_stack import AgentProcess
from tests.bus_processes import ROOT
from tests.learning import test_learner
from tests.learning.corridor import corridor_spec
from tests.learning.learner_stack import LearnerStack

NAME = os.environ.get("RLGPT_GPU_PROFILE", "qwen3_8b")
LONG = 900.0  # seconds; weights are read from the disk


def profile() -> dict[str, Any]:
    path = ROOT / "models" / "llm" / f"{NAME}.yaml"
    return {**yaml.safe_load(path.read_text()), "gpu": "turns"}


def why_not() -> str:
    """Empty where it can be run."""
    if not cards():
        return "no NVIDIA GPU (nvidia-smi is not there)"
    wrong = [f"{f.about}: {f.words}" for f in examine(profile()) if f.well is False]
    return " ".join(wrong)


pytestmark = [
    pytest.mark.gpu,
    pytest.mark.slow,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(bool(why_not()), reason=why_not() or "it can be run"),
]


class OnOneCard(LearnerStack):
    """A learner on the card, corridors on the CPU; the model's node is started apart."""

    def start(self, node: str) -> None:
        path = self.run / "config.yaml"
        config = yaml.safe_load(path.read_text())
        config["nodes"]["learner"]["parameters"] |= {"device": "cuda", "environments": 64}
        config["nodes"]["llm"] = {"parameters": {"profile": {**profile(), "gpu": "shares"}}}
        path.write_text(yaml.safe_dump(config))
        super().start(node)


def used() -> int:
    """MiB."""
    return cards()[0].gpu.used


def told(text: str) -> None:
    print(f"\nGPU: {text}", flush=True)


def ask(bus: Bus, id: str) -> float:
    """Seconds for an answer."""
    _, question = samples()["JudgeQuestion"]
    prompt = [ChatMessage(role="user", content="Judge it, briefly.")]
    began = time.monotonic()
    request = Ask(id=id, agent="test", question=question, prompt=prompt)
    bus.call(ASK, request, timeout=LONG)
    return time.monotonic() - began


def speed(stack: LearnerStack, id: str) -> float:
    """PPO's median steps/s over a short training."""
    speeds: list[float] = []
    spec = corridor_spec(budget=60_000, stop_at=2.0)
    stack.train(id, spec, on_feedback=lambda progress: speeds.append(progress.steps_per_second))
    return sorted(speeds)[len(speeds) // 2]


def test_a_sleeping_server_frees_the_gpu_for_the_learner(
    run_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(bus_processes, "PATIENCE", LONG)  # until the llm node is ready
    monkeypatch.setattr(test_learner, "PATIENCE", LONG)
    run = run_folder
    stack = OnOneCard(run)
    try:
        before = used()
        told(f"{NAME}; PPO alone: {speed(stack, 'alone'):,.0f} steps/s")
        config = yaml.safe_load((run / "config.yaml").read_text())
        config["nodes"]["llm"]["parameters"]["profile"] = profile()
        (run / "config.yaml").write_text(yaml.safe_dump(config))
        began = time.monotonic()
        llm = AgentProcess("llm", run)
        try:
            told(f"the server was healthy after {time.monotonic() - began:.1f} s")
            told(f"an answer took {ask(stack.bus, 'first'):.1f} s")
            awake = used()
            told(f"PPO beside an awake server: {speed(stack, 'awake'):,.0f} steps/s")
            lease = stack.bus.call(TAKE_GPU, TakeGpu(holder="test", seconds=LONG), timeout=LONG)
            asleep = used()
            told(f"asleep after {lease.slept:.2f} s: {awake} -> {asleep} MiB ({before} at first)")
            told(f"PPO beside a sleeping server: {speed(stack, 'asleep'):,.0f} steps/s")
            stack.bus.call(GIVE_BACK_GPU, GiveBackGpu(holder="test"))
            told(f"awake and answered after {ask(stack.bus, 'second'):.1f} s")
            assert asleep - before < (awake - before) / 2
        finally:
            llm.stop()
    finally:
        stack.close()
