"""How an array is written in a message type."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
"""An array in a message. It travels as a frame of its own; the reader gets a read-only view."""
