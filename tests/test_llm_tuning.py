"""The program that trains, with the real libraries and a model of random weights."""

import os
import subprocess
from pathlib import Path

import pytest

from nodes.llm import manifest
from nodes.llm.lessons.lessons import lessons
from nodes.llm.training.teach import Settings, teach
from nodes.llm.vllm.wholeness import problem
from tests.vllm_environment import FOLDER, made, tiny_model

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
    said = [line for line in capfd.readouterr().out.splitlines() if "loss" in line]
    losses = [float(line.partition("loss ")[2].partition(",")[0]) for line in said]
    assert len(losses) == 8
    assert sum(losses[-2:]) < 0.92 * sum(losses[:2])
    told = manifest.read(into)
    assert told is not None
    assert told.trained
    assert manifest.missing(into, told, thorough=True) == problem(into, []) == ""
    # The adapter is in them: they are not the base's.
    assert manifest.weights_digest(into) != manifest.weights_digest(base)
