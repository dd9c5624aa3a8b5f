"""Minecraft's conditions. Errors in conditions and names that a language model wrote are reported
in sentences that it can act on."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from messages.world import JUDGED, Condition, Episode, View
from voxeldojo.names import near
from voxeldojo.rules import BIOMES, ITEMS
from voxeldojo.rules.mobs import mob_names
from voxeldojo.tasks import UnknownTask, task_spec
from worlds.card import Conditions
from worlds.common.counted_conditions import gained, grown
from worlds.minecraft.card.naming import (
    MOBS,
    SEEN_BLOCKS,
    mob_seen_as,
    not_a_block,
    not_an_item,
    not_seen,
)

SLOTS = 36
"""Slots of an inventory, from 0 on; those after them are for armour and the off hand."""
MOST_TIMES = 2304
"""The largest number of kills, uses or placed blocks of a condition."""
STATIONS = ("crafting_table", "furnace")
DIMENSIONS = ("overworld", "nether", "end")
"""The dimensions by their numbers in `voxeldojo.world_interface.World.whereabouts`."""
VITALS = {"life": 20, "food": 20, "oxygen": 300}
"""The vitals that a condition can name, and their largest values."""
TICKS = {"ticks": 1, "days": 24_000}
"""Ticks of each unit of time that a condition can name."""
PLACED_UNDER_ANOTHER_NAME = frozenset(
    (
        *(f"{wood}_door" for wood in ("acacia", "birch", "dark_oak", "jungle", "spruce", "wooden")),
        *(f"{plant}_seeds" for plant in ("beetroot", "melon", "pumpkin", "wheat")),
        *("bed", "brewing_stand", "cauldron", "comparator", "flower_pot", "iron_door"),
        *("nether_wart", "redstone", "reeds", "repeater", "sign", "skull", "string"),
    )
)
"""Items that become a block with another name. Carrots and potatoes are left out, as the statistic
of their use counts eating, too."""
STACKS = {item.name: item.stack for item in ITEMS}
"""How many of an item lie in one slot."""
_PLACED = {item.name for item in ITEMS if item.block and item.name != "air"}
_PLACED |= PLACED_UNDER_ANOTHER_NAME
_WORN = {item.name for item in ITEMS if item.slot != "mainhand"}
_BIOMES = [biome.name for biome in BIOMES]
_THE = {"overworld": "the Overworld", "nether": "the Nether", "end": "the End"}


class Kind(NamedTuple):
    """One kind of condition, defined once."""

    meaning: str
    """When it holds, in words for a language model."""
    name_problem: Callable[[str], str]
    words: Callable[[Condition], str]
    short: Callable[[Condition], str]
    holds: Callable[[Condition, Episode], bool]
    most: Callable[[Condition], int] = lambda condition: 1
    """The largest quantity that is accepted; of what is not counted, 1."""


class MinecraftConditions(Conditions):
    counted = frozenset({"have", "killed", "used", "placed", "lived"})

    def __init__(self) -> None:
        self.kinds: Mapping[str, str] = {name: kind.meaning for name, kind in KINDS.items()}

    def problem_of_kind(self, condition: Condition) -> str:
        kind = KINDS[condition.kind]
        if problem := kind.name_problem(condition.name):
            return problem
        most = kind.most(condition)
        if not 1 <= condition.quantity <= most:
            allowed = f"1 to {most}" if most > 1 else "1"
            return f"a quantity is {allowed}, not {condition.quantity}"
        return ""

    def words(self, condition: Condition) -> str:
        return KINDS[condition.kind].words(condition)

    def short(self, condition: Condition) -> str:
        return KINDS[condition.kind].short(condition)

    def count(self, condition: Condition, view: View) -> int:
        if condition.kind == "lived":
            return view.age
        if condition.kind == "killed":
            return view.killed.get(condition.name, 0)
        counter = view.inventory if condition.kind == "have" else view.used
        return counter.get(condition.name, 0)

    def left(self, condition: Condition, episode: Episode) -> Condition:
        # A life is counted from where the episode began, in every stage.
        return condition if condition.kind == "lived" else super().left(condition, episode)

    def steps_needed(self, condition: Condition) -> int:
        # A step takes a tick, few take more.
        lived = condition.kind == "lived"
        return condition.quantity * TICKS[condition.name] if lived else 1

    def holds(self, condition: Condition, episode: Episode) -> bool:
        return KINDS[condition.kind].holds(condition, episode)


def seen_problem(name: str, mobs: bool = True) -> str:
    """What is wrong with the localised name of a block, or with ``mobs`` of a block or mob."""
    if name == "air":
        return f"air is not seen: name a block{' or mob' if mobs else ''}"
    return not_seen(name) if mobs else not_a_block(name)


def mob_problem(name: str) -> str:
    """What is wrong with a mob's name, as for /summon."""
    known = mob_names[1:]
    return "" if name in known else f"there is no mob {name!r}{near(name, known)}"


