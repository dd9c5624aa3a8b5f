"""``python -P .../nodes/start.py MODULE [ARGUMENT ...]`` is ``python -m MODULE [ARGUMENT ...]`` in
which no folder hides our packages or Python's: ours are found beside this file, and modules of the
working folder, which a launch file may name as nodes, after everything else."""

import os
import runpy
import sys
from importlib.util import find_spec


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package that it would be in
        return False


if __name__ == "__main__":
    # With -P this folder is not searched; the parent is, until our own finder knows where we are.
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    take = runpy.run_path(os.path.join(root, "nodes", "own_packages.py"))["take"]
    take()
    del sys.argv[0]
    if not _is_there(sys.argv[0]):
        sys.exit(f"there is no module {sys.argv[0]!r} to run")
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
