"""Plans as subtasks: what is to be gained, one condition after another.

A subtask's quantity is what it is to bring *more* than there was when it began, as conditions
count. A subtask that needs a station begins with it in the inventory: its stages put it down, use
it and take it up again, so that a plan never has to know where something stands.
"""

from collections.abc import Mapping, Sequence

from messages.plan import Subtask
from messages.world import Condition
from models.planning import Need, needs, shortfalls
from models.ways import Way, open_ways, way_to

_BLOCKS = {"crafting table": "crafting_table", "furnace": "furnace"}


def plan_for(success: Condition, inventory: Mapping[str, int]) -> list[Subtask]:
    """The subtasks that lead from an inventory to a condition, nothing superfluous.

    Raises:
        Unreachable: the rules know no way to something that is needed.
    """
    if success.kind == "have":
        total = inventory.get(success.name, 0) + success.quantity
        steps = needs(success.name, total, inventory)
    elif success.kind == "nearby":
        steps = needs(success.name, 1, inventory)
    else:
        steps = []
    subtasks = [
        Subtask(
            name=_in_words(step),
            success=Condition(kind="have", name=step.item, quantity=step.gain),
            why=_why(step.item, steps[index + 1 :], success),
        )
        for index, step in enumerate(steps)
    ]
    if success.kind != "have":
        verb = "place" if success.kind == "nearby" else "find"
        name = f"{verb} {success.name.replace('_', ' ')}"
        subtasks.append(Subtask(name=name, success=success, why="the goal"))
    return subtasks


def plan_shortfalls(subtasks: Sequence[Subtask], inventory: Mapping[str, int]) -> list[str]:
    """A sentence for each subtask that could not be done when its turn comes."""
    names = [
        f"Subtask {number} ({subtask.success.quantity} {subtask.success.name})"
        for number, subtask in enumerate(subtasks, 1)
        if subtask.success.kind == "have"
    ]
    found = shortfalls(gains(subtasks), inventory, names)
    held = dict(inventory)
    for subtask in subtasks:
        success = subtask.success
        if success.kind == "have":
            held[success.name] = held.get(success.name, 0) + success.quantity
        elif success.kind == "nearby" and not held.get(success.name, 0):
            found.append(
                f"The subtask {subtask.name!r} places a {success.name}, which no earlier one gets."
            )
    return found


def gains(subtasks: Sequence[Subtask]) -> list[tuple[str, int]]:
    """The subtasks that gain an item, as (item, how many more)."""
    return [(s.success.name, s.success.quantity) for s in subtasks if s.success.kind == "have"]


def at_hand(inventory: Mapping[str, int], around: Mapping[str, int]) -> dict[str, int]:
    """An inventory with the stations that stand beside the player counted in."""
    held = dict(inventory)
    for block, item in _BLOCKS.items():
        if around.get(block, 0) and not held.get(item, 0):
            held[item] = 1
    return held


def chain(success: Condition, inventory: Mapping[str, int]) -> list[str]:
    """How a goal's items come about, a line each, for a prompt. Quantities are left out: counting
    them is the planner's part."""
    steps = [s.success for s in plan_for(success, inventory) if s.success.kind == "have"]
    chosen = open_ways(inventory, make=True)  # as the plan chose: sheared, say, and not killed
    return [f"{step.name}: {_way_in_words(way_to(step.name, chosen))}" for step in steps]


def _way_in_words(way: Way) -> str:
    words = {
        "dig": f"dig {way.of}",
        "kill": f"kill a {way.of}",
        "use": f"use on a {way.of}",
        "find": f"find beside a {way.of}",
        "craft": "craft",
        "smelt": "smelt",
    }[way.how]
    if way.uses:
        words += f" {way.gives} from {', '.join(f'{n} {item}' for item, n in way.uses.items())}"
    if way.how == "smelt":
        words += " (and fuel: coal that is held for 8 of them, 2 planks for 3)"
    if way.station:
        words += f", at a {way.station}"
    if way.tools:
        words += f", with one of {', '.join(way.tools)}"
    return words


def _in_words(step: Need) -> str:
    thing = step.item.replace("_", " ")
    verb = {
        "dig": "harvest",
        "craft": "craft",
        "smelt": "smelt",
        "kill": "get",
        "use": "get",
        "find": "find",
    }[step.way.how]
    return f"{verb} {step.gain} {thing}"


def _why(item: str, later: Sequence[Need], goal: Condition) -> str:
    users = [
        step.item
        for step in later
        if item in step.way.uses
        or item == step.way.station
        or item in step.way.tools
        or (item == "planks" and step.way.how == "smelt")
    ]
    if users:
        return f"needed for {', '.join(users)}"
    return "to be placed" if goal.kind == "nearby" else "the goal"
