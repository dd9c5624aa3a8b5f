"""Parses the settings of a world from a MissionInit message."""

import math

from voxeldojo.engine.scene.drawing import drawing_of
from voxeldojo.engine.scene.markup import BadMarkup, Element, parse
from voxeldojo.malmo.framing import BadMessage
from voxeldojo.rules import item_names
from voxeldojo.tasks import Placed, WorldSettings

ITEMS = frozenset(item_names)
GENERATORS = {
    "DefaultWorldGenerator": "default",
    "BiomeGenerator": "specified_biome",
    "FlatWorldGenerator": "flat",
    "FileWorldGenerator": "from_file",
}


def parse_mission(text: bytes) -> WorldSettings:
    """The settings in a MissionInit. Mobs, rewards and fast resets are not in it: MineDojo's Python
    deals with them.

    Raises:
        BadMessage: not well-formed XML, no mission, or an invalid value.
    """
    try:
        root = parse(text)
    except BadMarkup as error:
        raise BadMessage(str(error)) from None
    if root.name != "MissionInit":
        raise BadMessage(f"a MissionInit is expected, not {root.name}")
    agents = list(root.all("AgentSection"))
    if len(agents) != 1:
        raise BadMessage(f"a mission has one agent here, not {len(agents)}")
    agent = agents[0]
    generator = _generator(root)
    start_time = _text(root, "StartTime")
    size = agent.first("VideoProducer")
    if size is None:
        raise BadMessage("the mission has no VideoProducer with Width and Height")
    placement = agent.first("Placement")
    drawing = root.first("DrawingDecorator")
    health, food = agent.first("StartingHealth"), agent.first("StartingFood")
    speed = _text(agent, "BreakSpeedMultiplier")
    biome = generator.attributes.get("biome")
    return WorldSettings(
        inventory=_inventory(agent),
        position=None
        if placement is None
        else {name: _number(placement, name) for name in ("x", "y", "z", "yaw", "pitch")},
        health=20.0 if health is None else _within("health", _number(health, "health"), 0.01, 20),
        food=20.0 if food is None else _within("food", _number(food, "food"), 0, 20),
        time=None if start_time is None else _whole("StartTime", start_time, 0, 10**9),
        weather=_text(root, "Weather"),
        time_passes=_text(root, "AllowPassageOfTime") != "false",
        mobs_spawn=_text(root, "AllowSpawning") != "false",
        world=GENERATORS[generator.name],
        biome=None if biome is None else _whole("biome", biome, 0, 255),
        flat=generator.attributes.get("generatorString"),
        village=root.first("VillageSpawnDecorator") is not None,
        drawing=None if drawing is None else drawing_of(drawing),
        break_speed=1.0 if speed is None else _float("BreakSpeedMultiplier", speed),
        seed=None,
        world_seed=generator.attributes.get("seed", "")[:256],
        initial_mobs=None,
        extra=None,
        fast_reset=False,
        teleport_range=0,
        image_size=(
            _whole("Height", _text(size, "Height") or "", 1, 2**15),
            _whole("Width", _text(size, "Width") or "", 1, 2**15),
        ),
        voxels=_voxels(agent),
        rays=_rays(agent),
    )


def _generator(root: Element) -> Element:
    handlers = root.first("ServerHandlers")
    found = [child for child in handlers.children if child.name in GENERATORS] if handlers else []
    if len(found) != 1:
        raise BadMessage(f"a mission has one world generator, not {len(found)}")
    return found[0]


def _inventory(agent: Element) -> list[Placed]:
    found = []
    for entry in agent.all("InventoryObject"):
        name = entry.attributes.get("type", "").removeprefix("minecraft:")
        if name not in ITEMS:
            raise BadMessage(f"there is no item {name[:40]!r}")
        found.append(
            Placed(
                _whole("slot", entry.attributes.get("slot", ""), 0, 40),
                name,
                _whole("metadata", entry.attributes.get("metadata", "0"), 0, 32767),
                _whole("quantity", entry.attributes.get("quantity", "1"), 1, 64),
            )
        )
    return found


def _voxels(agent: Element) -> dict[str, int] | None:
    for grid in agent.all("Grid"):
        if grid.attributes.get("name") != "voxels":
            continue
        low, high = grid.first("min"), grid.first("max")
        if low is None or high is None:
            raise BadMessage("the voxels have no min and max")
        return {
            f"{axis}{end}": _whole(f"{end} {axis}", limit.attributes.get(axis, ""), -999, 999)
            for end, limit in (("min", low), ("max", high))
            for axis in "xyz"
        }
    return None


def _rays(agent: Element) -> list[tuple[float, float, float]] | None:
    lidar = agent.first("ObservationFromRichLidar")
    if lidar is None:
        return None
    return [
        (_number(ray, "pitch"), _number(ray, "yaw"), _number(ray, "distance"))
        for ray in lidar.all("RayOffset")
    ]


def _text(element: Element, name: str) -> str | None:
    found = element.first(name)
    return None if found is None else found.text.strip()


def _number(element: Element, attribute: str) -> float:
    return _float(attribute, element.attributes.get(attribute, ""))


def _float(name: str, text: str) -> float:
    try:
        value = float(text[:64])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadMessage(f"{name} is no number: {text[:40]!r}")
    return value


def _within(name: str, value: float, least: float, most: float) -> float:
    if not least <= value <= most:
        raise BadMessage(f"{name} is from {least:g} to {most:g}, not {value:g}")
    return value


def _whole(name: str, text: str, least: int, most: int) -> int:
    value = _within(name, _float(name, text), least, most)
    if not value.is_integer():
        raise BadMessage(f"{name} is a whole number, not {text[:40]!r}")
    return int(value)
