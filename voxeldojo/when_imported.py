"""Calls a function once a library is imported, without importing it."""

import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


def when_imported(name: str, then: Callable[[], None]) -> None:
    """Call ``then`` now if the module is already imported, else at the end of its import."""
    if name in sys.modules:
        then()
    else:
        sys.meta_path.insert(0, _Awaiting(name, then))


class _Awaiting(MetaPathFinder):
    """Finds nothing itself, but asks the finders after it. A mere search for the library
    (``importlib.util.find_spec``) does not count as its import."""

    def __init__(self, name: str, then: Callable[[], None]) -> None:
        self._name = name
        self._then = then

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        # Only the finders after this one. An earlier finder of this class has called this one.
        behind = sys.meta_path[sys.meta_path.index(self) + 1 :] if self in sys.meta_path else []
        found = (finder.find_spec(fullname, path, target) for finder in behind)
        spec = next(filter(None, found), None)
        if spec is not None and spec.loader is not None:
            self._follow(spec.loader.exec_module, spec.loader)
        return spec

    def _follow(self, execute: Callable[[ModuleType], None], loader: object) -> None:
        def executed(module: ModuleType) -> None:
            execute(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                self._then()

        # Patches the module's own loader: a loader of our own would lack other methods that are
        # used, such as those for sources and resources.
        loader.exec_module = executed  # pyright: ignore[reportAttributeAccessIssue]
