"""What MineCLIP costs on a device: `python -m benchmarks.mineclip --device cuda`.

The network has the published shape and random numbers for weights, which take the same time. A
frame is embedded once per primitive step where the reward is paid; a reward compares 16 embeddings
with 32 prompts.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.arguments import device, positive
from models.mineclip import MineClip
from tests.learning.mineclip_files import LETTERS, MERGES, layout, write

REPEATS = 7


def milliseconds(work: Callable[[], object]) -> float:
    work()
    taken = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description="What MineCLIP costs on a device.")
    parser.add_argument(
        "--device", type=device, default="cpu", help="cpu, cuda, or cuda:1 (default: cpu)"
    )
    parser.add_argument("--frames", type=positive, nargs="+", default=[1, 16, 64])
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        vocabulary = 2 * 256 + len(MERGES) + 2  # the real list of merges is not shipped here
        model = MineClip(write(Path(folder), shapes=layout(vocabulary=vocabulary)), chosen.device)
    random = np.random.default_rng(0)
    print(f"MineCLIP (ViT-B/16, random weights) on {chosen.device}")
    print(f"{'frames together':<18}{'ms':>9}{'ms a frame':>12}{'frames/s':>10}")
    for count in chosen.frames:
        shape = (count, 3, model.height, model.width)
        frames = random.integers(0, 256, shape, np.uint8)
        taken = milliseconds(lambda frames=frames: model.embed(frames))
        print(f"{count:<18}{taken:>9.1f}{taken / count:>12.2f}{count / taken * 1e3:>10,.0f}")
    clips = random.standard_normal((64, 16, 512), np.float32)
    prompts = list(LETTERS)
    taken = milliseconds(lambda: model.reward(clips, prompts[0], prompts[1:]))
    print(f"{'64 rewards':<18}{taken:>9.1f}")


if __name__ == "__main__":
    main()
