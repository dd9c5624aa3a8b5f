"""The embedded world without the stack. It belongs to the env server, so it is started as a
process, not imported."""

import os
import sys
from typing import NoReturn


def serve(arguments: list[str]) -> NoReturn:
    """Become the Malmo door. Its own parser reads the arguments."""
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "nodes.env_server.malmo", *arguments])
