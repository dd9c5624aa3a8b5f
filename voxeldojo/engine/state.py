"""The state of a batch of worlds: one set of arrays, whose first axis is the environment.

A world is endless. Only a window of ``area`` x ``area`` columns around the player is stored, and
moves with it in steps of 16: the columns from ``player.west`` and ``player.north`` on. A column is
contiguous in memory: ``blocks[environment, x & (area - 1), z & (area - 1)]``; ``area`` is a power
of two, so that a window moves without a copy.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voxeldojo.engine.compiling.arrays_by_address import by_address
from voxeldojo.rules import item_names

HEIGHT = 128
SEA_LEVEL = 63
SLOTS = 41  # 0 main hand, 1..8 hotbar, 9..35 inventory, 36..39 feet legs chest head, 40 offhand
DROPS = 64  # item entities at a time; a new one replaces the oldest
PLACED = 32  # crafting tables and furnaces that were placed in this episode
CHANGES = 8192  # changed blocks that are logged; beyond that a reset generates the window again
MOBS = 48
SHOTS = 16  # arrows and other things that fly
PENDING = 1024  # scheduled updates of blocks
TOUCHED = 4096  # changed blocks of one tick; of more only light follows
KEPT = 13  # entries to each column for the window of the start: forest needs 10, jungle 14
QUEUE = 32768  # cells that wait at once while a change of light spreads
KINDS = 64  # of mobs, at most
EFFECTS = 24  # timed effects on the player, at most
OVERWORLD, NETHER, END = 0, 1, 2
CLEAR, RAIN, THUNDER = 0, 1, 2
DEFAULT_WORLD, ONE_BIOME, FLAT = 0, 1, 2
HALF_WIDTH = 0.3
BODY_HEIGHT = 1.8
EYES = 1.62
REACH = 4.5  # metres from the eyes, survival mode
BREAK_DELAY = 5  # ticks of rest after a block broke

PLAYER = np.dtype(
    [
        ("x", "f8"),
        ("y", "f8"),
        ("z", "f8"),
        ("vx", "f8"),  # metres per tick
        ("vy", "f8"),
        ("vz", "f8"),
        ("yaw", "f8"),  # degrees, -180..180
        ("pitch", "f8"),  # degrees, + is down
        ("life", "f8"),
        ("food", "f8"),
        ("saturation", "f8"),
        ("fall", "f8"),  # metres fallen so far
        ("dig", "f8"),  # how far the block under the crosshair is broken, 0..1
        ("spawn_x", "f8"),
        ("spawn_y", "f8"),
        ("spawn_z", "f8"),
        ("seed", "u8"),
        ("random", "u8"),  # state of the episode's own random numbers
        ("ticks", "i8"),
        ("dig_x", "i4"),
        ("dig_y", "i4"),
        ("dig_z", "i4"),
        ("digging", "i4"),
        ("rest", "i4"),
        ("jump_rest", "i4"),
        ("ground", "i4"),
        ("sprinting", "i4"),
        ("regeneration", "i4"),
        ("burn", "i4"),  # ticks of fuel left over from the last smelting
        ("changes", "i4"),
        ("placed", "i4"),
        ("crafting", "i4"),  # craft argument of the last action, -1 if it was another action
        ("allowed", "i4"),  # 1: the craft mask allowed it
        ("ceiling", "i4"),  # there is nothing but air above this y
        ("fresh", "i4"),  # 1: no action was taken yet in this episode
        ("exhaustion", "f8"),  # 4 of it cost a point of saturation or food
        ("xp", "f8"),  # points
        ("struck", "f8"),  # the last blow's damage, while ``invulnerable``
        ("time", "i8"),  # of day in ticks, 0 is 6 o'clock, 6000 noon; it grows over 24000
        ("west", "i4"),  # lowest x and z of the window that is held
        ("north", "i4"),
        ("dimension", "i4"),
        ("weather", "i4"),
        ("weather_left", "i4"),  # ticks until it changes
        ("air", "i4"),  # 300 is full; a point of damage at each -20
        ("fire", "i4"),  # ticks it goes on burning
        ("invulnerable", "i4"),  # ticks in which only a harder blow counts
        ("cause", "i4"),  # of the last damage, as in hurt.py
        ("attacker", "i4"),  # kind of the mob that did it, 0 none
        ("fluid", "i4"),  # what the feet stand in: 0, WATER or LAVA
        ("fluid_eyes", "i4"),  # what the eyes are in
        ("sleeping", "i4"),
        ("portal", "i4"),  # ticks spent in a portal
        ("drawn", "i4"),  # ticks a bow has been drawn
        ("blocking", "i4"),  # ticks a shield has been held up
        ("cooldown", "i4"),  # ticks since the last blow
        ("using", "i4"),  # 1: the use key was down in the last tick
        ("home_west", "i4"),  # the window of the start, to which a reset may come back
        ("home_north", "i4"),
        ("riding", "i4"),  # mob or boat, its number + 1
        ("effects", "i4"),  # bits of body/effects.py: which of ``State.effects`` are active
        ("absorption", "f8"),  # life on top of its own, lost first
        ("thundering", "i4"),  # whether rain is thunder now, and for how many ticks
        ("thunder_left", "i4"),
        ("webbed", "i4"),  # 1: in a cobweb
        ("climbing", "i4"),  # 1: on a ladder or vines
        ("fishing", "i4"),  # ticks until a fish bites, below 0 since it did; 0 the line is in
        ("bumped", "i4"),  # 1: the last tick's way was barred sideways
        ("pending", "i4"),  # entries of State.pending in use
        ("touched", "i4"),  # changed blocks whose consequences are still to come
        ("next_due", "i8"),  # tick at which the first of them is due
        ("mobs", "i4"),  # places of State.mobs from here on are empty
        ("shots", "i4"),  # the same of State.shots
        ("striking", "i4"),  # 1: the attack key was down in the last action
        ("drops", "i4"),  # places of State.drops from here on are empty
        ("kept", "i4"),  # 1: the window of the start is in State.kept_*
        ("kept_ceiling", "i4"),
        ("home_x", "f8"),  # the world's start, whatever beds were slept in
        ("home_y", "f8"),
        ("home_z", "f8"),
        ("selected", "i4"),  # slot of the hot bar that is in the hand, as in hands/hotbar.py
    ],
    align=True,
)
SLOT = np.dtype([("item", "i4"), ("count", "i4"), ("variant", "i4"), ("wear", "i4")], align=True)
DROP = np.dtype(
    [
        ("x", "f8"),
        ("y", "f8"),
        ("z", "f8"),
        ("vx", "f8"),
        ("vy", "f8"),
        ("vz", "f8"),
        ("item", "i4"),
        ("count", "i4"),  # 0: no entity here
        ("variant", "i4"),
        ("wear", "i4"),
        ("age", "i4"),
        ("wait", "i4"),  # ticks until it can be picked up
        ("ground", "i4"),
        ("unused", "i4"),
    ],
    align=True,
)
CHANGE = np.dtype(
    [
        ("x", "i4"),
        ("z", "i4"),
        ("y", "u1"),
        ("dimension", "u1"),
        ("block", "u1"),  # what was there before
        ("meta", "u1"),
        ("new_block", "u1"),
        ("new_meta", "u1"),
        ("unused", "u2"),
    ],
    align=True,
)
TOOL = np.dtype(
    [("x", "i4"), ("z", "i4"), ("y", "i4"), ("block", "i2"), ("dimension", "i2")], align=True
)
MOB = np.dtype(
    [
        ("x", "f8"),  # of the middle of its feet
        ("y", "f8"),
        ("z", "f8"),
        ("vx", "f8"),
        ("vy", "f8"),
        ("vz", "f8"),
        ("yaw", "f8"),
        ("pitch", "f8"),
        ("life", "f8"),
        ("goal_x", "f8"),
        ("goal_y", "f8"),
        ("goal_z", "f8"),
        ("fall", "f8"),
        ("struck", "f8"),  # the last blow's damage, while ``invulnerable``
        ("kind", "i4"),  # row of Rules.mob, 0: no mob here
        ("variant", "i4"),  # wool's colour, a slime's size, a rabbit's coat
        ("mood", "i4"),
        ("wait", "i4"),
        ("age", "i4"),  # below 0 a young one
        ("invulnerable", "i4"),
        ("fire", "i4"),
        ("air", "i4"),
        ("ground", "i4"),
        ("counter", "i4"),  # a creeper's fuse, a hen's egg, a sheep's wool, a bow's pause
        ("angry", "i4"),
        ("stays", "i4"),  # 1: it does not despawn
        ("love", "i4"),
        ("carried", "i4"),  # a block, or 1: saddled, shorn, carved
        ("pause", "i4"),  # ticks until its next blow or shot
        ("blame", "i4"),  # ticks in which its death is still the player's doing
        ("target", "i4"),  # what it is after: 0 nothing, -1 the player, else a mob's number + 1
        ("unused", "i4"),
    ],
    align=True,
)
SHOT = np.dtype(
    [
        ("x", "f8"),
        ("y", "f8"),
        ("z", "f8"),
        ("vx", "f8"),
        ("vy", "f8"),
        ("vz", "f8"),
        ("damage", "f8"),
        ("kind", "i4"),  # 0: nothing flies here
        ("owner", "i4"),  # a mob's number, -1 the player
        ("by", "i4"),  # the kind of that mob, 0 the player
        ("age", "i4"),
        ("ground", "i4"),  # 1: it sticks in a block
        ("unused", "i4"),
    ],
    align=True,
)
UPDATE = np.dtype(
    [
        ("due", "i8"),
        ("x", "i4"),
        ("z", "i4"),
        ("y", "i4"),
        ("kind", "i2"),
        ("dimension", "i2"),
    ],
    align=True,
)
TOUCH = np.dtype([("x", "i4"), ("z", "i4"), ("y", "i2"), ("old", "i2")], align=True)
SETTING = np.dtype(
    [
        ("break_speed", "f8"),
        ("life", "f8"),
        ("food", "f8"),
        ("half_yaw", "f8"),  # degrees: in this window a crafting table counts as nearby
        ("half_pitch", "f8"),
        ("generator", "i4"),  # DEFAULT_WORLD, ONE_BIOME or FLAT
        ("biome", "i4"),  # Minecraft's id, for ONE_BIOME
        ("time", "i4"),  # of day at the start
        ("time_passes", "i4"),
        ("weather", "i4"),  # at the start
        ("weather_changes", "i4"),
        ("mobs_spawn", "i4"),
        ("strict", "i4"),  # 1: equip, place and destroy on an empty slot are refused
    ],
    align=True,
)


@by_address
class State(NamedTuple):
    blocks: NDArray[np.uint8]  # (B, area, area, HEIGHT) Minecraft block ids
    meta: NDArray[np.uint8]  # (B, area, area, HEIGHT) Minecraft block metadata
    light: NDArray[np.uint8]  # (B, area, area, HEIGHT) sky light << 4 | light of blocks
    ground: NDArray[np.uint8]  # (B, area, area) y of the ground as it was generated
    biomes: NDArray[np.uint8]  # (B, area, area) Minecraft's biome ids
    settings: NDArray[np.void]  # (B,) SETTING
    players: NDArray[np.void]  # (B,) PLAYER
    slots: NDArray[np.void]  # (B, SLOTS) SLOT
    before: NDArray[np.void]  # (B, SLOTS) SLOT as they were before the last action
    drops: NDArray[np.void]  # (B, DROPS) DROP
    changes: NDArray[np.void]  # (B, CHANGES) CHANGE, in order
    placed: NDArray[np.void]  # (B, PLACED) TOOL
    mobs: NDArray[np.void]  # (B, MOBS) MOB
    shots: NDArray[np.void]  # (B, SHOTS) SHOT
    pending: NDArray[np.void]  # (B, PENDING) UPDATE, due 0: free
    touched: NDArray[np.void]  # (B, TOUCHED) TOUCH
    queues: NDArray[np.int32]  # (B, 2, QUEUE) cells whose light goes or comes, scratch
    tops: NDArray[np.uint8]  # (B, area, area) scratch: lowest y that is open to the sky
    kills: NDArray[np.int64]  # (B, KINDS) mobs that the player killed in this episode
    used: NDArray[np.int32]  # (B, items) how often the player used each in this episode
    effects: NDArray[np.int32]  # (B, EFFECTS) of the player: ticks left * 8 + strength
    layers: NDArray[np.uint8]  # (B, 2, HEIGHT) block ids and metadata of a FLAT world by y
    strayed: NDArray[np.uint8]  # (B, area/16, area/16) 0: a chunk is as it was at the start
    kept_from: NDArray[np.int32]  # (B, area/16, area/16) first entry of a chunk of the start
    kept_words: NDArray[np.uint32]  # (B, 1, KEPT area²) entries: terrain/keeping.py
    kept_steps: NDArray[np.uint8]  # (B, 1, KEPT area²)
    kept_ground: NDArray[np.uint8]  # (B, area, area)
    kept_biomes: NDArray[np.uint8]  # (B, area, area)


def new_state(size: int, area: int) -> State:
    columns = (size, area, area)
    return State(
        blocks=np.zeros((*columns, HEIGHT), np.uint8),
        meta=np.zeros((*columns, HEIGHT), np.uint8),
        light=np.zeros((*columns, HEIGHT), np.uint8),
        ground=np.zeros(columns, np.uint8),
        biomes=np.zeros(columns, np.uint8),
        settings=records(size, SETTING),
        players=records(size, PLAYER),
        slots=records((size, SLOTS), SLOT),
        before=records((size, SLOTS), SLOT),
        drops=records((size, DROPS), DROP),
        changes=records((size, CHANGES), CHANGE),
        placed=records((size, PLACED), TOOL),
        mobs=records((size, MOBS), MOB),
        shots=records((size, SHOTS), SHOT),
        pending=records((size, PENDING), UPDATE),
        touched=records((size, TOUCHED), TOUCH),
        queues=np.zeros((size, 2, QUEUE), np.int32),
        tops=np.zeros(columns, np.uint8),
        kills=np.zeros((size, KINDS), np.int64),
        used=np.zeros((size, len(item_names)), np.int32),
        effects=np.zeros((size, EFFECTS), np.int32),
        layers=np.zeros((size, 2, HEIGHT), np.uint8),
        strayed=np.zeros((size, area // 16, area // 16), np.uint8),
        kept_from=np.zeros((size, area // 16, area // 16), np.int32),
        kept_words=np.zeros((size, 1, KEPT * area * area), np.uint32),
        kept_steps=np.zeros((size, 1, KEPT * area * area), np.uint8),
        kept_ground=np.zeros(columns, np.uint8),
        kept_biomes=np.zeros(columns, np.uint8),
    )


def records(shape: int | tuple[int, ...], kind: np.dtype[np.void]) -> NDArray[np.void]:
    """An array of records, all 0."""
    return np.zeros(shape, kind)
