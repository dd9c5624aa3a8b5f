"""Films an environment: H.264 in an MP4 file, written as it goes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from nodes.env_server.filmed_steps import HEIGHT, RATE, WIDTH, FrameCount


class Film(FrameCount):
    """``path`` is written to. At most ``longest`` frames are kept.

    A full disk costs the film and not the session: ``warn`` is called with a
    sentence, what there is of the film is deleted, and ``lost`` is true from then on. Without a
    frame there is no film either, and ``lost`` is true once it is closed.
    """

    def __init__(self, path: Path, warn: Callable[[str], None], longest: int = 1200) -> None:
        super().__init__(longest)
        self.path = path
        self.lost = False
        self._empty = True
        self._warn = warn
        self._container: Any = None
        with self._writing():
            path.parent.mkdir(exist_ok=True)  # a run folder that was removed stays so
            self._container = av.open(str(path), "w")
            self._stream: Any = self._container.add_stream("h264", rate=RATE)
            self._stream.width, self._stream.height = WIDTH, HEIGHT
            self._stream.pix_fmt = "yuv420p"
            self._stream.time_base = Fraction(1, RATE)
            self._stream.codec_context.thread_count = 1  # small pictures; else one for each core
            self._stream.options = {"preset": "veryfast", "crf": "26"}

    def add(self, rgb: NDArray[np.uint8]) -> None:
        """One more frame: (3, HEIGHT, WIDTH) uint8."""
        if self.lost:
            return
        self.left -= 1
        self._empty = False
        picture = np.ascontiguousarray(rgb.transpose(1, 2, 0))
        frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
        with self._writing():
            self._container.mux(self._stream.encode(frame))

    def close(self) -> None:
        """Write what is left. The film cannot be added to afterwards, and may be closed again."""
        if self.lost or self._container is None:
            return
        with self._writing():
            self._container.mux(self._stream.encode())
            self._container.close()
        if self._empty:  # nothing was written; a file of this name is an earlier film
            self.lost = True
            self.path.unlink(missing_ok=True)
        # Its encoder would live, with its memory, for as long as what holds this film.
        self._stream = self._container = None

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.lost, self.left = True, 0
            # PyAV is given no packet after this one: one after a header that could not be written
            # would be a segmentation fault.
            if self._container is not None:
                with suppress(OSError):
                    self._container.close()
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
            self._warn(
                f"the film {self.path} cannot be written ({error.strerror or error}): the session "
                f"plays on without it; free space there for the films to come"
            )
