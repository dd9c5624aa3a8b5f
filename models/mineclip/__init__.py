"""MineCLIP, for those who have its weights: how alike the last 16 frames and a prompt are, and what
a frame shows, in 512 numbers. docs/mineclip.md."""

from models.mineclip.mineclip import MineClip
from models.mineclip.weights import WeightsError

__all__ = ["MineClip", "WeightsError"]
