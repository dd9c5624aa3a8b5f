"""An adapter (LoRA) that vLLM puts on the weights as it serves them: for a GPU, where that costs
little. On a CPU it costs most of the speed: take the weights that it was merged into."""

import os
import re
from pathlib import Path
from typing import Any

import msgspec

from messages.undecodable import UNDECODABLE
from nodes.llm import manifest
from nodes.llm.folders import no_folder
from nodes.llm.getting.adapters import weights_version
from nodes.llm.profiles import Vllm
from nodes.llm.vllm.safetensors_header import cut, shapes
from nodes.llm.vllm.weight_digest import folder_digest

_RANKS = (8, 16, 32, 64, 128, 256)  # that vLLM reserves memory for
_WEIGHTS = "adapter_model.safetensors"
_NAME = re.compile(r"[\w.-]*[\w-]/[\w.-]+")  # as Hugging Face names a model
_CACHED = re.compile(r"models--([^/]+?)--([^/]+)")
_PACKED = re.compile(r"[-_.](bnb|awq|gptq|gguf|fp8|int[48]|[48]bit|w\d+a\d+|unsloth|quantized)\b.*")
_PREFIX = "base_model.model."  # before the names of the weights


def served_name(profile: Vllm) -> str:
    """What the model is asked for by: vLLM keeps the name of the weights for those without it."""
    return f"{profile.model}+adapter" if profile.adapter is not None else profile.model


def adapter_words(profile: Vllm, weights: Path) -> list[str]:
    """The words of the command line for the profile's adapter; none where it has none.

    Raises:
        ValueError: it is not there, not whole, or for other weights.
    """
    if profile.adapter is None:
        return []
    if not profile.adapter.strip():
        raise ValueError("llm.adapter is empty: name the folder of an adapter, or leave it out.")
    folder = Path(os.path.expanduser(profile.adapter)).absolute()
    if wrong := no_folder(folder):
        raise ValueError(
            f"llm.adapter={profile.adapter} holds no adapter ({wrong}): name the folder of one."
        )
    try:
        config: Any = msgspec.json.decode((folder / "adapter_config.json").read_bytes())
        rank = next(each for each in _RANKS if each >= int(config["r"]))
        recorded = manifest.read(folder)
    except (OSError, KeyError, TypeError, StopIteration, *UNDECODABLE) as error:
        raise ValueError(
            f"llm.adapter={profile.adapter} holds no adapter of rank {_RANKS[-1]} or less "
            f"({error}): `rlgpt llm train` leaves one in the folder `adapter` of the weights that "
            "it makes."
        ) from None
    wrong = manifest.missing(folder, recorded) if recorded is not None else _half(folder)
    if wrong:
        raise ValueError(f"llm.adapter={profile.adapter} is not whole: {wrong}.")
    if other := _other_shape(folder, weights):
        raise ValueError(
            f"llm.adapter={profile.adapter} was trained on other weights than those in {weights} "
            f"({other}): name its own with llm.path=DIR, or train one for these."
        )
    if recorded is not None:
        version = weights_version(weights)
        if version and version != recorded.source_sha256:
            raise ValueError(
                f"llm.adapter={profile.adapter} was trained on other weights ({recorded.source}, "
                f"version {recorded.source_sha256[:16]}) than those in {weights} "
                f"(version {version[:16]}): name its own with llm.path=DIR, or train one for these."
            )
    elif other := _other_name(config, profile, weights):
        raise ValueError(
            f"llm.adapter={profile.adapter} was trained on other weights than those in {weights} "
            f"({other}): name its own with llm.path=DIR, or correct base_model_name_or_path in "
            "adapter_config.json where both are the same."
        )
    module = f"--lora-modules={served_name(profile)}={folder}"
    return ["--enable-lora", "--max-lora-rank", str(rank), module]


def _half(folder: Path) -> str:
    """What is wrong with the weights of an adapter from elsewhere, in words; "" where nothing
    is."""
    if not (folder / _WEIGHTS).is_file():
        return f"{_WEIGHTS} is missing"
    wrong = cut(folder / _WEIGHTS)
    return f"{_WEIGHTS} {wrong}" if wrong else ""


def _other_shape(folder: Path, weights: Path) -> str:
    """Where the adapter does not fit the weights by their shapes, in words; "" where it does, or
    where they have no tensor of such a name, as if they are quantised."""
    if not (folder / _WEIGHTS).is_file():
        return ""
    there = [shapes(path) for path in weights.glob("*.safetensors")]
    found = {name: shape for each in there for name, shape in each.items()}
    for name, shape in shapes(folder / _WEIGHTS).items():
        for factor, side in ((".lora_A.", -1), (".lora_B.", 0)):  # what it takes, what it gives
            of = name.removeprefix(_PREFIX).replace(factor, ".")
            if factor in name and of in found and found[of][side] != shape[side]:
                return f"{of} has {found[of][side]:,} where the adapter has {shape[side]:,}"
    return ""


def _other_name(config: dict[str, Any], profile: Vllm, weights: Path) -> str:
    """Where an adapter from elsewhere names another base than the weights are called, in words; ""
    where it does not, or where one of the names is not known."""
    base, own = (
        _known_name(str(config.get("base_model_name_or_path") or "")),
        _own(profile, weights),
    )
    if not base or not own or _plain(base) == _plain(own):
        return ""
    return f"its base is {base}, and these are {own}"


def _own(profile: Vllm, weights: Path) -> str:
    """What the makers of the weights call them, as far as it is known: by the manifest, the
    Hugging Face cache, or the profile that they were looked for by. A folder that the user named
    may be called anything."""
    recorded = manifest.read(weights)
    if recorded is not None:
        return recorded.model
    if name := _known_name(str(weights)):
        return name
    return profile.model if profile.path is None else ""


def _known_name(text: str) -> str:
    """``owner/name``, or what a path in the Hugging Face cache is of; "" of any other path."""
    if cached := _CACHED.search(text):
        return f"{cached[1]}/{cached[2]}"
    return text if _NAME.fullmatch(text) else ""


def _plain(model: str) -> str:
    """A model's name without its owner and without how its weights are packed: an adapter for a
    model is for its quantised weights, too."""
    return _PACKED.sub("", model.rpartition("/")[2].lower())


def version(profile: Vllm, weights: Path) -> str:
    """The version of what answers: the digest of the weights' folder, and after a + that of the
    adapter's; as recorded, else by the files. "" where the folder has no weights, which are then
    random.

    Raises:
        ValueError: a folder cannot be read.
    """
    folders = [weights, *([Path(os.path.expanduser(profile.adapter))] if profile.adapter else [])]
    return "+".join(digest for each in folders if (digest := _digest(each)))


def _digest(folder: Path) -> str:
    recorded = manifest.read(folder)
    if recorded is not None:
        return recorded.digest
    try:
        return folder_digest(folder)
    except OSError as error:
        raise ValueError(f"{folder} cannot be read ({error})") from None
