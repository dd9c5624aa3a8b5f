"""One update: at once, or beside the collection of the next rollout."""

import threading
from collections.abc import Callable

import torch

from nodes.learner.optimising.ppo import UpdateStatistics


class Updating:
    """An update that is to be waited for.

    Args:
        update: what is done. Nothing that it changes may be used before `wait` has returned.
        samples: of the rollout that it learns from.
        threads: None: it is done in `wait`; else at once, in a thread of its own with so many
            threads of torch, which counts them for each thread that calls it.
    """

    def __init__(
        self, update: Callable[[], UpdateStatistics], samples: int, threads: int | None
    ) -> None:
        self.samples = samples
        self._update = update
        self._statistics: UpdateStatistics | None = None
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None
        if threads is not None:
            # A daemon: a learner that is to stop does not wait for the end of a long update.
            self._thread = threading.Thread(
                target=self._run, args=[threads], name="update", daemon=True
            )
            self._thread.start()

    def wait(self) -> UpdateStatistics:
        """Raises what the update raised."""
        if self._thread is None:
            return self._update()
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._statistics is not None
        return self._statistics

    def abandon(self) -> None:
        """Wait until the update has ended; ignore its outcome."""
        if self._thread is not None:
            self._thread.join()

    def _run(self, threads: int) -> None:
        torch.set_num_threads(threads)
        try:
            self._statistics = self._update()
        except BaseException as error:  # raised again where it is waited for
            self._error = error
