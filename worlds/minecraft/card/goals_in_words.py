"""Goals in words, as far as rules understand them: MineDojo's own prompts, ``3 cobblestone``, and
a verb with what it is done to."""

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from messages.world import Condition
from voxeldojo.rules import BIOMES, BLOCKS, CRAFTS, item_names
from voxeldojo.rules.mobs import entity_names, mob_names
from worlds.card import Unclear
from worlds.minecraft.card.conditions import CONDITIONS, TICKS
from worlds.minecraft.card.planning import NOT_WALKED_TO
from worlds.minecraft.card.ways import STATIONS, WAYS

VERBS: dict[str, tuple[str, ...]] = {
    "have": (
        *("get", "have", "own", "obtain", "harvest", "collect", "gather", "fetch", "bring"),
        *("craft", "make", "build", "smelt", "cook", "bake", "mine", "dig", "pick up", "find"),
        "catch",
    ),
    "killed": ("kill", "hunt", "combat", "fight", "slay", "defeat"),
    "used": ("use", "craft and use"),
    "placed": ("place", "put down", "set down"),
    "worn": ("wear", "put on"),
    "lived": ("survive", "survive for", "live", "live for", "stay alive", "stay alive for"),
}
"""What is understood to ask for a condition of a kind. The first word of a sentence decides."""
GOING = ("go to", "go into", "enter", "reach", "travel to", "walk to", "find", "be in", "get to")
NUMBERS = {
    word: number
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
        start=1,
    )
} | {"twelve": 12, "a dozen": 12, "dozen": 12, "sixteen": 16, "thirty-two": 32, "sixty-four": 64}
ALSO_CALLED = {
    "milk": "milk_bucket",
    "bucket of milk": "milk_bucket",
    "bucket of water": "water_bucket",
    "bucket of lava": "lava_bucket",
    "wood": "log",
    "plank": "planks",
    "seed": "wheat_seeds",
    "meat": "beef",
    "steak": "cooked_beef",
    "sugarcane": "reeds",
    "workbench": "crafting_table",
    "enchanting table": "enchanting_table",
    "redstone dust": "redstone",
    "lapis": "dye",
    "lapis lazuli": "dye",
    "nether quartz": "quartz",
    "eye of ender": "ender_eye",
    "slimeball": "slime_ball",
    "book and quill": "writable_book",
    "glistering melon": "speckled_melon",
    "minecart with chest": "chest_minecart",
    **{f"raw {meat}": meat for meat in ("beef", "porkchop", "mutton", "chicken", "rabbit", "fish")},
}
"""Items by other names that they go by, beside those of blocks that are seen."""
MOBS_ALSO_CALLED = {
    "pigman": "zombie_pigman",
    "pig zombie": "zombie_pigman",
    "mushroom cow": "mooshroom",
    "iron golem": "villager_golem",
    "snow golem": "snowman",
    **{seen: name for seen, name in zip(entity_names[1:], mob_names[1:], strict=True)},
}
_DIMENSIONS = {"overworld": "overworld", "nether": "nether", "hell": "nether", "end": "end"}
_POLITE = re.compile(r"^(please|i want( you)? to|you should|try to|to)\b,?\s+|,?\s+please$")
_ARTICLE = re.compile(r"^((the )?nearest|a|an|the|some|any)\s+")
_QUANTITY = re.compile(
    rf"^(-?\d{{1,18}}|{'|'.join(sorted(NUMBERS, key=len, reverse=True))})x?\s+(.+)$"
)
_TELL_NOTHING = {
    *("a", "an", "and", "at", "given", "in", "of", "on", "or", "some", "the", "to", "with"),
    *("craft", "find", "get", "material", "obtain", "use"),
}
NEAREST = 3
"""How many prompts a refusal names."""
_ALIKE = 0.8
"""How alike in spelling (difflib's ratio) a prompt is that shares no word and is named all the
same: only a slip of the pen, as any sentence has half of its letters in common with some."""
_HEIGHT = re.compile(
    r"(?:go|get|climb|dig|be|stay|stand|reach|fly|descend)\b(?P<how>(?: \w+)*?)"
    r" (?:y|height|level)(?: of)? (?P<y>\d{1,3})"
)
_PIECES = re.compile(r"(?:pieces?|blocks?|pairs?) of (.+)")
_UP, _DOWN = {"up", "above", "over"}, {"down", "below", "under"}
_VITAL = re.compile(
    r"(?:(?:get|have|reach|be at|regain|keep) )?(?:at least )?(?P<least>\d{1,3}) (?:of )?"
    r"(?P<vital>life|health|food|hunger|oxygen|air)"
)
_VITALS = {"health": "life", "hunger": "food", "air": "oxygen"}
_ITEMS = set(item_names[1:])
_MOBS = set(mob_names[1:])
_BIOMES = {biome.name for biome in BIOMES}