def _near_problem(name: str) -> str:
    return "air is always near: name a block" if name == "air" else seen_problem(name, mobs=False)


def counted_problem(name: str) -> str:
    """What is wrong with the registry name of an item that is to be had, "" if nothing is."""
    return "air is in no inventory: name an item" if name == "air" else not_an_item(name)


def _placed_problem(name: str) -> str:
    if problem := not_an_item(name):
        return problem
    return (
        "" if name in _PLACED else f"placing {name} is not counted: it is not the item of a block"
    )


def _worn_problem(name: str) -> str:
    if problem := counted_problem(name):
        return problem
    return (
        ""
        if name in _WORN
        else f"{name} is not worn: it goes neither on the body nor in the off hand"
    )


def _biome_problem(name: str) -> str:
    return "" if name in _BIOMES else f"there is no biome {name!r}{near(name, _BIOMES)}"


def _one_of(what: str, *names: str) -> Callable[[str], str]:
    known = " or ".join((", ".join(names[:-1]), names[-1]))
    return lambda name: "" if name in names else f"{what} is {known}, not {name!r}"


def _creative_problem(name: str) -> str:
    try:
        known = task_spec(name).kind == "creative"
    except UnknownTask as error:
        return str(error)
    return "" if known else f"only creative tasks are judged by pictures, and {name} is none"


def _is_mob(name: str) -> bool:
    """Whether a name is a mob's; a block of the same name comes first."""
    return name in MOBS and name not in SEEN_BLOCKS


def _facing_words(condition: Condition) -> str:
    what = "mob" if _is_mob(condition.name) else "block"
    return f"the crosshair on a {what} called `{condition.name}` within reach"


def _near_holds(condition: Condition, episode: Episode) -> bool:
    after = episode.after
    return after.around.get(condition.name, 0) > 0 or after.facing == condition.name


def _killed_holds(condition: Condition, episode: Episode) -> bool:
    killed = grown(condition.name, episode.before.killed, episode.after.killed)
    return killed >= condition.quantity


def _used_holds(condition: Condition, episode: Episode) -> bool:
    used = grown(condition.name, episode.before.used, episode.after.used)
    return used >= condition.quantity


def _height_holds(condition: Condition, episode: Episode) -> bool:
    feet = episode.after.position[1]
    if condition.name == "above":
        return feet >= condition.quantity
    return feet <= condition.quantity


def _health_holds(condition: Condition, episode: Episode) -> bool:
    return getattr(episode.after, condition.name) >= condition.quantity


def _often(quantity: int) -> str:
    return "once" if quantity == 1 else f"{quantity} times"


_SINCE = "than at the start of the episode (of the subtask, when a goal is performed)"

