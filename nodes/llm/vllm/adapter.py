"""An adapter (LoRA) that vLLM puts on the weights as it serves them: for a GPU, where that costs
little. On a CPU it costs most of the speed: take the weights that it was merged into."""

import os
from pathlib import Path
from typing import Any

import msgspec

from messages.undecodable import UNDECODABLE
from nodes.llm import manifest
from nodes.llm.folders import no_folder
from nodes.llm.profiles import Vllm
from nodes.llm.vllm.safetensors_header import cut, shapes

_RANKS = (8, 16, 32, 64, 128, 256)  # that vLLM reserves memory for
_WEIGHTS = "adapter_model.safetensors"
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
        base = manifest.read(weights)
        if base is not None and base.weights != recorded.source_sha256:
            raise ValueError(
                f"llm.adapter={profile.adapter} was trained on other weights ({recorded.source}, "
                f"version {recorded.source_sha256[:16]}) than those in {weights} "
                f"(version {base.weights[:16]}): name its own with llm.path=DIR, or train one for "
                "these."
            )
    module = f"{served_name(profile)}={folder}"
    return ["--enable-lora", "--max-lora-rank", str(rank), "--lora-modules", module]


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


def version(profile: Vllm, weights: Path) -> str:
    """The version of what answers, from the digests of its files; "" where they are not
    recorded."""
    folders = [weights, *([Path(os.path.expanduser(profile.adapter))] if profile.adapter else [])]
    recorded = [manifest.read(folder) for folder in folders]
    return "+".join(each.digest for each in recorded if each is not None)
