"""Programs that call skills by name: the skills' sources are put behind the program's own.

A line number of the program stays what it was. What a skill defines is renamed so that it meets
nothing of the program's; its ``action`` gets the skill's name. What it uses and does not define
keeps its name, so a program that defines a function of that name has to give its own another name.
"""

import ast
from collections.abc import Mapping

from messages.program import Problem


def with_skills(source: str, skills: Mapping[str, str]) -> str:
    """``source`` with the sources of those ``skills`` (by name) that it calls and doesn't define.
    What does not parse is left as it is: the check of the language reports why."""
    tree = _parsed(source)
    called = [] if tree is None else _called(tree, skills)
    parts = [source.rstrip("\n"), *(_renamed(skills[name], name) for name in called)]
    return "\n\n\n".join(parts) + "\n" if called else source


def clashes(source: str, skills: Mapping[str, str]) -> list[Problem]:
    """What keeps a program from holding the skills that it calls: functions of its own by whose
    names they mean something else, as ``walk_to`` of the API, or a variable."""
    tree = _parsed(source)
    if tree is None:
        return []
    used = {name: _used(ast.parse(skills[name])) for name in _called(tree, skills)}
    return [
        Problem(
            line=node.lineno,
            message=f"the skill {skill} means something else by the name {node.name}: "
            f"call your function something else",
        )
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        for skill, names in used.items()
        if node.name in names
    ]


def _parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _called(tree: ast.Module, skills: Mapping[str, str]) -> list[str]:
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return sorted((called & set(skills)) - _defined(tree))


def _used(tree: ast.Module) -> set[str]:
    """Names that keep their meaning when the skill is put behind a program."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name is not None:
            names.add(node.name)
    return names - _defined(tree)


def _defined(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


def _renamed(source: str, skill: str) -> str:
    tree = ast.parse(source)
    names = {name: f"{skill}__{name}" for name in _defined(tree)} | {"action": skill}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, ast.FunctionDef):
            node.name = names.get(node.name, node.name)
        elif isinstance(node, ast.arg):
            node.arg = names.get(node.arg, node.arg)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            # Met before its function's name is; what the language gives keeps its parameters.
            for keyword in node.keywords if node.func.id in names else []:
                keyword.arg = names.get(keyword.arg or "", keyword.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name is not None:
            node.name = names.get(node.name, node.name)
    return ast.unparse(tree)
