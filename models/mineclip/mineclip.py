"""MineCLIP with the user's weights: frames and prompts in, embeddings and rewards out."""

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
import yaml
from numpy.typing import NDArray
from torch import Tensor

from models.mineclip.byte_pairs import Tokenizer, beside
from models.mineclip.networks import EMBEDDING
from models.mineclip.weights import WeightsError, load

MEAN, STD = (0.3331, 0.3245, 0.3051), (0.2439, 0.2493, 0.2873)
"""Mean and deviation of the pixels that MineCLIP was trained on, by colour."""
_BATCH = 64  # frames at once
NEGATIVES: tuple[str, ...] = tuple(
    yaml.safe_load(Path(__file__).with_name("negatives.yaml").read_text("utf-8"))
)
"""Prompts for other things that the last 16 frames could show."""
_NEGATIVES = 31  # 32 with the prompt, as in the paper
_SETS = 64  # of prompts whose embeddings are kept, 64 KB each


class MineClip:
    """``weights``: a checkpoint, with CLIP's list of merges beside it. Calls may come from several
    threads.

    Raises:
        WeightsError: the files, or the device, cannot be used.
    """

    def __init__(self, weights: Path, device: str = "cpu") -> None:
        self._device = _device(device)
        network = load(weights)
        sizes = network.sizes
        self.height, self.width = sizes.height, sizes.breadth
        self._tokenizer = Tokenizer(beside(weights), sizes.vocabulary, sizes.context)
        self._network = network.to(self._device)
        self._mean, self._std = (
            torch.tensor(values, device=self._device).reshape(3, 1, 1) for values in (MEAN, STD)
        )
        self._prompts: dict[tuple[str, ...], Tensor] = {}
        self._lock = threading.Lock()
        self.seconds = self._timed()

    def embed(self, frames: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Embeddings of frames: uint8 (n, 3, height, width) -> float32 (n, 512)."""
        with self._lock, torch.inference_mode():
            found = [
                self._network.frames(self._normalised(frames[at : at + _BATCH])).cpu()
                for at in range(0, len(frames), _BATCH)
            ]
        return torch.cat(found).numpy() if found else np.zeros((0, EMBEDDING), np.float32)

    def reward(
        self, clips: NDArray[np.float32], prompt: str, negatives: Sequence[str] = ()
    ) -> NDArray[np.float32]:
        """max(P - 1/N, 0), (n,), with P the probability that a clip matches the prompt, and not one
        of the others. ``clips`` (n, 16, 512): the embeddings of their frames in order.
        ``negatives``: the N - 1 other prompts; if empty, the first 31 of `NEGATIVES`.

        Raises:
            ValueError: a prompt is given twice.
        """
        with self._lock, torch.inference_mode():
            prompts = self._embedded(prompt, negatives)
            if not len(clips):
                return np.zeros(0, np.float32)
            logits = self._network.logits(torch.tensor(clips, device=self._device), prompts)
            likely = logits.softmax(-1)[:, 0] - 1 / len(prompts)
            return likely.clamp(min=0).cpu().numpy()

    def _embedded(self, prompt: str, negatives: Sequence[str]) -> Tensor:
        others = negatives or [other for other in NEGATIVES if other != prompt][:_NEGATIVES]
        prompts = (prompt, *others)
        if len(set(prompts)) < len(prompts):
            raise ValueError("MineCLIP's prompts differ from each other; one is given twice")
        if prompts not in self._prompts:
            tokens = torch.from_numpy(self._tokenizer(list(prompts))).to(self._device)
            while len(self._prompts) >= _SETS:
                del self._prompts[next(iter(self._prompts))]  # the oldest
            self._prompts[prompts] = self._network.prompts(tokens)
        return self._prompts[prompts]

    def _normalised(self, frames: NDArray[np.uint8]) -> Tensor:
        pixels = torch.tensor(frames, device=self._device).float()
        return (pixels / 255 - self._mean) / self._std

    def _timed(self) -> float:
        """Seconds for the embedding of a frame on this device, measured once."""
        frames = np.zeros((4, 3, self.height, self.width), np.uint8)
        self.embed(frames)
        began = time.monotonic()
        self.embed(frames)
        return (time.monotonic() - began) / len(frames)


def _device(name: str) -> torch.device:
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).item()  # the device `meta` has no numbers to read
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0][:160]
        raise WeightsError(f"MineCLIP cannot be put on the device {name!r}: {reason}") from error
    return device
