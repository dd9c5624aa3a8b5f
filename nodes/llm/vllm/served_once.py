"""A server for one command. Its log is kept where it failed."""

import logging
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from nodes.llm.profiles import Vllm
from nodes.llm.vllm.vllm_server import Server, ServerFailed


@contextmanager
def served(profile: Vllm) -> Generator[Server]:
    """A healthy server, which ends with the body. The log of one that failed is kept: the reason
    names it.

    Raises:
        ValueError: it cannot be served here.
        ServerFailed: the server ended.
    """
    folder = Path(tempfile.mkdtemp(prefix="rlgpt-vllm-"))
    failed = False
    try:
        server = Server(profile, folder, logging.getLogger("llm"))
        try:
            server.start()
            yield server
        finally:
            server.close()
    except ServerFailed:
        failed = True
        raise
    finally:
        if not failed:
            shutil.rmtree(folder)
