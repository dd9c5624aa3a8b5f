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

class Observation:
    """What is seen at one step. Read-only."""

    position: tuple[float, float, float]  # metres x, y (up), z of the feet
    yaw: float  # degrees
    pitch: float  # degrees, + is down, -90 to 90
    life: float  # 0 to 20
    food: float  # 0 to 20
    inventory: Mapping[str, int]  # item name ("log", "wooden_pickaxe") -> quantity
    facing: str  # block under the crosshair within 4.5 m ("wood"), "air" if none
    facing_distance: float  # metres to it, 4.5 if none
    rays: tuple[Ray, ...]  # pitches -45 to 60 by 15, yaws -90 to 90 by 7.5, 20 m far
    craftable: tuple[str, ...]  # items that craft() can make now
    steps: int  # primitive steps that this run has taken

    def block(self, dx: int, dy: int, dz: int) -> str:
        """The block at an offset of -1, 0 or 1 from the feet: block(0, -1, 0) is stood on."""

def nearest(obs: Observation, block: str) -> tuple[float, float, float] | None:
    """(yaw offset, pitch offset, distance) of the nearest `block` that the rays see, or None.

    turn(yaw offset) and look(pitch offset) bring it under the crosshair.
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

def sqrt(x: float) -> float: ...
def hypot(x: float, y: float) -> float: ...
def sin(radians: float) -> float: ...
def cos(radians: float) -> float: ...
def atan2(y: float, x: float) -> float: ...
def degrees(radians: float) -> float: ...
def radians(degrees: float) -> float: ...
def floor(x: float) -> int: ...
def ceil(x: float) -> int: ...
