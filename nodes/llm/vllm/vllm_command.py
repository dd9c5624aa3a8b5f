"""How vLLM is started: the command line and the environment, from a profile."""

import json
import os
import shutil
import sys
from pathlib import Path

from nodes.common.running.process import NAMED, SUPERVISED
from nodes.llm.getting.cpu_environment import NAME, made
from nodes.llm.profiles import Vllm
from nodes.llm.vllm.adapter import adapter_words
from nodes.llm.vllm.cpu_numbers import numbers_on

VLLM, TORCH = "0.32.0", "2.13.0"
"""The version that this project was tested with, and what it pins."""

_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
# What follows the last 3 to 5 tokens where they stand elsewhere in the prompt or the answer. With
# fewer than 3 it guesses wrong too often.
_FROM_THE_PROMPT = {"method": "ngram", "prompt_lookup_max": 5, "prompt_lookup_min": 3}
_PICTURES = {"image": {"count": 64, "width": 1024, "height": 1024}, "video": 0}
_BIND = "VLLM_CPU_OMP_THREADS_BIND"
_FEW = 2  # cores
# What is for the node alone, and what would mislead the server: another environment's modules,
# proxies for a server on the loopback.
_DROPPED = {
    "NOTIFY_SOCKET",
    SUPERVISED,
    NAMED,
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
}


def find_program(profile: Vllm) -> Path:
    """The executable of ``llm.command``.

    Raises:
        ValueError: it is not on this machine; the message has how to get it.
    """
    if not profile.command:
        raise ValueError("llm.command is empty; the default is [vllm, serve].")
    name = profile.command[0]
    if "/" in name:
        candidates = [str(Path(os.path.expanduser(name)).absolute())]
    else:
        here, own = Path(sys.executable).parent, Path(NAME).absolute()
        # One that is only half made has the program, which would fail at its imports.
        whole = [str(own / "bin" / name)] if made(own) else []
        candidates = [str(here / name), *whole, name]
    for candidate in candidates:
        found = shutil.which(candidate)
        if found is not None:
            return Path(found).absolute()
    return _not_installed(profile, name)


def _not_installed(profile: Vllm, name: str) -> Path:
    raise ValueError(
        f"vLLM is an optional part and is not installed here (no `{name}`): `rlgpt llm get NAME` "
        "makes an environment with its CPU build; for a GPU install it in an "
        f"environment of its own (`python3.11 -m venv {NAME} && "
        f"{NAME}/bin/pip install vllm=={VLLM}`, docs/vllm.md) or name its place "
        f"with llm.command=[PATH,serve]; a server elsewhere (`vllm serve {profile.model} "
        f"--max-model-len {profile.context}`) is used with llm=openai llm.url=http://HOST:8000/v1 "
        f"llm.model={profile.model}."
    )


def command_line(profile: Vllm, weights: Path, port: int) -> list[str]:
    """What ``vllm serve`` is called with. It listens on the loopback only: its routes, those that
    put it to sleep among them, need no password. Raises ValueError for an adapter that
    cannot be used."""
    words = [str(find_program(profile)), *profile.command[1:], str(weights)]
    words += [f"--served-model-name={profile.model}", "--host", "127.0.0.1", "--port", str(port)]
    words += ["--max-model-len", str(profile.context), "--max-num-seqs", str(profile.sequences)]
    # Of the backends only guidance was valid on every schema we use (see docs/vllm.md).
    words += ["--structured-outputs-config"]
    words += ['{"backend":"guidance","disable_any_whitespace":true}']
    if profile.quantization is not None:
        words += [f"--quantization={profile.quantization}"]
    if profile.kv_cache_memory is not None:
        words += [f"--kv-cache-memory-bytes={profile.kv_cache_memory}"]
    if profile.reasoning_parser is not None:
        words += [f"--reasoning-parser={profile.reasoning_parser}"]
    if profile.vision:
        # Memory is set aside for pictures as large as the critic's may be, not as the model could
        # take, which can be gigabytes.
        words += ["--limit-mm-per-prompt", json.dumps(_PICTURES)]
    if numbers_on(profile.device) == "float32":
        words += ["--dtype", "float32"]  # before llm.arguments, which may say otherwise
    if profile.speculative_tokens:
        guessing = {"num_speculative_tokens": profile.speculative_tokens, **_FROM_THE_PROMPT}
        words += ["--speculative-config", json.dumps(guessing)]
    if profile.eager:
        words += ["--enforce-eager"]
    if profile.device == "cuda":
        words += ["--gpu-memory-utilization", f"{profile.memory_share:g}"]
        words += ["--tensor-parallel-size", str(profile.tensor_parallel)]
        if profile.sleep_mode:
            words += ["--enable-sleep-mode"]  # the CPU build refuses it, but has the routes
    return [*words, *adapter_words(profile, weights), *profile.arguments]


def environment(profile: Vllm) -> dict[str, str]:
    """The environment of the server: nothing in it lets the server use the network."""
    kept = {name: value for name, value in os.environ.items() if name.upper() not in _DROPPED}
    # Expandable segments break sleep mode.
    if "expandable_segments" in kept.get("PYTORCH_CUDA_ALLOC_CONF", ""):
        del kept["PYTORCH_CUDA_ALLOC_CONF"]
    routes = {"VLLM_SERVER_DEV_MODE": "1"} if profile.sleep_mode else {}
    return {**_threads(profile), **kept, **_OFFLINE, **routes, **profile.environment}


def _threads(profile: Vllm) -> dict[str, str]:
    """How vLLM's CPU build comes to use all cores.

    It leaves one to its scheduler, which waits most of the time: of two cores that is half of the
    speed. And its n-gram speculation has numba set OpenMP to one thread, which is torch's OpenMP,
    too: from the first guess on all products would have one thread. Numba's own pool has no part in
    that."""
    if profile.device != "cpu":
        return {}
    cores = sorted(profile.cores or os.sched_getaffinity(0))
    bound = {_BIND: f"{cores[0]},{cores[1]}"} if len(cores) == _FEW else {}
    return {"NUMBA_THREADING_LAYER": "workqueue", **bound}
