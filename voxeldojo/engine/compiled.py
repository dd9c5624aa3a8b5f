"""Compiles the world's kernels, and decides when cached ones can be used again.

Numba's cache only notices changes in a kernel's own file. A kernel that calls into another file
would keep using that file's old code, and the old values of rules that are constants to it. So the
kernels of a file are discarded when it, or anything that it imports from here or the rules, has
changed.
"""

import ast
import contextlib
import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import types
from numba.core.registry import CPUDispatcher

import voxeldojo.rules

Function = TypeVar("Function", bound=Callable[..., Any])
HERE = Path(__file__).parent
PACKAGE = __name__.rpartition(".")[0]
NARROW = (types.int8, types.int16, types.int32, types.uint8, types.uint16, types.uint32)
RULES = Path(voxeldojo.rules.__file__).parent
UNCOMPILED = "the kernels run only compiled: unset NUMBA_DISABLE_JIT"


def kernel(function: Function) -> Function:
    """Compile for other kernels to call: cached on disk, without the interpreter's lock, in strict
    IEEE arithmetic so that an episode is the same on every run.

    When one kernel calls another, integers are passed as int64 and fractions as float64, whether
    they are literals or fields of records. Otherwise the called kernel would be compiled again for
    each width and each literal.

    The wrapper with which Python would call it is left out: it took a fifth of the time that all
    kernels take to compile. ``entry_kernel`` keeps it."""
    compiled = _compile(function, no_cpython_wrapper=True)
    dispatcher = cast(Any, compiled)
    if isinstance(dispatcher, CPUDispatcher):
        dispatcher.__class__ = _InnerKernel
    return compiled


def entry_kernel(function: Function) -> Function:
    """Compile a kernel that Python calls too, otherwise like ``kernel``."""
    return _compile(function)


class _InnerKernel(CPUDispatcher):
    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Numba's own ``__call__`` would crash the process here.

        Raises:
            TypeError: always."""
        raise TypeError(f"only kernels can call {self.__name__}: mark it as an entry_kernel")


def _compile(function: Function, **options: Any) -> Function:
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        raise RuntimeError(UNCOMPILED)
    options |= {"no_cfunc_wrapper": True, "error_model": "numpy"}
    compiled: Any = numba.njit(cache=True, nogil=True, **options)(function)
    plain = compiled.get_call_template
    compiled.get_call_template = lambda arguments, keywords: plain(
        tuple(_wide(kind) for kind in arguments), keywords
    )
    return compiled


def _wide(kind: Any) -> Any:
    kind = types.unliteral(kind)
    if kind in NARROW:
        return types.int64
    return types.float64 if kind == types.float32 else kind


def discard_stale_kernels() -> None:
    """Called at every import. One digest of all files is compared first: reading them takes
    milliseconds, finding their imports half a second."""
    sources = sorted(HERE.rglob("*.py"))
    everything = hashlib.sha256(numba.__version__.encode() + _rules_digest())
    for path in sources:
        everything.update(path.name.encode() + _digest(path))
    whole = HERE / "__pycache__" / "everything.kernels"
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
        # A read-only installation has no cache here; Numba then keeps one for each user elsewhere.
        with contextlib.suppress(OSError):
            if stamp.exists() and stamp.read_text() == digest.hexdigest():
                continue
            stamp.parent.mkdir(exist_ok=True)
            for index in stamp.parent.glob(f"{path.stem}.*.nbi"):
                index.unlink(missing_ok=True)
            stamp.write_text(digest.hexdigest())


@cache
def needed_by(path: Path) -> frozenset[Path]:
    """A file of this package and all files of it that it imports, directly or not."""
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
    path = HERE.joinpath(*name.removeprefix(PACKAGE + ".").split("."))
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
