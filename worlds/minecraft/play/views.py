"""What a person would note down of an observation."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from messages.world import View
from voxeldojo.rules import BIOMES
from voxeldojo.rules.mobs import entity_names, mob_names
from worlds.minecraft.card.conditions import DIMENSIONS
from worlds.minecraft.play.readings import Readings, inventory_of

_BIOMES = {biome.id: biome.name for biome in BIOMES}


def view(readings: Readings, environment: int) -> View:
    """One environment as it stands. Air is left out of ``around``."""
    position, yaw, pitch = readings.location()
    life, food = readings.life()
    ids, quantities = readings.slots()
    worn = readings.worn()[0][environment].tolist()
    biomes, dimensions = readings.whereabouts()
    killed, used = readings.deeds()
    blocks, items = readings.world.block_names, readings.world.item_names
    voxels, counts = np.unique(readings.voxels()[environment], return_counts=True)
    x, y, z = position[environment].tolist()
    met = int(readings.met()[0][environment])
    return View(
        position=(x, y, z),
        yaw=float(yaw[environment]),
        pitch=float(pitch[environment]),
        life=float(life[environment]),
        food=float(food[environment]),
        inventory=inventory_of(items, ids[environment], quantities[environment]),
        facing=entity_names[met] if met else blocks[int(readings.facing()[0][environment])],
        around={
            blocks[block]: count
            for block, count in zip(voxels.tolist(), counts.tolist(), strict=True)
            if block
        },
        stations=readings.stations(environment),
        killed=_counts(mob_names, killed[environment]),
        used=_counts(items, used[environment]),
        worn=[items[item] for item in worn if item],
        biome=_BIOMES.get(int(biomes[environment]), ""),
        dimension=DIMENSIONS[int(dimensions[environment])],
        age=int(readings.age()[environment]),
        light=float(readings.light()[environment]),
        oxygen=float(readings.status()["oxygen"][environment]),
    )


def _counts(names: list[str], counts: NDArray[np.integer[Any]]) -> dict[str, int]:
    """Those above 0, by name."""
    return {names[number]: int(counts[number]) for number in np.flatnonzero(counts).tolist()}


def changes(before: View, after: View) -> dict[str, str]:
    """What differs, field by field: ``"before -> after"``."""
    changed: dict[str, str] = {}
    for name in ("life", "food", "facing", "biome", "dimension"):
        was, now = getattr(before, name), getattr(after, name)
        if was != now:
            changed[name] = f"{was} -> {now}"
    for name in ("yaw", "pitch"):
        was, now = getattr(before, name), getattr(after, name)
        if abs(was - now) > 0.5:
            changed[name] = f"{was:.0f} -> {now:.0f}"
    if max(abs(a - b) for a, b in zip(before.position, after.position, strict=True)) > 0.1:
        changed["position"] = f"{_place(before)} -> {_place(after)}"
    for counted in ("inventory", "killed", "used"):
        old, new = getattr(before, counted), getattr(after, counted)
        for name in sorted(old.keys() | new.keys()):
            was, now = old.get(name, 0), new.get(name, 0)
            if was != now:
                changed[f"{counted}.{name}"] = f"{was} -> {now}"
    if sorted(before.worn) != sorted(after.worn):
        worn = [", ".join(view.worn) or "nothing" for view in (before, after)]
        changed["worn"] = " -> ".join(worn)
    return changed


def _place(view: View) -> str:
    return "({:.1f}, {:.1f}, {:.1f})".format(*view.position)