def _out_of_the_furnace() -> dict[str, str]:
    """What is made of what is put in. What also comes out is meant as it is: ``smelt stone``."""
    smelted = [craft for craft in CRAFTS if STATIONS.get(craft.station) == "furnace"]
    products = {craft.item for craft in smelted}
    return {
        ingredient: craft.item
        for craft in smelted
        for recipe in craft.recipes
        for ingredient in recipe.ingredients
        if ingredient not in products
    }


def _out_of_the_ground() -> dict[str, str]:
    """What a block drops that never drops itself, but for those that a tool brings whole."""
    dug = {item for item in WAYS.items() if WAYS.way_to(item).how == "dig"}
    certain = {
        block.name: [drop[0] for drop in block.drops if drop[1] > 0 and drop[3] == 1]
        for block in BLOCKS
        if block.name not in dug
    }
    return {name: items[0] for name, items in certain.items() if items and name not in items}


def _seen_as() -> dict[str, str]:
    """Items of blocks by what the blocks are called where they are seen, if no other block is."""
    seen = Counter(block.localised for block in BLOCKS)
    return {
        block.localised: block.name
        for block in BLOCKS
        if block.name in _ITEMS and seen[block.localised] == 1
    }


_MEANT = {
    **dict.fromkeys(("smelt", "cook", "bake"), _out_of_the_furnace()),
    **dict.fromkeys(("mine", "dig"), _out_of_the_ground()),
}
"""By verb, the items that are meant where others are named: who cooks beef wants it cooked."""
_ALIVE = ("find", "catch")
"""Verbs that mean a mob by its name, and not the item that is called so: its meat, or a block."""
_OTHER_NAMES = {**_seen_as(), **ALSO_CALLED}


class Words:
    """``prompts``: those that are known by heart, each with what it asks for."""

    def __init__(self, prompts: Mapping[str, Condition]) -> None:
        self._known = {
            f"find {name.replace('_', ' ')}": Condition(kind="in_biome", name=name)
            for name in sorted(_BIOMES - NOT_WALKED_TO)
        } | {plain(prompt): condition for prompt, condition in prompts.items()}
        self._prompts = list(prompts)

    def understood(self, prompt: str) -> Condition:
        """Raises Unclear: no rule has it."""
        text = plain(prompt)
        found = self._known.get(text) or _condition_of(text)
        if found is None:
            raise Unclear(self._not_understood(prompt))
        if problem := CONDITIONS.problem(found):
            raise Unclear(f"{prompt!r} cannot be a goal: {problem}")
        return found

    def near(self, prompt: str) -> list[str]:
        """The prompts that are known and share a word, the nearest first."""
        return [known for shared, _, known in self._ranked(prompt) if shared]

    def _ranked(self, prompt: str) -> list[tuple[int, float, str]]:
        """All that are known with how many words they share and how alike they are spelt: the most
        shared first, then the most alike."""
        text = plain(prompt)
        words = _telling_words(text)
        matcher = difflib.SequenceMatcher(b=text)
        ranked: list[tuple[int, float, str]] = []
        for known in self._known:
            matcher.set_seq1(known)
            shared = len(words & _telling_words(known))
            ranked.append((-shared, -matcher.ratio(), known))
        return [(-shared, -alike, known) for shared, alike, known in sorted(ranked)]

    def _not_understood(self, prompt: str) -> str:
        text = " ".join(prompt.split())
        ranked = self._ranked(text)[:NEAREST]
        near = [known for shared, alike, known in ranked if shared or alike >= _ALIKE]
        shown = " or ".join(map(repr, near))
        hint = f"; what comes nearest is {shown}" if shown else ""
        return (
            f"the rulebook does not understand {text[:100]!r}{hint}; it understands "
            "'N ITEM', 'get N ITEM', 'kill N MOB', 'use ITEM', 'wear ITEM', 'place N ITEM', "
            "'survive N days', 'find BIOME', 'climb up to y N' and the prompts of `rlgpt task list`"
        )


