"""The name by which a launch knows a node, which is to be the name that the node has."""

import os

from nodes.common.running.process import NAMED
from nodes.config import ConfigError


def check_launched_name(name: str) -> None:
    """Raises ConfigError where the launch has started this node under another name: nothing would
    find it, and it would read the parameters of the other."""
    wanted = os.environ.get(NAMED, "")
    if wanted and wanted != name:
        raise ConfigError(f"the launch calls this node `{wanted}`: give both the same name")
