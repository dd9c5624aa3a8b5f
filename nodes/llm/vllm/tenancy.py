"""The llm node's end of a vLLM server: its state is published, and the card is shared by leases."""

import contextlib
import logging
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from messages.bus import Bus, BusClosed
from messages.gpu import SERVER, ServerState
from messages.system import Diagnostic, diagnostics
from nodes.llm.backend import BackendError
from nodes.llm.lease import Lease
from nodes.llm.profiles import Vllm
from nodes.llm.vllm.cards import cards
from nodes.llm.vllm.vllm_server import Server, ServerFailed, Stopping


class Tenancy:
    """Raises ValueError when the server cannot be started as the profile asks."""

    def __init__(self, profile: Vllm, folder: Path, log: logging.Logger, bus: Bus) -> None:
        self._profile = profile
        self._log = log
        self._bus = bus
        self._closed = False
        self.lease = Lease(folder, self._free_the_card)
        self.server = Server(profile, folder, log, self._publish, lambda: not self.lease.holder)

    def start(self) -> None:
        """Start the server and wait for it, in the main thread; a signal to stop ends the wait.

        Raises:
            ValueError: it does not become healthy; one sentence with what to do.
            SystemExit: the node is to stop.
        """
        if self.lease.holder:
            self._log.info("the card is %s's: vLLM is started afterwards", self.lease.holder)
            self.server.watch()
            return
        with self._stopping_at_signals():
            try:
                self.server.start()
            except Stopping:
                raise SystemExit(0) from None
            except ServerFailed as error:
                raise ValueError(str(error)) from None
            if self.server.stopping:
                raise SystemExit(0)

    @contextlib.contextmanager
    def _stopping_at_signals(self) -> Iterator[None]:
        before = {n: signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGINT)}

        def stop(number: int, frame: object) -> None:
            self.server.stop_waiting()

        for number in before:
            signal.signal(number, stop)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def url(self) -> str:
        """The URL of a healthy server, for a backend.

        Raises:
            BackendError: there is none.
            BusClosed: the node stops, which is no answer that could be recorded.
        """
        try:
            return self.server.ready()
        except Stopping:
            raise BusClosed("the llm node stops") from None
        except ServerFailed as error:
            raise BackendError(str(error).rstrip("."), permanent=True, no_model=True) from None

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """An answer is being written: the card is the language model's. Raises ServiceError."""
        with self.lease.answering():
            yield

    def take(self, holder: str, seconds: float) -> float:
        """Raises ServiceError; see `Lease.take`."""
        if self._profile.gpu != "turns":
            return 0.0
        slept = self.lease.take(holder, seconds)
        if slept:
            self._log.info("the card is %s's; vLLM freed it in %.2f s", holder, slept)
            self._publish()
        return slept

    def give_back(self, holder: str) -> None:
        self.lease.give_back(holder)
        self._publish()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.lease.close()
            self.server.close()

    def _free_the_card(self) -> float:
        began = time.monotonic()
        self.server.sleep()
        return time.monotonic() - began

    def _publish(self) -> None:
        figures = self.server.figures
        gpus = [card.gpu for card in cards()] if self._profile.device == "cuda" else []
        self._bus.publish(
            SERVER,
            ServerState(
                state=self.server.state,
                model=self._profile.model,
                pid=self.server.pid,
                restarts=self.server.restarts,
                holder=self.lease.holder,
                running=int(figures.get("running", 0)),
                waiting=int(figures.get("waiting", 0)),
                prompt_tokens=int(figures.get("prompt_tokens", 0)),
                completion_tokens=int(figures.get("completion_tokens", 0)),
                cache_usage=figures.get("cache_usage", 0.0),
                gpus=gpus,
            ),
        )
        for gpu in gpus:
            self._bus.publish(
                diagnostics("llm"),
                Diagnostic(
                    node="llm",
                    level="info",
                    about=f"GPU {gpu.index} ({gpu.name})",
                    message=f"{gpu.used} MiB used, {gpu.free} MiB free of {gpu.total} MiB",
                    count=0,  # nothing is wrong
                ),
            )
