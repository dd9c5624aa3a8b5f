"""A run from Python or a notebook: `rlgpt.connect`.

A `Connection` calls services, sends goals and subscribes to topics by their names, with plain
dicts or with the structs of messages/. It is a peer without a name on the bus, as the command line
tools are; nodes may be restarted meanwhile. docs/connecting.md shows it.
"""

from rlgpt.connecting.handles import ClientGoalHandle, StackError, Subscription
from rlgpt.connecting.run_connection import Connection

__all__ = ["ClientGoalHandle", "Connection", "StackError", "Subscription"]
