"""``python -P .../nodes/start.py MODULE [ARGUMENT ...]`` is ``python -m MODULE [ARGUMENT ...]`` in
which no folder hides our packages or Python's: ours are found beside this file, and modules of the
working folder, which a launch file may name as nodes, after everything else."""

import sys
from types import TracebackType


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Ctrl-C while the module is imported, before it handles signals, ends the process as it ends
    one that does not handle it: by SIGINT, with nothing to read."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)


def _is_there(module: str) -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package that it would be in
        return False


def _start() -> None:
    # Imported only here: Ctrl-C may come in the middle of it.
    import os
    import runpy

    # With -P this folder is not searched; the parent is, until our own finder knows where we are.
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    take = runpy.run_path(os.path.join(root, "nodes", "own_packages.py"))["take"]
    take()
    del sys.argv[0]
    if not _is_there(sys.argv[0]):
        sys.exit(f"there is no module {sys.argv[0]!r} to run")
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    sys.excepthook = _report
    _start()
