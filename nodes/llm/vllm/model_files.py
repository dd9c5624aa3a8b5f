"""Where a model's weights are on this machine, and how large they are."""

import os
from pathlib import Path

import msgspec

from messages.bounds import Positive
from messages.undecodable import UNDECODABLE
from nodes.llm.folders import no_folder
from nodes.llm.getting.known_models import name_of
from nodes.llm.profiles import Vllm
from nodes.llm.vllm.wholeness import problem

WEIGHTS_VARIABLE = "RLGPT_WEIGHTS"
_SUFFIXES = (".safetensors", ".gguf")
_PICKLES = (".bin",)  # served only where llm.arguments has --load-format


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
        return _checked(_named(profile.path, profile.model), profile)
    place = weights_folder() / profile.model.rpartition("/")[2]
    for candidate in (place, *_cached(profile.model)):
        if (candidate / "config.json").is_file():
            return _checked(candidate, profile)
    raise ValueError(
        f"The weights of {profile.model} are not on this machine (looked in {place} and in the "
        f"Hugging Face cache); {_get(profile)}."
    )


def _named(text: str, model: str) -> Path:
    """The folder of ``llm.path``. Raises ValueError where it holds no model."""
    if not text.strip():
        raise ValueError("llm.path is empty: name the folder of the weights with llm.path=DIR.")
    path = Path(os.path.expanduser(text)).absolute()
    wrong = no_folder(path)
    if not wrong and (path / "config.json").is_file():
        return path
    if wrong and path.suffix == ".gguf" and path.exists():
        raise ValueError(
            f"llm.path={text} is a file: `rlgpt llm get {text}` makes a folder of it to name there."
        )
    raise ValueError(
        f"llm.path={text} holds no model ({wrong or f'no config.json in {path}'}): "
        f"{_get_or_name(model)}name a folder with config.json, tokenizer and *.safetensors, as "
        "`rlgpt llm get` makes one or Hugging Face has them."
    )


def _get_or_name(model: str) -> str:
    """How the model is had where ``llm.path`` is wrong, and "or"; "" for a label of the user's."""
    if known := name_of(model):
        return f"run `rlgpt llm get {known}` and leave llm.path out, or "
    owner, _, name = model.rpartition("/")
    return f"run `hf download {model} --local-dir {name}` and name {name}, or " if owner else ""


def _checked(folder: Path, profile: Vllm) -> Path:
    if wrong := problem(folder, profile.arguments):
        raise ValueError(f"The weights in {folder} cannot be served: {wrong}.")
    return folder


def _get(profile: Vllm) -> str:
    known = name_of(profile.model)
    if known is not None:
        return f"run `rlgpt llm get {known}`, or name a folder that has them with llm.path=DIR"
    owner, _, name = profile.model.rpartition("/")
    if not owner:  # a label of the user's, which nothing can be fetched by
        return "name a folder that has them with llm.path=DIR"
    return (
        f"on a machine with a network run `hf download {profile.model} --local-dir {name}`, copy "
        f"the folder to {weights_folder() / name}, or name another with llm.path=DIR"
    )


def _cached(model: str) -> list[Path]:
    """Snapshots in the Hugging Face cache, the newest first."""
    cache = os.environ.get("HF_HUB_CACHE")
    home = Path(os.environ.get("HF_HOME") or Path(os.path.expanduser("~/.cache/huggingface")))
    snapshots = (Path(cache) if cache else home / "hub") / (f"models--{model.replace('/', '--')}")
    found = list(snapshots.glob("snapshots/*"))
    return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)


def weights_size(path: Path) -> int:
    """Bytes of the files that hold weights; 0 where a model has only its configuration."""
    for suffixes in (_SUFFIXES, _PICKLES):
        found = [file.stat().st_size for file in path.iterdir() if file.suffix in suffixes]
        if found:
            return sum(found)
    return 0


def weightless(path: Path, arguments: list[str]) -> str:
    """What to do about a model without weights, in words; "" where it has some, or where
    ``arguments``, those of `vllm serve`, say otherwise."""
    if weights_size(path) or any(each.startswith("--load-format") for each in arguments):
        return ""
    return "it holds none (no *.safetensors): get them from where config.json is from"


class _Shape(msgspec.Struct):
    """What of config.json makes the size of the KV cache."""

    num_hidden_layers: Positive
    num_attention_heads: Positive
    num_key_value_heads: Positive | None = None
    head_dim: Positive | None = None
    hidden_size: Positive | None = None


class _Config(msgspec.Struct):
    text_config: msgspec.Raw | None = None


def kv_bytes_per_token(path: Path) -> int | None:
    """What one token takes in the KV cache, in 16 bits; None where config.json does not have it."""
    try:
        text = (path / "config.json").read_bytes()
        inner = msgspec.json.decode(text, type=_Config).text_config
        shape = msgspec.json.decode(text if inner is None else inner, type=_Shape)
    except (OSError, *UNDECODABLE):
        return None
    heads = shape.num_attention_heads
    size = shape.head_dim or (shape.hidden_size or 0) // heads
    if not size:
        return None
    return 2 * 2 * shape.num_hidden_layers * size * (shape.num_key_value_heads or heads)
