"""Where a model's weights are on this machine, and how large they are."""

import os
from pathlib import Path
from typing import Any

import msgspec

from messages.undecodable import UNDECODABLE
from nodes.llm.getting.known_models import name_of
from nodes.llm.profiles import Vllm
from nodes.llm.vllm.wholeness import problem

WEIGHTS_VARIABLE = "RLGPT_WEIGHTS"
_SUFFIXES = (".safetensors", ".bin", ".gguf")


def weights_folder() -> Path:
    """Where weights are put: ``$RLGPT_WEIGHTS``, else ``weights/`` where the stack is launched."""
    return Path(os.environ.get(WEIGHTS_VARIABLE) or "weights").absolute()


def find_weights(profile: Vllm) -> Path:
    """The folder with the model's config.json.

    Raises:
        ValueError: there is none, or not all of it; the message has the places and how to get
            the weights.
    """
    if profile.path is not None:
        path = Path(profile.path).expanduser().absolute()
        if (path / "config.json").is_file():
            return _checked(path, profile)
        raise ValueError(
            f"llm.path={profile.path} holds no model (no config.json in {path}); {_get(profile)}."
        )
    place = weights_folder() / profile.model.rpartition("/")[2]
    for candidate in (place, *_cached(profile.model)):
        if (candidate / "config.json").is_file():
            return _checked(candidate, profile)
    raise ValueError(
        f"The weights of {profile.model} are not on this machine (looked in {place} and in the "
        f"Hugging Face cache); {_get(profile)}."
    )


def _checked(folder: Path, profile: Vllm) -> Path:
    if wrong := problem(folder, profile.arguments):
        raise ValueError(
            f"The weights in {folder} cannot be served: {wrong}. If they are half there, delete "
            f"the folder and get them again ({_get(profile)})."
        )
    return folder


def _get(profile: Vllm) -> str:
    known = name_of(profile.model)
    if known is not None:
        return f"run `rlgpt llm get {known}`, or name a folder that has them with llm.path=DIR"
    name = profile.model.rpartition("/")[2]
    return (
        f"on a machine with a network run `hf download {profile.model} --local-dir {name}`, copy "
        f"the folder to {weights_folder() / name}, or name another with llm.path=DIR"
    )


def _cached(model: str) -> list[Path]:
    """Snapshots in the Hugging Face cache, the newest first."""
    cache = os.environ.get("HF_HUB_CACHE")
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    snapshots = (Path(cache) if cache else home / "hub") / (f"models--{model.replace('/', '--')}")
    found = list(snapshots.glob("snapshots/*"))
    return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)


def weights_size(path: Path) -> int:
    """Bytes of the files that hold weights; 0 where a model has only its configuration."""
    return sum(file.stat().st_size for file in path.iterdir() if file.suffix in _SUFFIXES)


def kv_bytes_per_token(path: Path) -> int | None:
    """What one token takes in the KV cache, in 16 bits; None where config.json does not have it."""
    try:
        config: dict[str, Any] = msgspec.json.decode((path / "config.json").read_bytes())
        config = config.get("text_config", config)
        heads = config["num_attention_heads"]
        size = config.get("head_dim") or config["hidden_size"] // heads
        return (
            2
            * 2
            * config["num_hidden_layers"]
            * size
            * (config.get("num_key_value_heads") or heads)
        )
    except (OSError, KeyError, TypeError, AttributeError, *UNDECODABLE):
        return None
