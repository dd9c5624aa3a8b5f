"""The program that trains, with the real libraries and a model of random weights."""

import os
import subprocess
from pathlib import Path

import pytest

from nodes.llm import manifest, training
from nodes.llm.lessons.lessons import lessons
from nodes.llm.training.teach import Settings, teach
from nodes.llm.vllm.wholeness import problem
from tests.llm.vllm_environment import FOLDER, made, tiny_model

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(
        not made(), reason=".venv-vllm is not there; `make test-llm` makes it and runs this"
    ),
]
_WEIGHTS = """
import sys, torch
from transformers import AutoConfig, AutoModelForCausalLM
torch.manual_seed(0)
model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(sys.argv[1]))
model.to(torch.bfloat16).save_pretrained(sys.argv[1])
"""


def test_fine_tuning_lowers_the_loss_and_writes_changed_complete_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    base, into = tiny_model(tmp_path / "tiny"), tmp_path / "taught"
    offline = {"PATH": os.environ["PATH"], "HF_HUB_OFFLINE": "1"}
    python = str(FOLDER / "bin" / "python")
    subprocess.run([python, "-c", _WEIGHTS, str(base)], check=True, env=offline)
    monkeypatch.chdir(FOLDER.parent)  # where its environment is
    settings = Settings(rounds=4, pack=2, rate=5e-3, minutes=15)
    teach(base, into, lessons({"PlanQuestion": 4}, seed=0), settings)
    losses = _losses(capfd.readouterr().out)
    assert len(losses) == 8
    assert sum(losses[-2:]) < 0.92 * sum(losses[:2])
    told = manifest.read(into)
    assert told is not None
    assert told.trained
    assert manifest.missing(into, told, thorough=True) == problem(into, []) == ""
    # The adapter is in them: they are not the base's.
    assert manifest.weights_digest(into) != manifest.weights_digest(base)
    on = Settings(pack=2, rate=1e-5, minutes=15, adapter=str(into / "adapter"))
    teach(base, tmp_path / "further", lessons({"PlanQuestion": 4}, seed=0), on)
    further = _losses(capfd.readouterr().out)
    assert sum(further) < 0.92 * sum(losses[:2])  # where it ended, not where it began


def _losses(out: str) -> list[float]:
    lines = [line for line in out.splitlines() if "loss" in line]
    return [float(line.partition("loss ")[2].partition(",")[0]) for line in lines]


_GRADIENTS = """
import random, sys
sys.path.insert(0, sys.argv[1])
import torch, tune
from peft import LoraConfig, get_peft_model
from transformers import Qwen2Config, Qwen2ForCausalLM
torch.manual_seed(0)
config = Qwen2Config(vocab_size=500, hidden_size=64, intermediate_size=128, num_hidden_layers=2,
                     num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=512)
model = Qwen2ForCausalLM(config)
lora = LoraConfig(r=4, lora_alpha=8, target_modules=tune._MODULES, task_type="CAUSAL_LM")
adapted = get_peft_model(model, lora, autocast_adapter_dtype=False)
weights = [each for each in adapted.parameters() if each.requires_grad]
for each in weights:
    torch.nn.init.normal_(each, std=0.1)
chance = random.Random(1)
def some(most):
    return [chance.randrange(500) for _ in range(chance.randrange(3, most))]
begun = some(40)
pack = tune.Pack("plan", [begun + some(30) for _ in range(6)], [some(20) for _ in range(6)])
"""


def _run_in_environment(program: str) -> str:
    return subprocess.run(
        [str(FOLDER / "bin" / "python"), "-c", program, str(Path(training.__file__).parent)],
        check=True,
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"], "HF_HUB_OFFLINE": "1"},
    ).stdout


def test_examples_that_are_computed_together_have_the_gradients_of_each_by_itself():
    told = _run_in_environment(
        _GRADIENTS
        + """
found = []
for together in (0, 60, 10_000):  # each alone, a few at a time, all at once
    for each in weights:
        each.grad = None
    loss = tune.backward(model, pack, False, together)
    found.append((len(tune.groups(pack, together)), loss, [each.grad.clone() for each in weights]))
assert [count for count, _, _ in found][::2] == [6, 1] and 1 < found[1][0] < 6
for _, loss, gradients in found[1:]:
    assert abs(loss - found[0][1]) < 1e-4
    for one, other in zip(gradients, found[0][2], strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-6)
print("the same")
"""
    )
    assert told == "the same\n"


def test_a_step_without_a_finite_gradient_changes_nothing_and_the_next_one_does():
    told = _run_in_environment(
        _GRADIENTS
        + """
masters = tune.Masters(weights, 1e-3)
before = [each.detach().clone() for each in weights]
tune.backward(model, pack, False)
weights[0].grad[0, 0] = float("nan")
assert not masters.step(1e-3)
assert all(torch.equal(one, other) for one, other in zip(weights, before, strict=True))
tune.backward(model, pack, False)
assert masters.step(1e-3)
assert not any(torch.equal(one, other) for one, other in zip(weights, before, strict=True))
print("as wanted")
"""
    )
    assert told == "as wanted\n"
