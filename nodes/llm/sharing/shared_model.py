"""The llm node's end of a model that another process serves for several runs."""

import os
import threading
import time
from pathlib import Path

from messages.bus import BusClosed
from nodes.llm.backend import BackendError
from nodes.llm.profiles import Vllm
from nodes.llm.sharing.served_folder import Served, is_held, read
from nodes.llm.vllm.adapter import served_name, version
from nodes.llm.vllm.model_files import find_weights

_LOOK = 0.2  # seconds


class SharedModel:
    """Finds the server before each request, as it may have been started again elsewhere.

    Raises:
        ValueError: nothing is served in the profile's folder, or something else than it wants; one
            sentence with what to do.
    """

    def __init__(self, profile: Vllm) -> None:
        assert profile.served is not None
        self._profile = profile
        self._closing = threading.Event()
        self._folder = Path(os.path.expanduser(profile.served)).absolute()
        if profile.gpu == "turns":
            raise ValueError(
                "llm.gpu=turns puts the model to sleep while the learner trains, and other runs "
                "may ask a model that is served for several: leave out llm.served, or set "
                "llm.gpu=cpu or shares."
            )
        self.version = version(profile, find_weights(profile))
        found = self._wait()
        if found is None:
            raise ValueError(
                f"llm.served={profile.served}: no model is served there; `rlgpt llm serve PROFILE "
                f"--into {profile.served}` serves one, and without llm.served this run has a "
                "server of its own."
            )
        if wrong := self._difference(found):
            raise ValueError(
                f"llm.served={profile.served}: what is served there has {wrong}: serve the same "
                "profile with the same settings, or leave llm.served out."
            )

    def url(self) -> str:
        """Raises:
        BackendError: no server is there now, or another model's.
        BusClosed: the node stops.
        """
        found = self._wait()
        if found is None:
            raise BackendError(f"no model is served in {self._profile.served}", lost=True)
        if wrong := self._difference(found):
            raise BackendError(
                f"what is served in {self._profile.served} has {wrong}",
                permanent=True,
                no_model=True,
            )
        return found.url

    def close(self) -> None:
        self._closing.set()

    def _wait(self) -> Served | None:
        """What is served, waiting for a server that is just started."""
        until = time.monotonic() + self._profile.start_timeout
        while is_held(self._folder) and time.monotonic() < until:
            found = read(self._folder)
            if found is not None and found.url:
                return found
            if self._closing.wait(_LOOK):
                raise BusClosed("the llm node stops")
        return None

    def _difference(self, found: Served) -> str:
        """How it differs from what the profile wants, in words; "" where it does not."""
        wanted = self._profile
        for what, there, here in (
            ("the model", found.model, served_name(wanted)),
            ("weights of version", found.weights, self.version),
            ("a context of", found.context, wanted.context),
        ):
            if there != here:
                return f"{what} {there}, and this run wants {here}"
        return ""
