"""Programs with a mistake that small models make: the name of a thing in the other of the game's
two namings. They are taught with the answer in which it is mended."""

import ast
import random

from messages.chat import ProgramAttempt
from worlds.language import Language
from worlds.unknown_names import naming_problems


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


def names_told(thoughts: str, source: str) -> str:
    """The thoughts with the names that the program is about: written down first, the right ones are
    found more often."""
    told = ", ".join(
        f"{name} is {value!r}"
        for name, value in constants(source).items()
        if isinstance(value, str | int | list)  # tables and measures are the same for every goal
    )
    return f"{thoughts} {told}." if told else thoughts


def with_a_mistake(
    source: str, language: Language, chance: random.Random
) -> tuple[ProgramAttempt, str] | None:
    """The program with one name that means nothing where it is used, with the problems that it is
    refused for; and a sentence that says what is to change. None where no name can be mistaken."""
    names = {name: value for name, value in constants(source).items() if isinstance(value, str)}
    swaps = [
        (name, right, wrong)
        for name, right in names.items()
        for wrong in dict.fromkeys(
            (*names.values(), right.replace("_", " "), right.replace(" ", "_"))
        )
        if wrong and wrong != right
    ]
    for name, right, wrong in chance.sample(swaps, len(swaps)):
        written = source.replace(f"{name} = {right!r}", f"{name} = {wrong!r}", 1)
        problems = naming_problems(ast.parse(written), language)
        if problems:
            why = problems[0].message.partition(";")[0]
            sentence = f"{why}, so {name} has to be {right!r}."
            return ProgramAttempt(source=written, problems=problems), sentence
    return None
