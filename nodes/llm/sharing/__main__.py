"""Serves one model for several runs, until it is interrupted.

    python -m nodes.llm.sharing FOLDER < profile.json

`rlgpt llm serve` calls it. The first line that it prints says where the model is.
"""

import json
import logging
import signal
import sys
import threading
from pathlib import Path

from nodes.common.running.exit_codes import FAILED, REFUSED
from nodes.common.running.standard_error import to_stderr
from nodes.llm.profiles import Vllm, read_profile
from nodes.llm.sharing import served_folder
from nodes.llm.vllm.adapter import served_name
from nodes.llm.vllm.model_files import find_weights
from nodes.llm.vllm.vllm_server import Server, ServerFailed, Stopping

_LOOK = 1.0  # seconds


class _Serving:
    """The server, and the note of it that follows its state."""

    def __init__(self, profile: Vllm, folder: Path, log: logging.Logger) -> None:
        self._folder = folder
        self._log = log
        self._lock = threading.Lock()
        self._served: served_folder.Served | None = None
        self.server = Server(profile, folder, log, self._changed)
        self._served = served_folder.Served(
            url="",
            model=served_name(profile),
            folder=str(find_weights(profile)),
            weights=self.server.version,
            context=profile.context,
        )

    def start(self) -> None:
        """Raises ServerFailed."""
        self._changed()
        self.server.start()

    def _changed(self) -> None:
        with self._lock:
            if self._served is None:  # the server is only made
                return
            self._served.url = self.server.address
            try:
                served_folder.note(self._folder, self._served)
            except OSError as error:
                self._log.error("runs do not find the server: %s", error)


def main(folder: Path, profile: Vllm) -> int:
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    ended = threading.Event()
    try:
        _lock = served_folder.hold(folder)
    except served_folder.AlreadyServed:
        to_stderr(f"a model is served in {folder} already: end that, or choose another with --into")
        return REFUSED
    served_folder.forget(folder)
    try:
        serving = _Serving(profile, folder, logging.getLogger("llm"))
    except ValueError as error:
        to_stderr(str(error).rstrip("."))
        return REFUSED

    def end(number: int, frame: object) -> None:
        ended.set()
        serving.server.stop_waiting()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    try:
        serving.start()
        print(
            f"{served_name(profile)} is served at {serving.server.address} until this is "
            f"interrupted; launches use it with +llm.served={folder.absolute()}",
            flush=True,
        )
        while not ended.wait(_LOOK):
            serving.server.ready()  # started again if it died, a few times in a row at most
    except Stopping:
        pass
    except ServerFailed as error:
        to_stderr(str(error).rstrip("."))
        return FAILED
    finally:
        serving.server.close()
        served_folder.forget(folder)
    return 0


def _main() -> int:
    try:
        profile = read_profile(json.load(sys.stdin))
    except ValueError as error:
        to_stderr(str(error).rstrip("."))
        return REFUSED
    if not isinstance(profile, Vllm):
        to_stderr("this profile has no weights of its own to serve: name one of kind vllm")
        return REFUSED
    return main(Path(sys.argv[1]), profile)


if __name__ == "__main__":
    sys.exit(_main())
