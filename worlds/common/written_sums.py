"""A plan's sums in writing: what each step takes, from the goal back.

A planner that writes a plan down in order has to know its first quantity, the last one that
counting back arrives at. So it writes the sums first.
"""

from collections.abc import Mapping, Sequence

from worlds.common.plan_arithmetic import Need


def sums(steps: Sequence[Need], inventory: Mapping[str, int], fuel: str) -> str:
    """``bread 2: 2*3=6 wheat, crafting_table; crafting_table 1: 4 planks; ...``, an entry for each
    step of a plan, the last first: the item, how many of it are missing, what they take. What
    several steps take is added up, and what is held is taken off: ``planks 6+4=10, 3 held, 7``.
    ``fuel``: what is got to be burnt."""
    planned = {step.item for step in steps}
    parts: dict[str, list[int]] = {}
    entries: list[str] = []
    for step in reversed(steps):
        entries.append(_entry(step, parts.get(step.item, []), inventory, fuel, planned))
        for item, each in step.way.uses.items():
            parts.setdefault(item, []).append(each * step.times)
        if step.burns:
            parts.setdefault(fuel, []).append(step.burns)
    return "; ".join(entries)


def _entry(
    step: Need, parts: Sequence[int], inventory: Mapping[str, int], fuel: str, planned: set[str]
) -> str:
    kept = step.quantity - sum(parts)  # of a station or tool, or for the goal
    added = [*parts, kept] if kept > 0 else parts
    missing = f"{step.item} {'+'.join(map(str, added))}"
    if len(added) > 1:
        missing += f"={step.quantity}"
    if inventory.get(step.item, 0):
        missing += f", {inventory[step.item]} held, {step.gain}"
    takes = [f"{_product(step.times, each)} {item}" for item, each in step.way.uses.items()]
    if takes and step.way.gives > 1:
        takes[0] = f"{step.gain}/{step.way.gives}={step.times}, {takes[0]}"
    if step.burns:
        takes.append(f"{step.burns} {fuel} burnt")
    takes += [item for item in (step.way.station, *step.way.tools) if item in planned]
    return f"{missing}: {', '.join(takes)}" if takes else missing


def _product(times: int, each: int) -> str:
    if times == 1 or each == 1:
        return str(times * each)
    return f"{times}*{each}={times * each}"
