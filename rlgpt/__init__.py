"""RL-GPT as a stack of nodes: the ``rlgpt`` command, and `connect` for a run from Python.

Importing it registers the embedded world's environments with Gymnasium, before or after Gymnasium
itself is imported::

    import gymnasium
    import rlgpt

    environment = gymnasium.make("rlgpt/HarvestLog-features-v0")
"""

import runpy
from pathlib import Path
from typing import TYPE_CHECKING

# By its path, for another package may be called `nodes`.
runpy.run_path(str(Path(__file__).parent.parent / "nodes" / "own_packages.py"))["settle"]()

from voxeldojo.when_imported import when_imported  # noqa: E402

if TYPE_CHECKING:
    from rlgpt.connecting import Connection

__all__ = ["connect"]


def _register() -> None:
    from nodes.common.running.gymnasium_registration import register

    register()


# Every `rlgpt` command imports this, and few of them need Gymnasium.
when_imported("gymnasium", _register)


def connect(run: "str | Path | None" = None) -> "Connection":
    """Connect to a run whose nodes are up; see `rlgpt.connecting.Connection`.

    ``run`` is a run folder or a name below ``runs/``; None is the newest. Use it in a ``with``
    statement, or close it.

    Raises:
        rlgpt.connecting.StackError: there is no such run, or none of its nodes is running.
    """
    # The bus and its libraries are imported only to connect.
    from rlgpt.connecting import Connection

    return Connection(run)
