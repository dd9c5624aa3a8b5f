"""Reads a checkpoint that the user supplies: nothing is unpickled, nothing is downloaded."""

import math
import pickle
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor

from models.archive_damage import damaged_part
from models.mineclip.networks import HEAD, Network, Sizes

_PREFIX = "model."
# The published model has these modules under several names: a checkpoint repeats their tensors.
_ALIASES = {"image_encoder.": "clip_model.vision_model.", "reward_head.clip_model.": "clip_model."}
_PICTURE = 5, 8  # rows to columns of patches
_VISION, _TEXT = "clip_model.vision_model.", "clip_model.text_model."
_POOLING = "temporal_encoder.attn.model."
_GLOBAL = re.compile(r"GLOBAL ([\w.]+)")


class WeightsError(ValueError):
    """The files cannot be used; the text is one sentence for the user."""


def load(path: Path) -> Network:
    """The network of a checkpoint, on the CPU, to be used and not to be trained.

    Raises:
        WeightsError: it is missing, broken, or of another model.
    """
    if not path.is_file():
        raise WeightsError(
            f"there are no MineCLIP weights at {path}: get attn.pth (or avg.pth) on a machine with "
            "a network, by the links of the README of github.com/MineDojo/MineCLIP, and copy it "
            "there (docs/mineclip.md)"
        )
    state = {_named(name): value.float() for name, value in _state(path).items()}
    network = _empty(_sizes(state, path))
    _compare(network.state_dict(), state, path)
    network.load_state_dict(state, assign=True)
    return network.eval().requires_grad_(False)


def _state(path: Path) -> dict[str, Tensor]:
    """The tensors of the file by their names in the published model."""
    found: Any
    try:
        if path.suffix == ".safetensors":
            found = load_file(path)
        else:
            _check_sums(path)
            found = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        if isinstance(error, pickle.UnpicklingError) and (more := _GLOBAL.search(reason)):
            raise WeightsError(
                f"{path} holds more than weights ({more[1]}), and nothing is unpickled here: save "
                "its state_dict alone, where you trust the file (docs/mineclip.md has the line)"
            ) from None
        raise WeightsError(
            f"{path} cannot be read as a checkpoint ({reason[:160]}): it is cut off, "
            "damaged, or another kind of file; copy it again and compare its checksum "
            "(docs/mineclip.md)"
        ) from error
    if isinstance(found, Mapping) and "state_dict" in found:
        found = found["state_dict"]
    if not isinstance(found, Mapping) or not all(
        isinstance(name, str) and _plain(value) for name, value in found.items()
    ):
        raise WeightsError(
            f"{path} holds no state_dict of plain tensors: it is no checkpoint of MineCLIP"
        )
    if any(name.startswith(_PREFIX) for name in found):
        return {n[len(_PREFIX) :]: value for n, value in found.items() if n.startswith(_PREFIX)}
    return dict(found)


def _check_sums(path: Path) -> None:
    """Raises ValueError: a part of the file fails its checksum."""
    if not zipfile.is_zipfile(path):
        return  # as older versions of torch wrote it, without checksums
    if damaged := damaged_part(path):
        raise ValueError(f"{damaged} fails its checksum")


def _plain(value: Any) -> bool:
    if not isinstance(value, Tensor):
        return False
    return value.layout is torch.strided and not (value.is_quantized or value.is_complex())


def _named(name: str) -> str:
    """The name of a tensor here, of the several that it may have in the published model."""
    for alias, ours in _ALIASES.items():
        if name.startswith(alias):
            return ours + name[len(alias) :]
    return name


def _sizes(state: Mapping[str, Tensor], path: Path) -> Sizes:
    """The sizes by the shapes of some tensors; `_compare` checks that all tensors agree."""

    def shape(name: str, dimensions: int) -> tuple[int, ...]:
        value = state.get(name)
        if value is None:
            raise WeightsError(f"{path} is no checkpoint of MineCLIP: it has no {name}")
        if value.dim() != dimensions or not value.numel():
            raise WeightsError(
                f"{path} is no checkpoint of MineCLIP: {name} has the shape {tuple(value.shape)}"
            )
        return tuple(value.shape)

    width, _, patch, _ = shape(f"{_VISION}conv1.weight", 4)
    patches = shape(f"{_VISION}pos_embed", 2)[0] - 1
    finer = math.isqrt(patches // math.prod(_PICTURE))
    vocabulary, text_width = shape(f"{_TEXT}token_embedding.weight", 2)
    if finer < 1 or finer**2 * math.prod(_PICTURE) != patches:
        raise WeightsError(
            f"{path} has positions for {patches} patches, which make no picture of 5 to 8: "
            "MineCLIP's are of 160 x 256 pixels, 160 patches"
        )
    for name, wide in (("a picture's", width), ("a prompt's", text_width)):
        if wide % HEAD:
            raise WeightsError(f"{path}: {name} layers are {wide} wide, no multiple of {HEAD}")
    return Sizes(
        width=width,
        layers=_count(state, f"{_VISION}blocks."),
        patch=patch,
        rows=_PICTURE[0] * finer,
        columns=_PICTURE[1] * finer,
        text_width=text_width,
        text_layers=_count(state, f"{_TEXT}blocks."),
        context=shape(f"{_TEXT}pos_embed", 2)[0],
        vocabulary=vocabulary,
        # Attention and perceptron of one layer are two entries.
        pooling_layers=(_count(state, f"{_POOLING}attn_layers.layers.") + 1) // 2,
    )


def _count(state: Mapping[str, Tensor], prefix: str) -> int:
    """How many entries a list of modules has."""
    return len({name[len(prefix) :].partition(".")[0] for name in state if name.startswith(prefix)})


def _empty(sizes: Sizes) -> Network:
    with torch.device("meta"):
        return Network(sizes)


def published(sizes: Sizes | None = None) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the tensors, each once."""
    network = _empty(sizes or Sizes())
    return {name: tuple(value.shape) for name, value in network.state_dict().items()}


def _compare(wanted: Mapping[str, Tensor], state: Mapping[str, Tensor], path: Path) -> None:
    wrong = [f"it has no {name}" for name in wanted if name not in state]
    wrong += [f"MineCLIP has no {name}" for name in state if name not in wanted]
    wrong += [
        f"{name} is {tuple(state[name].shape)} and should be {tuple(value.shape)}"
        for name, value in wanted.items()
        if name in state and state[name].shape != value.shape
    ]
    wrong += [
        f"{name} is not finite" for name in wanted if not wrong and not state[name].isfinite().all()
    ]
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise WeightsError(f"{path} is no checkpoint of MineCLIP: {wrong[0]}{more}")
