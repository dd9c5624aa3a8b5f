"""Names by which a program of another game is known."""

import ast
from functools import cache

from worlds.language import Language
from worlds.registry import OURS, card


@cache
def other_games(language: Language) -> dict[str, str]:
    """Names that programs of our other games use and this language has not, each with its game: a
    program that uses them was probably written for that game. Games of other packages are left
    out, or the answers to one program would differ from machine to machine."""
    found: dict[str, str] = {}
    for game in OURS:
        if game == language.game:
            continue
        other = card(game).language
        for name in other.names | other.helpers:
            if name not in language.names | language.helpers:
                found.setdefault(name, game)
    return found


def of_another(name: str, game: str, own: str) -> str:
    """The sentence for a program that uses a name of another game."""
    return f"this is a program for {game}, which has {name}, and not for {own}"


def foreign_problem(source: str, language: Language) -> str:
    """The problem of a whole program, before it is checked by the language's rules; empty if it
    uses no such name, or is no Python at all."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    nodes = list(ast.walk(tree))
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    own |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    others = other_games(language)
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in others and node.id not in own:
            return of_another(node.id, others[node.id], language.game)
    return ""
