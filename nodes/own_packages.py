"""Which `messages`, `models`, `nodes`, `rlgpt` and `voxeldojo` are imported: ours, or those that
Python finds first. Most names are common ones, and Python looks in a script's folder, the folder in
which ``python -m`` was called and PYTHONPATH before it looks where we are installed.

Our own processes always import ours. In another program's process that could break the program, so
the import fails with one sentence.
"""

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from types import ModuleType

PACKAGES = ("messages", "models", "nodes", "rlgpt", "voxeldojo", "worlds")
DEPENDENCIES = (
    "av", "gymnasium", "hydra", "jinja2", "llvmlite", "markupsafe", "mcap", "msgpack", "msgspec",
    "numba", "numpy", "omegaconf", "rich", "safetensors", "starlette", "tensorboard", "tensordict",
    "torch", "torchrl", "uvicorn", "websockets", "yaml", "zmq",
)  # fmt: skip
"""Packages that we import. All of them are folders, so a file of such a name is another module."""
SINGLE_FILES = ("threadpoolctl",)
"""Modules that we import besides, which are files: by its kind, another file of such a name cannot
be told from ours."""
TESTS = "tests"
"""The package of tests of a checkout, whose tests start processes of their own. Some distributions
install their tests as a package of this name (opensimplex, which Crafter needs)."""
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REFUSED = 2


class OwnPackages:
    """A finder that finds our packages in our folder, before others of the same name."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        own = path is None and (name in PACKAGES or name == TESTS)
        return PathFinder.find_spec(name, [ROOT]) if own else None


def settle() -> None:
    """Take our packages in a process of ours; in others check that they are ours.

    Raises:
        SystemExit: in a process of ours, a file hides a module that Python or we need. The sentence
            is on standard error.
        ImportError: in another process, one of our packages is another one of the same name.
    """
    # By its name: this file may have been run by its path before.
    if any(getattr(finder, "__name__", "") == "OwnPackages" for finder in sys.meta_path):
        return
    if _is_ours():
        take()
    elif sentence := hidden():
        raise ImportError(sentence)


def take() -> None:
    """From now on find our packages here, and modules of the working folder last of all."""
    sys.meta_path.insert(0, OwnPackages)  # pyright: ignore[reportArgumentType]
    try:
        here = os.getcwd()
    except OSError:  # it was removed
        here = ""
    if not sys.flags.safe_path and sys.argv[:1] == ["-m"]:
        del sys.path[0]  # as `python -m` put it there
    if here and here not in sys.path:
        sys.path.append(here)
    if sentence := _hidden_by_files():
        print(f"rlgpt: {sentence}", file=sys.stderr)
        raise SystemExit(REFUSED)


def hidden() -> str:
    """Which of our packages another one hides, in a sentence; empty if none does."""
    for name in PACKAGES:
        where = _folder_of(name)
        if where is not None and os.path.realpath(where) != os.path.realpath(f"{ROOT}/{name}"):
            return (
                f"rlgpt needs its own `{name}` (in {ROOT}), but {where} is found first; rename"
                " that one, take its folder off PYTHONPATH, or start Python in another folder"
            )
    return ""


def _is_ours() -> bool:
    """Whether this is the ``rlgpt`` command, or ``python -m`` with a module of ours."""
    program = sys.argv[0] if sys.argv else ""
    if program != "-m":  # so it is called while Python looks for the module
        return os.path.basename(program) == "rlgpt"
    words = sys.orig_argv
    module = words[words.index("-m") + 1] if "-m" in words[:-1] else ""
    return module.partition(".")[0] in PACKAGES


def _folder_of(name: str) -> str | None:
    """Where a package, or a module of its name, is; None: there is none."""
    try:
        spec = find_spec(name)
    except ValueError:  # it was put together by hand
        return getattr(sys.modules[name], "__file__", None) or f"a module called {name}"
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return next(iter(spec.submodule_search_locations))
    return spec.origin


def _hidden_by_files() -> str:
    """The same for other modules: Python's own, and our dependencies if a file, no package, has the
    name of one."""
    for folder in sys.path:
        if folder == os.path.dirname(os.__file__):
            break  # what is found first has been seen
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for file in sorted(names):
            name, _, ending = file.partition(".")
            if ending == "py" and (name in DEPENDENCIES or name in sys.stdlib_module_names):
                return (
                    f"{os.path.abspath(os.path.join(folder, file))} hides the `{name}` that is"
                    " needed here; rename it, or take its folder off PYTHONPATH"
                )
    return ""
