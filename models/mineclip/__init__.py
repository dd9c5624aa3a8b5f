"""MineCLIP, for users who have its weights: how well the last 16 frames match a prompt, and an
embedding of a frame in 512 numbers. docs/mineclip.md."""

from models.mineclip.mineclip import MineClip
from models.mineclip.weights import WeightsError

__all__ = ["MineClip", "WeightsError"]
