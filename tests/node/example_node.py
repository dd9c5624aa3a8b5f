"""The worked example of docs/writing_a_node.md as a module: its services, actions and messages."""

import importlib.util
from typing import Any

from tests.bus_processes import ECHO


def _load() -> Any:
    spec = importlib.util.spec_from_file_location("echo", ECHO)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


echo = _load()
