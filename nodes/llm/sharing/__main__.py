"""Serves one model for several runs, until it is interrupted.

    python -m nodes.llm.sharing FOLDER < profile.json

`rlgpt llm serve` calls it. The first line that it prints says where the model is.
"""

import json
import logging
import sys
import threading
import time
from pathlib import Path

from nodes.common.running.ending_signals import interrupted_once
from nodes.common.running.exit_codes import FAILED, REFUSED
from nodes.common.running.standard_error import to_stderr
from nodes.llm.profiles import Vllm, read_profile
from nodes.llm.sharing import served_folder
from nodes.llm.vllm.adapter import served_name
from nodes.llm.vllm.vllm_server import Server, ServerFailed

_LOOK = 1.0  # seconds


class _Serving:
    """The server, and the note of where it is, which follows its state."""

    def __init__(self, profile: Vllm, folder: Path, log: logging.Logger) -> None:
        self._folder = folder
        self._log = log
        self._lock = threading.Lock()
        self._noted: str | None = None  # the URL
        self.server = Server(profile, folder, log, self._changed)

    def _changed(self) -> None:
        """Called by threads of the server, also for each look at its figures."""
        with self._lock:
            url = self.server.address
            if url == self._noted:
                return
            profile = self.server.profile
            served = served_folder.Served(
                url=url,
                model=served_name(profile),
                weights=self.server.version,
                context=profile.context,
            )
            try:
                served_folder.note(self._folder, served)
                self._noted = url
            except OSError as error:
                self._log.error("runs do not find the server: %s", error)


def main(folder: Path, profile: Vllm) -> int:
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    try:
        _lock = served_folder.hold(folder)
    except served_folder.AlreadyServed:
        to_stderr(f"a model is served in {folder} already: end that, or choose another with --into")
        return REFUSED
    served_folder.forget(folder)
    try:
        server = _Serving(profile, folder, logging.getLogger("llm")).server
    except ValueError as error:
        to_stderr(str(error).rstrip("."))
        return REFUSED
    try:
        # Ctrl-C comes twice: to the command in front as well, which passes it on.
        interrupted_once()
        server.start()
        print(
            f"{served_name(profile)} is served at {server.address} until this is interrupted; "
            f"launches use it with +llm.served={folder.absolute()}",
            flush=True,
        )
        while True:
            time.sleep(_LOOK)
            server.ready()  # started again if it died, a few times in a row at most
    except KeyboardInterrupt:
        return 0
    except ServerFailed as error:
        to_stderr(str(error).rstrip("."))
        return FAILED
    finally:
        server.close()
        served_folder.forget(folder)


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
