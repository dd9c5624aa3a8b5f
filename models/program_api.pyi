"""What a coded action may use. It defines `def action(obs)`, and nothing needs to be imported.

Each primitive takes one step of 50 ms of game time and returns the observation after it.
"""

from collections.abc import Mapping

class Ray:
    """What one ray from the eyes hit."""

    pitch: float  # degrees relative to the line of sight, + is down
    yaw: float  # degrees relative to the line of sight, + is right
    block: str  # localised name ("wood", "grass block"), "air" if nothing within 20 m
    distance: float  # metres
    entity: str  # mob in front of that block ("cow", "zombie"), "" if none
    entity_distance: float  # metres to the mob, 20 if none

class Observation:
    """What is seen at one step. Read-only. Old observations keep their fields, but `rays`,
    `craftable` and blocks (with `nearest`, `nearest_mob` and `find`) must be read before the next
    action.
    """

    position: tuple[float, float, float]  # metres x, y (up), z of the feet
    yaw: float  # degrees
    pitch: float  # degrees, + is down, -90 to 90
    life: float  # 0 to 20
    food: float  # 0 to 20
    oxygen: float  # 0 to 300, falls under water
    light: float  # 0 to 15, where the player stands
    held: str  # item in the main hand, "air" if none
    equipment: tuple[str, ...]  # main hand, feet, legs, chest, head, off hand; "air" where empty
    nearby_table: bool  # a crafting table is near and in view, so that craft() can use it
    nearby_furnace: bool  # the same of a furnace
    inventory: Mapping[str, int]  # item name ("log", "wooden_pickaxe") -> quantity
    facing: str  # block under the crosshair within 4.5 m ("wood"), "air" if none
    facing_distance: float  # metres to it, 4.5 if none
    rays: tuple[Ray, ...]  # pitches -45 to 60 by 15, yaws -90 to 90 by 7.5, 20 m far
    craftable: tuple[str, ...]  # items that craft() can make now
    steps: int  # primitive steps that this run has taken

    def block(self, dx: int, dy: int, dz: int) -> str:
        """The block at an offset of -8 to 8 from the feet: block(0, -1, 0) is stood on. Offsets are
        along the axes of `position`: x, y (up), z; they do not turn with the player.
        """

def nearest(obs: Observation, block: str) -> tuple[float, float, float] | None:
    """(yaw offset, pitch offset, distance) of the nearest `block` that the rays see, or None.

    turn(yaw offset) and look(pitch offset) bring it under the crosshair.
    """

def nearest_mob(obs: Observation, mob: str) -> tuple[float, float, float] | None:
    """(yaw offset, pitch offset, distance) of the nearest mob of that name ("cow", "sheep") that
    the rays see, or None.
    """

def find(obs: Observation, block: str, radius: int = 8) -> tuple[int, int, int] | None:
    """(dx, dy, dz) from the feet to the nearest `block` within `radius` (1 to 8) blocks, seen or
    hidden, or None.
    """

def noop() -> Observation: ...
def forward() -> Observation: ...
def back() -> Observation: ...
def left() -> Observation: ...
def right() -> Observation: ...
def jump() -> Observation:
    """Jump forward: up one block."""

def sprint() -> Observation:
    """Run forward."""

def sneak() -> Observation:
    """Crouch without moving."""

def attack() -> Observation:
    """Hit or dig: a log needs about 60 in a row by hand, with the crosshair kept on it."""

def forward_attack() -> Observation: ...
def use() -> Observation: ...
def drop() -> Observation: ...
def turn(degrees: float) -> Observation:
    """Turn by steps of 15 degrees, + is right; -180 to 180."""

def look(degrees: float) -> Observation:
    """Look up or down by steps of 15 degrees, + is down; -180 to 180."""

def craft(item: str) -> Observation:
    """Craft or smelt one recipe's worth; nothing happens if it is not in `obs.craftable`."""

def equip(item: str) -> Observation:
    """Take the item into the hand. ValueError if there is none in the inventory."""

def place(item: str) -> Observation:
    """Put the block against the face under the crosshair. ValueError if there is none."""

def destroy(item: str) -> Observation:
    """Throw away the stack of the item. ValueError if there is none."""

# Helpers: each takes as many primitive steps as it needs (and ends early where it cannot go on) and
# returns the last observation, from which it is seen whether it worked. They get the newest
# observation. A program may define its own function of the same name instead.

def look_at(obs: Observation, dx: float, dy: float, dz: float) -> Observation:
    """Turn the eyes to the point at an offset in metres from the feet, to the nearest 15 degrees:
    at most two steps.
    """

def walk_to(obs: Observation, dx: float, dz: float, max_steps: int = 100) -> Observation:
    """Walk straight to the point at an offset in metres from the feet, jumping up single blocks.
    Ends within 0.4 m of it, when stuck, before lava and before a fall of more than 3 blocks.
    """

def dig_at(obs: Observation, dx: int, dy: int, dz: int, max_steps: int = 400) -> Observation:
    """Aim at the block at that offset from the feet's block and dig until it is gone, with what is
    in the way. It must be within reach, 4.5 m from the eyes; the best tool is to be equipped first.
    """

def place_at(obs: Observation, item: str, dx: int, dy: int, dz: int) -> Observation:
    """Put the block at that offset from the feet's block, which must be free, within reach, beside
    another block and not where the player stands. ValueError if there is no such item.
    """

def sqrt(x: float) -> float: ...
def hypot(x: float, y: float) -> float: ...
def sin(radians: float) -> float: ...
def cos(radians: float) -> float: ...
def atan2(y: float, x: float) -> float: ...
def degrees(radians: float) -> float: ...
def radians(degrees: float) -> float: ...
def floor(x: float) -> int: ...
def ceil(x: float) -> int: ...
