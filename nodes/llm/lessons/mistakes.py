"""Programs with a mistake that small models make: an item's name where a block's is needed, or the
reverse, or a number with the thing that it counts. They are taught with the answer in which the
mistake is fixed."""

import ast
import random
from collections.abc import Iterator

from messages.chat import ProgramAttempt
from messages.program import Problem
from worlds.language import Language
from worlds.syntax_problems import syntax_problem
from worlds.unknown_names import naming_problems

_Mistake = tuple[str, str, str | int]
"""A program, the name in it that is bound to the wrong thing, and the right one."""


def constants(source: str) -> dict[str, object]:
    """What a program binds at its top to a literal, by name: ``{"BLOCK": "wood", "TOOLS": []}``."""
    found: dict[str, object] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return found


def with_names(thoughts: str, source: str) -> str:
    """The thoughts with the names that the program is about: written down first, the right ones are
    found more often."""
    names = ", ".join(
        f"`{name} = {value!r}`"
        for name, value in constants(source).items()
        if isinstance(value, str | int | list)  # tables and measures are the same for every goal
    )
    return f"{thoughts} {names}." if names else thoughts


def with_a_mistake(
    source: str, language: Language, chance: random.Random
) -> tuple[ProgramAttempt, str] | None:
    """The program with one mistake in what it binds at its top, with the problems that it is
    refused for; and a sentence that says what is to change. None where nothing can be mistaken."""
    bound = constants(source)
    mistakes = [*_wrong_names(source, bound), *_numbers_of_things(source, bound)]
    for written, name, right in chance.sample(mistakes, len(mistakes)):
        problems = _problems(written, language)
        if problems:
            why = problems[0].message.partition(";")[0]
            sentence = f"{why}, so {name} has to be {right!r}."
            return ProgramAttempt(source=written, problems=problems), sentence
    return None


def _wrong_names(source: str, bound: dict[str, object]) -> Iterator[_Mistake]:
    """A name in the other naming, or in the place of another one."""
    names = {name: value for name, value in bound.items() if isinstance(value, str)}
    for name, right in names.items():
        others = (*names.values(), right.replace("_", " "), right.replace(" ", "_"))
        for wrong in dict.fromkeys(others):
            if wrong and wrong != right:
                written = source.replace(f"{name} = {right!r}", f"{name} = {wrong!r}", 1)
                yield written, name, right


def _numbers_of_things(source: str, bound: dict[str, object]) -> Iterator[_Mistake]:
    """``QUANTITY = 1 crafting table``: the words of the task where a number stands."""
    thing = bound.get("ITEM")
    if isinstance(thing, str):
        for name, right in bound.items():
            if type(right) is int:
                words = f"{name} = {right} {thing.replace('_', ' ')}\n"
                yield source.replace(f"{name} = {right}\n", words, 1), name, right


def _problems(source: str, language: Language) -> list[Problem]:
    try:
        return naming_problems(ast.parse(source), language)
    except SyntaxError as error:
        return [syntax_problem(error, source)]
