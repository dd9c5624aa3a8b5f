"""Films an environment: H.264 in an MP4 file, written as it goes."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

HEIGHT, WIDTH = 160, 256  # what the paper's agent sees
RATE = 20  # frames a second
EVERY = 2  # every second step is a frame: twice the speed of the game


class Film:
    """``path`` is written to. At most ``longest`` frames are kept: a film is for looking at."""

    def __init__(self, path: Path, longest: int = 1200) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._left = longest
        self._steps = 0
        self._container: Any = av.open(str(path), "w")
        self._stream: Any = self._container.add_stream("h264", rate=RATE)
        self._stream.width, self._stream.height = WIDTH, HEIGHT
        self._stream.pix_fmt = "yuv420p"
        self._stream.time_base = Fraction(1, RATE)
        self._stream.options = {"preset": "veryfast", "crf": "26"}

    def wants_frame(self) -> bool:
        """Whether this step is to be filmed; counts the step."""
        self._steps += 1
        return self._left > 0 and self._steps % EVERY == 1

    def add(self, rgb: NDArray[np.uint8]) -> None:
        """One more frame: (3, HEIGHT, WIDTH) uint8."""
        self._left -= 1
        picture = np.ascontiguousarray(rgb.transpose(1, 2, 0))
        frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
        self._container.mux(self._stream.encode(frame))

    def close(self) -> None:
        """Write what is left. The film cannot be added to afterwards."""
        self._container.mux(self._stream.encode())
        self._container.close()
