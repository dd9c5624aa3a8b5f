"""Which package may import which: the table of docs/architecture.md, checked on the source."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PACKAGES: dict[str, set[str]] = {
    "voxeldojo": set(),
    "messages": set(),
    "worlds": {"messages", "voxeldojo"},
    "models": {"messages", "worlds"},
    "nodes": {"messages", "models", "worlds", "voxeldojo"},
    "rlgpt": {"messages", "worlds", "voxeldojo"},
    "launch": set(),
}
"""What a package may import of the other packages. What every node is made of (the files directly
in ``nodes/``) is open to ``rlgpt`` as well, and the folders in ``nodes/`` are closed to each
other."""

ENV_SERVER = ("programs", "interface", "session", "jail")
"""Inside the env server a folder may import those before it, never one after it."""

OURS = {*PACKAGES, "tests", "benchmarks"}


def imports(path: Path, package: str) -> Iterator[tuple[int, str]]:
    """Line and full name of each thing a file imports, however far inside it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"), str(path))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                outer = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*outer, base]) if base else ".".join(outer)
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, (ast.Name, ast.Attribute))
            and (node.func.id if isinstance(node.func, ast.Name) else node.func.attr)
            in ("import_module", "__import__")
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
        ):
            yield node.lineno, node.args[0].value


def violations(root: Path) -> list[str]:
    """Every broken arrow below ``root``, as ``file:line: what``."""
    found: list[str] = []
    folders = {path.name for path in (root / "nodes").iterdir() if path.is_dir()} - {"common"}
    for top in PACKAGES:
        for path in sorted((root / top).rglob("*.py")):
            where = path.relative_to(root)
            if top == "launch":
                found.append(f"{where}: launch/ holds data only")
                continue
            for line, name in imports(path, ".".join(where.parent.parts)):
                why = _refused(where, name, folders)
                if why:
                    found.append(f"{where}:{line}: {why}")
    return found


def circle(root: Path) -> list[str]:
    """Files that import each other in a circle, however far inside them; empty if there is none."""
    modules = {
        ".".join((path.relative_to(root).with_suffix("")).parts).removesuffix(".__init__"): path
        for top in PACKAGES
        for path in (root / top).rglob("*.py")
    }
    graph: dict[str, set[str]] = {}
    for name, path in modules.items():
        package = ".".join(path.relative_to(root).parent.parts)
        wanted = (target for _, target in imports(path, package))
        found = (t if t in modules else t.rpartition(".")[0] for t in wanted)
        graph[name] = {target for target in found if target in modules and target != name}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def upward(root: Path) -> list[str]:
    """Every import inside the env server that goes against the order of its folders."""
    found: list[str] = []
    above = set(ENV_SERVER)
    for layer in ENV_SERVER:
        above.remove(layer)
        for path in sorted((root / "nodes" / "env_server" / layer).rglob("*.py")):
            where = path.relative_to(root)
            for line, name in imports(path, ".".join(where.parent.parts)):
                parts = name.split(".")
                if parts[:2] == ["nodes", "env_server"] and above.intersection(parts[2:3]):
                    found.append(f"{where}:{line}: {layer}/ comes before {parts[2]}/")
    return found


def _refused(where: Path, name: str, folders: set[str]) -> str:
    top, (target, *inner) = where.parts[0], name.split(".")
    if target not in OURS:
        return ""
    if _names_a_game(where, target, inner):
        return f"the env server imports {name}, and knows no game but by worlds.play"
    if target == "worlds" and "play" in inner[:2] and not _may_play(where):
        return f"{'/'.join(where.parts[:-1])} imports {name}, which is the env server's alone"
    folder = inner[0] if inner and inner[0] in folders else None
    if target == top:
        own = where.parts[1] if len(where.parts) > 2 else None
        if top == "nodes" and folder is not None and folder != own:
            return f"{own or 'what every node is'} imports {name}, which is another node's"
        return ""
    if target in PACKAGES[top]:
        return ""
    if top == "rlgpt" and target == "nodes" and folder is None and inner:
        return ""
    return f"{top} may not import {name}"


def _names_a_game(where: Path, target: str, inner: list[str]) -> bool:
    """In the env server; of the language of programs what is Minecraft's still lies in
    ``programs/``."""
    if where.parts[:2] != ("nodes", "env_server") or where.parts[2] == "programs":
        return False
    return target == "voxeldojo" or (target == "worlds" and "play" in inner[1:2])


def _may_play(where: Path) -> bool:
    """The env server, a game's own play, and what plays are made of and found by."""
    top, *inner = where.parts
    if top == "nodes":
        return inner[0] == "env_server"
    return top == "worlds" and (len(inner) == 1 or "play" in inner[1:-1] or inner[0] == "common")
