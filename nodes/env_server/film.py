"""Films an environment: H.264 in an MP4 file, written as it goes."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from nodes.env_server.frames import HEIGHT, RATE, WIDTH, FrameCount


class Film(FrameCount):
    """``path`` is written to. At most ``longest`` frames are kept."""

    def __init__(self, path: Path, longest: int = 1200) -> None:
        super().__init__(longest)
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._container: Any = av.open(str(path), "w")
        self._stream: Any = self._container.add_stream("h264", rate=RATE)
        self._stream.width, self._stream.height = WIDTH, HEIGHT
        self._stream.pix_fmt = "yuv420p"
        self._stream.time_base = Fraction(1, RATE)
        self._stream.options = {"preset": "veryfast", "crf": "26"}

    def add(self, rgb: NDArray[np.uint8]) -> None:
        """One more frame: (3, HEIGHT, WIDTH) uint8."""
        self.left -= 1
        picture = np.ascontiguousarray(rgb.transpose(1, 2, 0))
        frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
        self._container.mux(self._stream.encode(frame))

    def close(self) -> None:
        """Write what is left. The film cannot be added to afterwards."""
        self._container.mux(self._stream.encode())
        self._container.close()