def _telling_words(text: str) -> set[str]:
    """The words of a prompt that say what it is about, in the singular."""
    return {word.removesuffix("s") for word in re.findall(r"\w+", text)} - _TELL_NOTHING


def plain(text: str) -> str:
    """A prompt without what makes no difference: capitals, signs around it, words of politeness."""
    text = " ".join(text.lower().replace("_", " ").split()).strip(" .!?\"'")
    while (shorter := _POLITE.sub("", text)) != text:
        text = shorter
    return text


def _condition_of(text: str) -> Condition | None:
    for read in (_a_place, _a_height, _a_vital, _a_length_of_life, _a_deed):
        if (found := read(text)) is not None:
            return found
    return _counted("have", text)


def _after(text: str, verbs: Iterable[str]) -> str | None:
    """What follows one of the verbs, the longest that fits."""
    for verb in sorted(verbs, key=len, reverse=True):
        if text.startswith(f"{verb} "):
            return text[len(verb) + 1 :]
    return None


def _a_deed(text: str) -> Condition | None:
    for kind in ("worn", "used", "placed", "killed", "have"):
        rest = _after(text, VERBS[kind])
        if rest is not None and (found := _counted(kind, rest)) is not None:
            verb = text.partition(" ")[0]
            if verb in _ALIVE and found.name in _MOBS:
                return None
            meant = _MEANT.get(verb, {})
            return msgspec.structs.replace(found, name=meant.get(found.name, found.name))
    return None


def _a_place(text: str) -> Condition | None:
    rest = _after(text, GOING)
    if rest is None:
        return None
    name = _ARTICLE.sub("", rest).removesuffix(" biome")
    if name in _DIMENSIONS:
        return Condition(kind="in_dimension", name=_DIMENSIONS[name])
    named = name.replace(" ", "_")
    return Condition(kind="in_biome", name=named) if named in _BIOMES else None


def _a_height(text: str) -> Condition | None:
    found = _HEIGHT.fullmatch(text)
    if found is None:
        return None
    how = {text.split()[0], *found["how"].split()}
    down = bool(how & (_DOWN | {"dig", "descend"}))
    if down == bool(how & (_UP | {"climb", "fly"})):
        return None  # neither, or both
    return Condition(kind="height", name="below" if down else "above", quantity=int(found["y"]))


def _a_vital(text: str) -> Condition | None:
    found = _VITAL.fullmatch(text)
    if found is None:
        return None
    name = _VITALS.get(found["vital"], found["vital"])
    return Condition(kind="health", name=name, quantity=int(found["least"]))


def _a_length_of_life(text: str) -> Condition | None:
    rest = _after(text, VERBS["lived"])
    quantity, unit = _split(rest) if rest is not None else (1, "")
    unit = f"{unit.removesuffix('s')}s"
    return Condition(kind="lived", name=unit, quantity=quantity) if unit in TICKS else None


def _counted(kind: str, text: str) -> Condition | None:
    quantity, name = _split(text)
    known, others = (_MOBS, MOBS_ALSO_CALLED) if kind == "killed" else (_ITEMS, _OTHER_NAMES)
    named = _named(name, known, others)
    if named is None and (pieces := _PIECES.fullmatch(name)) is not None:
        named = _named(pieces[1], known, others)
    if named is None:
        return None
    return Condition(kind=kind, name=named, quantity=quantity)


def _named(name: str, known: set[str], others: Mapping[str, str]) -> str | None:
    names = list(_singulars(name))
    proper = [each.replace(" ", "_") for each in names]
    found = [each for each in proper if each in known] or [*filter(None, map(others.get, names))]
    return next(iter(found), None)


def _split(text: str) -> tuple[int, str]:
    """``three logs``: how many, and of what."""
    text = text.removeprefix("at least ").strip()
    if (match := _QUANTITY.match(text)) is not None:
        number, rest = match[1], match[2]
        quantity = NUMBERS[number] if number in NUMBERS else int(number)
        return quantity, _ARTICLE.sub("", rest.removeprefix("more ").removeprefix("of "))
    return 1, _ARTICLE.sub("", text)


def _singulars(name: str) -> Iterable[str]:
    """A name as it is, and what it may be the plural of."""
    yield name
    for ending, instead in (("ies", "y"), ("ves", "f"), ("es", ""), ("s", ""), ("men", "man")):
        if name.endswith(ending):
            yield name.removesuffix(ending) + instead
    if name.startswith("blocks of "):
        yield name.replace("blocks", "block", 1)
