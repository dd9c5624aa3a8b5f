"""Which steps of an environment are filmed."""

HEIGHT, WIDTH = 160, 256  # what the paper's agent sees
RATE = 20  # frames a second
EVERY = 2  # every second step is a frame: twice the speed of the game


class FrameCount:
    """At most ``longest`` frames are taken: a film is for looking at."""

    def __init__(self, longest: int) -> None:
        self.left = longest
        self._steps = 0

    def wants_frame(self) -> bool:
        """Whether this step is to be filmed; counts the step."""
        self._steps += 1
        return self.left > 0 and self._steps % EVERY == 1
