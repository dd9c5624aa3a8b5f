"""An adapter (LoRA) that vLLM puts on the weights as it serves them: for a GPU, where that costs
little. On a CPU it costs most of the speed: take the weights that it was merged into."""

from pathlib import Path
from typing import Any

import msgspec

from messages.undecodable import UNDECODABLE
from nodes.llm import manifest
from nodes.llm.folders import no_folder
from nodes.llm.profiles import Vllm

_RANKS = (8, 16, 32, 64, 128, 256)  # that vLLM reserves memory for


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
    folder = Path(profile.adapter).expanduser().absolute()
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
    if recorded is not None:
        if wrong := manifest.missing(folder, recorded):
            raise ValueError(f"llm.adapter={profile.adapter} is not whole: {wrong}.")
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


def version(profile: Vllm, weights: Path) -> str:
    """The version of what answers, from the digests of its files; "" where they are not
    recorded."""
    folders = [weights, *([Path(profile.adapter).expanduser()] if profile.adapter else [])]
    recorded = [manifest.read(folder) for folder in folders]
    return "+".join(each.digest for each in recorded if each is not None)
