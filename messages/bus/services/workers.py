"""Threads for a service that may take long. They never delay the end of the process."""

import queue
import threading
from collections.abc import Callable

MAX_WORKERS = 16


class Workers:
    """Runs jobs in at most `MAX_WORKERS` daemon threads, made as they are needed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0
        self._count = 0

    def run(self, job: Callable[[], None]) -> None:
        """Run a job, which handles its own exceptions."""
        with self._lock:
            if self._idle > 0:
                self._idle -= 1
            elif self._count < MAX_WORKERS:
                self._count += 1
                threading.Thread(
                    target=self._work, name=f"{self._name}-worker-{self._count}", daemon=True
                ).start()
        self._jobs.put(job)

    def close(self) -> None:
        """End the threads after the jobs that are queued."""
        with self._lock:
            count = self._count
        for _ in range(count):
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
            with self._lock:
                self._idle += 1