KINDS: dict[str, Kind] = {
    "have": Kind(
        meaning="at least ``quantity`` more of item ``name`` in the inventory, armour slots and "
        f"off hand included, {_SINCE}; ``name`` is a registry name (``log``)",
        name_problem=counted_problem,
        words=lambda c: f"at least {c.quantity} more of `{c.name}` in the inventory",
        short=lambda c: f"{c.quantity} more {c.name} in the inventory",
        holds=lambda c, episode: gained(c, episode) >= c.quantity,
        most=lambda c: SLOTS * STACKS[c.name],
    ),
    "near": Kind(
        meaning="a block called ``name`` is within the 3x3x3 voxels around the feet or under the "
        "crosshair within reach; ``name`` is a localised name (``wood``)",
        name_problem=_near_problem,
        words=lambda c: f"a block called `{c.name}` right beside the player or within reach",
        short=lambda c: f"next to {c.name}",
        holds=_near_holds,
    ),
    "facing": Kind(
        meaning="the block or mob under the crosshair, within reach, is called ``name``",
        name_problem=seen_problem,
        words=_facing_words,
        short=lambda c: f"facing {c.name} within reach",
        # A mob goes by two names, as it is summoned and as it is seen; views have the second.
        holds=lambda c, episode: episode.after.facing == mob_seen_as(c.name),
    ),
    "nearby": Kind(
        meaning="a ``crafting_table`` or ``furnace`` that was placed is near enough to use "
        "(MineDojo's nearby tools)",
        name_problem=_one_of("a station", *STATIONS),
        words=lambda c: f"a placed `{c.name}` near enough to use",
        short=lambda c: f"a {c.name} near enough to use",
        holds=lambda c, episode: c.name in episode.after.stations,
    ),
    "killed": Kind(
        meaning=f"at least ``quantity`` more mobs ``name`` killed by the player {_SINCE}; ``name`` "
        "is that of /summon (``zombie_pigman``)",
        name_problem=mob_problem,
        words=lambda c: f"at least {c.quantity} more `{c.name}` killed by the player",
        short=lambda c: f"{c.quantity} more {c.name} killed",
        holds=_killed_holds,
        most=lambda c: MOST_TIMES,
    ),
    "used": Kind(
        meaning=f"item ``name`` used at least ``quantity`` times more {_SINCE}, by the game's "
        "statistics: tools and weapons count when they wear, armour when it is put on, a bow when "
        "it shoots, other items when they are placed or used with an effect",
        name_problem=counted_problem,
        words=lambda c: f"`{c.name}` used {_often(c.quantity)} more",
        short=lambda c: f"{c.name} used {_often(c.quantity)} more",
        holds=_used_holds,
        most=lambda c: MOST_TIMES,
    ),
    "placed": Kind(
        meaning=f"at least ``quantity`` more blocks of item ``name`` placed {_SINCE}, even if they "
        "were removed again",
        name_problem=_placed_problem,
        words=lambda c: f"at least {c.quantity} more `{c.name}` placed",
        short=lambda c: f"{c.quantity} more {c.name} placed",
        holds=_used_holds,
        most=lambda c: MOST_TIMES,
    ),
    "worn": Kind(
        meaning="item ``name`` is worn in an armour slot or held in the off hand",
        name_problem=_worn_problem,
        words=lambda c: f"`{c.name}` worn, or held in the off hand",
        short=lambda c: f"{c.name} worn",
        holds=lambda c, episode: c.name in episode.after.worn,
    ),
    "lived": Kind(
        meaning="the player has lived for ``quantity`` ``ticks`` (20 a second) or ``days`` (24,000 "
        "ticks) since the start of the episode, in every stage",
        name_problem=_one_of("a unit of time", *TICKS),
        words=lambda c: f"the player alive {c.quantity} {c.name} after the episode began",
        short=lambda c: f"alive after {c.quantity} {c.name}",
        holds=lambda c, episode: episode.after.age >= c.quantity * TICKS[c.name],
        most=lambda c: 1000 * TICKS["days"] // TICKS[c.name],
    ),
    "in_biome": Kind(
        meaning="the player is in the biome ``name``",
        name_problem=_biome_problem,
        words=lambda c: f"the player in the biome `{c.name}`",
        short=lambda c: f"in the biome {c.name}",
        holds=lambda c, episode: episode.after.biome == c.name,
    ),
    "in_dimension": Kind(
        meaning="the player is in the ``overworld``, the ``nether`` or the ``end``",
        name_problem=_one_of("a dimension", *DIMENSIONS),
        words=lambda c: f"the player in {_THE[c.name]}",
        short=lambda c: f"in {_THE[c.name]}",
        holds=lambda c, episode: episode.after.dimension == c.name,
    ),
    "height": Kind(
        meaning="the player's feet are at y ``quantity`` or higher (``above``), or at y "
        "``quantity`` or lower (``below``)",
        name_problem=_one_of("a height", "above", "below"),
        words=lambda c: (
            f"the player's feet at y {c.quantity} or {'higher' if c.name == 'above' else 'lower'}"
        ),
        short=lambda c: f"at y {c.quantity} or {'higher' if c.name == 'above' else 'lower'}",
        holds=_height_holds,
        most=lambda c: 256,
    ),
    "health": Kind(
        meaning="the player has ``quantity`` or more of ``life`` (of 20), ``food`` (of 20) or "
        "``oxygen`` (of 300)",
        name_problem=_one_of("a vital", *VITALS),
        words=lambda c: f"{c.name} at {c.quantity} of {VITALS[c.name]} or more",
        short=lambda c: f"{c.name} {c.quantity} or more",
        holds=_health_holds,
        most=lambda c: VITALS[c.name],
    ),
    JUDGED: Kind(
        meaning="a critic that sees pictures of the episodes judges that MineDojo's creative task "
        "``name`` was done; only if this is the goal's own condition",
        name_problem=_creative_problem,
        words=lambda c: f"pictures that show this done: {task_spec(c.name).prompt}",
        short=lambda c: f"{c.name} done, by the pictures",
        holds=lambda c, episode: False,
    ),
}
"""All kinds, by name."""

CONDITIONS = MinecraftConditions()
