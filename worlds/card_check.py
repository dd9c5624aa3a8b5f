"""Whether the card of a game holds what `worlds.card` states. Cards of other packages are not
type-checked, and what they hold is read by other nodes, long after a launch has begun."""

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, get_origin, get_type_hints

from worlds.card import (
    Card,
    Conditions,
    Feature,
    Goals,
    Planning,
    RulebookRules,
    Score,
    Specs,
)
from worlds.language import Language

_WITH_PARTS = (Conditions, Planning, Specs, RulebookRules, Language, Goals, Score)
_ABSENT = object()


def card_problem(name: str, card: Card) -> str:
    """What is wrong with the card of the game ``name``; empty if nothing is. A card that is odd
    enough raises whatever it raises."""
    if wrong := _wrong_part(card, Card, "its card"):
        return wrong
    for path, what in (
        (card.language.stub, "the stub of its language"),
        (card.prompts / "environment.jinja", "the prompt that describes it"),
    ):
        if not path.is_file():
            return f"{what} is not there ({path})"
    return _misnamed(name, card) or _wrong_names(card.language)


def _wrong_part(whole: object, kind: type, what: str) -> str:
    """The first annotated part that is of another type than its annotation, also in parts of it."""
    for part, hint in get_type_hints(kind).items():
        wanted: Any = hint if isinstance(hint, UnionType) else get_origin(hint) or hint
        value = getattr(whole, part, _ABSENT)
        if value is _ABSENT:
            return f"{what} has no {part}"
        # Each letter of a text would be taken for a name.
        letters = isinstance(value, str) and wanted is not str
        if letters or not isinstance(value, (int, float) if wanted is float else wanted):
            found = (
                f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
            )
            return f"{what} has {found} as {part}, which has to be {_called(wanted)}"
        for each in _WITH_PARTS:
            if isinstance(value, each) and (wrong := _wrong_part(value, each, f"its {part}")):
                return wrong
    return ""


def _called(wanted: Any) -> str:
    if isinstance(wanted, UnionType):
        return " or ".join(
            "None" if each is NoneType else each.__name__ for each in wanted.__args__
        )
    return wanted.__name__


def _misnamed(name: str, card: Card) -> str:
    """What is not called as others will ask for it."""
    if card.name != name:
        return f"its card is called {card.name!r}; give the card the name of its entry point"
    for key, feature in card.specs.features.items():
        if not isinstance(feature, Feature):
            return f"its feature {key!r} is {type(feature).__name__}, which has to be Feature"
        if wrong := _wrong_part(feature, Feature, f"its feature {key!r}"):
            return wrong
        if feature.name != key:
            return f"the feature {feature.name!r} stands under the name {key!r}; give it one name"
    for action in card.specs.actions:
        if not isinstance(action, str):
            return f"its actions have {action!r}, which is no text; write '{action}'"
    return ""


def _wrong_names(language: Language) -> str:
    """What programs could not name, or call."""
    arguments: Mapping[str, object] = language.primitives
    for name, count in arguments.items():
        if count not in (0, 1):
            return f"its primitive {name!r} takes {count!r} arguments; there can be 0 or 1"
    for name in (*arguments, *language.functions, *language.helpers):
        if not (isinstance(name, str) and name.isidentifier()):
            return f"its language has {name!r}, which programs cannot write as a name"
    return ""
