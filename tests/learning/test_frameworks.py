"""Other libraries' agents in the embedded world, as they come. `make frameworks` installs them."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-frameworks" / "bin" / "python"
PUFFERLIB = Path(__file__).parent / "pufferlib_player.py"
SCRIPT = os.environ.get("CLEANRL_PPO", "")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON.exists(), reason="`make frameworks` installs the libraries"),
]

CHECKS = """
import gymnasium, rlgpt
from stable_baselines3.common.env_checker import check_env
for name in ("HarvestLog-features", "HarvestLog-pixels", "combat_cow_plains_barehand-features"):
    check_env(gymnasium.make(f"rlgpt/{name}-v0", area=32))
"""
LEARNS = """
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
torch.set_num_threads(1)
batch = make_vec_env("rlgpt:rlgpt/HarvestLog-%s-v0", n_envs=2, seed=1, env_kwargs={"area": 32})
agent = PPO("%s", batch, n_steps=32, batch_size=32, n_epochs=1, device="cpu")
agent.learn(128)
print(agent.num_timesteps)
"""


def run(*arguments: str, cwd: Path) -> str:
    done = subprocess.run(
        [str(PYTHON), *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_stable_baselines3_checks_the_environments(tmp_path: Path) -> None:
    run("-W", "error::UserWarning:stable_baselines3", "-c", CHECKS, cwd=tmp_path)


@pytest.mark.parametrize(("form", "policy"), [("features", "MlpPolicy"), ("pixels", "CnnPolicy")])
def test_stable_baselines3_trains_on_features_and_pixels(
    tmp_path: Path, form: str, policy: str
) -> None:
    assert run("-c", LEARNS % (form, policy), cwd=tmp_path) == "128\n"


@pytest.mark.parametrize(
    ("form", "seen"),
    [
        ("features", {"shape": [201, 2, 224], "type": "float32"}),
        ("pixels", {"shape": [201, 2, 64, 64, 3], "type": "uint8"}),
    ],
)
def test_pufferlib_steps_the_environments_alike_in_one_process_and_in_several(
    tmp_path: Path, form: str, seen: dict[str, object]
) -> None:
    told = json.loads(run(str(PUFFERLIB), form, cwd=tmp_path))
    assert told.pop("same_in_both")
    assert list(told) == ["Serial", "Multiprocessing"]
    for of_backend in told.values():
        assert of_backend["same_again"]
        assert {name: of_backend[name] for name in seen} == seen
        # The random player crafts the planks most of the time, and else the time limit counts.
        assert min(of_backend["terminated"]) > 20
        assert 1 <= min(of_backend["truncated"]) < 10


@pytest.mark.skipif(not SCRIPT, reason="CLEANRL_PPO names no copy of CleanRL's ppo.py")
def test_cleanrls_unchanged_script_trains_on_the_environments(tmp_path: Path) -> None:
    arguments = ["--env-id", "rlgpt:rlgpt/HarvestLog-features-v0", "--total-timesteps", "512"]
    said = run(os.path.abspath(SCRIPT), *arguments, "--no-cuda", cwd=tmp_path)
    assert "SPS:" in said
