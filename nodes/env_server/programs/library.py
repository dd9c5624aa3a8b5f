"""The helpers that programs may call: functions in the checked language itself, a folder a game.

A program gets those that it calls, and what these call, compiled like its own functions: the same
checks, rewriting and fuel, each primitive counted. In the program's namespace their names begin
with ``_h_``, so that neither can touch the other's.
"""

import ast
import copy
from functools import cache, lru_cache
from types import CodeType

from nodes.env_server.programs.checker import check_library
from nodes.env_server.programs.rewriter import rewrite
from worlds.language import Language

FILE_NAME = "<helper of coded actions>"
PREFIX = "_h_"


class _Library:
    """All helpers as trees, by name. Raises ValueError: one of them is not in the language."""

    def __init__(self, language: Language) -> None:
        files = [ast.parse(source) for source in language.helper_files()]
        body = [node for file in files for node in file.body if not isinstance(node, ast.Expr)]
        tree = ast.Module(body, [])
        problems, self.acting = check_library(tree, language)
        if problems:
            raise ValueError(f"the helpers of {language.game} do not compile: {problems}")
        self.parts: dict[str, ast.stmt] = {}
        for node in body:
            if isinstance(node, ast.FunctionDef):
                self.parts[node.name] = node
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.parts[node.targets[0].id] = node

    def needed(self, names: frozenset[str]) -> list[str]:
        """These and what they use, in the order in which they are written."""
        found: set[str] = set()
        left = list(names)
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                used = (n.id for n in ast.walk(self.parts[name]) if isinstance(n, ast.Name))
                left += [other for other in used if other in self.parts]
        return [name for name in self.parts if name in found]


@cache
def _library(language: Language) -> _Library:
    return _Library(language)


def acting(language: Language) -> frozenset[str]:
    """Names of the helpers that take steps."""
    return _library(language).acting & language.helpers


@cache
def signatures(language: Language) -> dict[str, ast.arguments]:
    """The arguments of each helper."""
    parts = _library(language).parts
    functions = {name: parts[name] for name in language.helpers}
    return {
        name: part.args for name, part in functions.items() if isinstance(part, ast.FunctionDef)
    }


@lru_cache(maxsize=16)
def compiled(language: Language, names: frozenset[str]) -> tuple[CodeType, frozenset[str]]:
    """The helpers of these names, ready to be executed in a run's namespace before the program, and
    the attributes that they read."""
    library = _library(language)
    parts = [copy.deepcopy(library.parts[name]) for name in library.needed(names)]
    tree = ast.Module(parts, [])
    read = frozenset(n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute))
    rename(tree, frozenset(library.parts))
    new = rewrite(tree, language, frozenset(PREFIX + name for name in library.acting))
    return compile(new, FILE_NAME, "exec", dont_inherit=True, optimize=0), read


def rename(tree: ast.AST, names: frozenset[str]) -> None:
    """Put the prefix before these names wherever the tree mentions them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = PREFIX + node.id
        elif isinstance(node, ast.FunctionDef) and node.name in names:
            node.name = PREFIX + node.name
