"""The learner's side of a GPU that the language model uses as well: turns, shares, or none.

The language-model profile decides how the card is shared (``llm.gpu``), so that both nodes read it
in one place. docs/vllm.md has the modes.
"""

import contextlib
import gc
import logging
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from messages.bus import BusError, RemoteError
from messages.gpu import GIVE_BACK_GPU, TAKE_GPU, GiveBackGpu, TakeGpu
from messages.interface import Call
from nodes.config import ConfigError, node_values

SECONDS = 60.0
"""How long a lease lasts without a renewal. A killed learner costs the language model that long."""
RENEWED = 15.0  # seconds between renewals
_SPARE = 0.03  # share of the card that is left for memory that neither process counts


def mode(config: Mapping[str, Any]) -> str:
    """``turns``, ``shares``, ``cpu``, or "" where no language model runs on this machine's card."""
    profile = _profile(config)
    return str(profile.get("gpu", "cpu")) if profile.get("kind") == "vllm" else ""


def check_device(config: Mapping[str, Any], device: str) -> None:
    """Raises ConfigError for a learner on a card that only the language model may use."""
    if mode(config) == "cpu" and device != "cpu" and _profile(config).get("device") != "cpu":
        raise ConfigError(
            f"learner.device={device}, and llm.gpu=cpu leaves the GPU to the language model: use "
            "llm.gpu=turns (it sleeps while the learner trains), llm.gpu=shares, or "
            "learner.device=cpu"
        )


def check_there(device: str) -> None:
    """Raises ConfigError for a device that this machine does not have. If only a training noticed
    that, it would look like a sub-action that cannot be learned."""
    if not re.fullmatch(r"cpu|cuda(:\d+)?", device):
        raise ConfigError(f"there is no device called {device!r}: use cpu, cuda, or cuda:1")
    if device == "cpu":
        return
    import torch  # it takes seconds, so it is imported only if a card is configured

    if not torch.cuda.is_available():
        raise ConfigError(
            f"learner.device={device}, but torch sees no GPU here: set learner.device=cpu, or "
            "install a CUDA build of torch and a driver"
        )
    if (number := int(device.partition(":")[2] or 0)) >= torch.cuda.device_count():
        raise ConfigError(
            f"learner.device={device}, but the GPUs here are cuda:0 to "
            f"cuda:{torch.cuda.device_count() - 1}, and there is no number {number}"
        )


@contextlib.contextmanager
def turn(
    config: Mapping[str, Any],
    device: str,
    holder: str,
    call: Call,
    check: Callable[[], None],
    log: logging.Logger,
) -> Iterator[None]:
    """A context to train in: there the learner has the card, or its share of it.

    ``check`` is called while it waits for the card, and raises to end the waiting.
    """
    how = mode(config)
    if how == "shares" and device.startswith("cuda"):
        _take_share(config, device)
    if how != "turns":
        yield
        return
    _take(holder, call, check, log)
    over = threading.Event()
    renewing = threading.Thread(target=_renew, args=(holder, call, over, log), name="lease")
    renewing.start()
    try:
        yield
    finally:
        over.set()
        renewing.join()  # a renewal after the card was given back would take it again
        if device.startswith("cuda"):
            _let_go()
        with contextlib.suppress(BusError):
            # If the llm node is absent, the lease ends by itself: no need to wait for it.
            call(GIVE_BACK_GPU, GiveBackGpu(holder=holder), timeout=GIVE_BACK_GPU.timeout)


def _take(holder: str, call: Call, check: Callable[[], None], log: logging.Logger) -> None:
    while True:
        check()
        try:
            lease = call(TAKE_GPU, TakeGpu(holder=holder, seconds=SECONDS))
        except RemoteError as error:
            if error.code not in ("held", "busy"):
                raise
            log.info("waiting for the GPU: %s", error.message)
            threading.Event().wait(1.0)
        except BusError as error:
            check()  # the bus is closed when the node stops
            log.warning("the llm node does not lend the GPU yet: %s", error)
            threading.Event().wait(1.0)
        else:
            log.info("%s has the GPU; the language model slept after %.2f s", holder, lease.slept)
            return


def _renew(holder: str, call: Call, over: threading.Event, log: logging.Logger) -> None:
    while not over.wait(RENEWED):
        try:
            call(TAKE_GPU, TakeGpu(holder=holder, seconds=SECONDS), timeout=RENEWED)
        except BusError as error:
            log.warning("the lease of the GPU was not renewed: %s", error)


def _take_share(config: Mapping[str, Any], device: str) -> None:
    import torch

    share = 1.0 - float(_profile(config).get("memory_share", 0.55)) - _SPARE
    torch.cuda.set_per_process_memory_fraction(max(share, 0.05), device)


def _let_go() -> None:
    """Free the memory that torch caches, so that the language model can use it."""
    import torch

    gc.collect()
    torch.cuda.empty_cache()


def _profile(config: Mapping[str, Any]) -> Mapping[str, Any]:
    profile = node_values(config, "llm").get("profile") or {}
    return profile if isinstance(profile, Mapping) else {}
