"""Programs that call skills by name: the skills' sources are put behind the program's own.

A line number of the program stays what it was. What a skill defines is renamed so that it meets
nothing of the program's; its ``action`` gets the skill's name.
"""

import ast
from collections.abc import Mapping


def with_skills(source: str, skills: Mapping[str, str]) -> str:
    """``source`` with the sources of those ``skills`` (by name) that it calls and doesn't define.
    What does not parse is left as it is: the check of the language says why."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    own = _defined(tree)
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    parts = [source.rstrip("\n")]
    parts += [_renamed(skills[name], name) for name in sorted((called & set(skills)) - own)]
    return "\n\n\n".join(parts) + "\n" if len(parts) > 1 else source


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
