"""Decides which cached kernels can be used again.

Numba's cache only notices changes in a kernel's own file. A kernel that calls into another file
would keep using that file's old code, and the old values of rules that are constants to it. So the
kernels of a file are discarded when it has changed, or any file of the engine or the rules that it
imports.
"""

import ast
import contextlib
import hashlib
from functools import cache
from pathlib import Path

import numba

import voxeldojo.rules

ENGINE = Path(__file__).parents[1]
PACKAGE = "voxeldojo.engine"
RULES = Path(voxeldojo.rules.__file__).parent


def discard_stale_kernels() -> None:
    """Called at every import. One digest of all files is compared first: reading them takes
    milliseconds, finding their imports half a second."""
    sources = sorted(ENGINE.rglob("*.py"))
    everything = hashlib.sha256(numba.__version__.encode() + _rules_digest())
    for path in sources:
        everything.update(path.name.encode() + _digest(path))
    whole = ENGINE / "__pycache__" / "everything.kernels"
    with contextlib.suppress(OSError):
        if whole.exists() and whole.read_text() == everything.hexdigest():
            return
    _discard_file_by_file(sources)
    with contextlib.suppress(OSError):
        whole.write_text(everything.hexdigest())


def _discard_file_by_file(paths: list[Path]) -> None:
    for path in paths:
        stamp = path.parent / "__pycache__" / f"{path.stem}.kernels"
        digest = hashlib.sha256(numba.__version__.encode())
        sources = sorted(needed_by(path))
        for source in sources:
            digest.update(_digest(source))
        if any("voxeldojo.rules" in _imports(source) for source in sources):
            digest.update(_rules_digest())
        # If the installation is read-only, Numba keeps a cache for each user elsewhere.
        with contextlib.suppress(OSError):
            if stamp.exists() and stamp.read_text() == digest.hexdigest():
                continue
            stamp.parent.mkdir(exist_ok=True)
            for index in stamp.parent.glob(f"{path.stem}.*.nbi"):
                index.unlink(missing_ok=True)
            stamp.write_text(digest.hexdigest())


@cache
def needed_by(path: Path) -> frozenset[Path]:
    """A file of the engine and all files of it that it imports, directly or not."""
    found = {path}
    waiting = [path]
    while waiting:
        for name in _imports(waiting.pop()):
            module = _file_of(name)
            if module is not None and module not in found:
                found.add(module)
                waiting.append(module)
    return frozenset(found)


@cache
def _imports(path: Path) -> frozenset[str]:
    """Modules that a file imports: for ``from a import b`` both ``a`` and ``a.b``."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(names)


def _file_of(name: str) -> Path | None:
    if not name.startswith(PACKAGE + "."):
        return None
    path = ENGINE.joinpath(*name.removeprefix(PACKAGE + ".").split("."))
    module, package = path.with_suffix(".py"), path / "__init__.py"
    return module if module.exists() else package if package.exists() else None


@cache
def _digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


@cache
def _rules_digest() -> bytes:
    digest = hashlib.sha256()
    # sources.* is about what can be obtained; no kernel reads it.
    paths = [path for path in RULES.glob("*") if path.suffix in (".py", ".json", ".yaml")]
    for path in sorted(path for path in paths if path.stem != "sources"):
        digest.update(path.read_bytes())
    return digest.digest()
