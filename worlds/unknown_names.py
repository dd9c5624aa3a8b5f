"""Names in a program that mean nothing where they stand: ``find(obs, "log")`` where blocks go by
another name than items. Only plain strings, and names that are bound once to one, are looked at.

A problem is reported where the string is written: in ``BLOCK = "log"`` at the top of a program that
is the one line to change, however often ``BLOCK`` is used.
"""

import ast
from collections import Counter
from collections.abc import Collection, Iterator

from messages.program import Problem
from worlds.language import Language

_USED_AS = {"block": "a block", "item": "an item", "mob": "a mob", "seen": "a block or a mob"}


def naming_problems(tree: ast.Module, language: Language) -> list[Problem]:
    """A problem for each name that the game knows by another name, or as something else."""
    if not language.naming:
        return []
    bound = _bound_once(tree)
    # A program may define a helper's name itself: then its arguments are what it makes of them.
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    problems: dict[tuple[int, str], Problem] = {}
    for node in ast.walk(tree):
        for kind, value in _named(node, language, own):
            named = bound.get(value.id) if isinstance(value, ast.Name) else value
            name = _text(named)
            wrong = language.naming[kind](name) if name else ""
            if named is None or not wrong:
                continue
            key = (named.lineno, wrong)
            if isinstance(value, ast.Name):
                wrong = f"{wrong}; {value.id} is used as {_USED_AS[kind]} in line {value.lineno}"
            problems.setdefault(key, Problem(line=named.lineno, message=wrong))
    return list(problems.values())


def _named(
    node: ast.AST, language: Language, own: Collection[str]
) -> Iterator[tuple[str, ast.expr]]:
    """(kind of name, where it stands) in a node. ``own``: the functions of the program itself."""
    if isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Name):
            if function.id in language.named_arguments and function.id not in own:
                place, keyword, kind = language.named_arguments[function.id]
                yield from ((kind, each) for each in node.args[place : place + 1])
                yield from ((kind, each.value) for each in node.keywords if each.arg == keyword)
        elif (
            isinstance(function, ast.Attribute)
            and function.attr == "get"
            and node.args
            and (kind := _kind(function.value, language))
        ):
            yield kind, node.args[0]
    elif isinstance(node, ast.Subscript):
        if kind := _kind(node.value, language):
            yield kind, node.slice
    elif isinstance(node, ast.Compare) and len(node.comparators) == 1:
        left, right = node.left, node.comparators[0]
        if kind := _kind(right, language):
            yield kind, left
        elif kind := _kind(left, language):
            yield kind, right


def _kind(value: ast.expr, language: Language) -> str:
    """What a field, or a method's result, holds names of."""
    if isinstance(value, ast.Call):
        value = value.func
    return language.named_fields.get(value.attr, "") if isinstance(value, ast.Attribute) else ""


def _text(value: ast.expr | None) -> str:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value
    return ""


def _bound_once(tree: ast.Module) -> dict[str, ast.expr]:
    """Names that are bound in one place only, there to a plain string: the string."""
    times: Counter[str] = Counter()
    found: dict[str, ast.expr] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            times[node.id] += 1
        elif isinstance(node, ast.arg):
            times[node.arg] += 1
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name) and _text(node.value):
                    found[target.id] = node.value
    return {name: value for name, value in found.items() if times[name] == 1}
