"""What a coded action may use. It defines `def action(obs)`, and nothing needs to be imported.

Each primitive takes one step of 50 ms of game time and returns the observation after it.

Axes: x grows to the east, y up, z to the south. At yaw 0 the player looks along +z, at yaw 90
along -x, so ahead is (-sin(radians(yaw)), cos(radians(yaw))) in x, z; turning right adds to yaw.
Names: items as in the inventory ("log"), blocks as they are seen ("wood"). A program with a name
of the wrong kind is refused.
"""

from collections.abc import Mapping

class Ray:
    """What one ray from the eyes hit."""

    pitch: float  # degrees relative to the line of sight, + is down
    yaw: float  # degrees relative to the line of sight, + is right
    block: str  # localised name ("wood", "grass block"), "air" if nothing within 20 m
    distance: float  # metres
    entity: str  # mob before that block ("cow"), "" if none
    entity_distance: float  # metres

class Observation:
    """What is seen at one step. Read-only. What comes of rays, craftable and block must be read
    before the next action."""

    position: tuple[float, float, float]  # metres x, y (up), z of the feet
    yaw: float  # degrees
    pitch: float  # degrees, + is down, -90 to 90
    life: float  # 0 to 20
    food: float  # 0 to 20
    oxygen: float  # 0 to 300, falls under water
    light: float  # 0 to 15
    held: str  # item in the main hand, "air" if none
    equipment: tuple[str, ...]  # main hand, feet, legs, chest, head, off hand
    nearby_table: bool  # a crafting table is near and in view, as craft() needs it
    nearby_furnace: bool
    inventory: Mapping[str, int]  # item name ("log", "wooden_pickaxe") -> quantity
    facing: str  # block under the crosshair within 4.5 m ("wood"), "air" if none; no mob
    facing_distance: float  # metres to it, 4.5 if none
    facing_mob: str  # mob under the crosshair within 4.5 m, "" if none
    facing_mob_distance: float  # a blow reaches 3 m
    rays: tuple[Ray, ...]  # pitches -45 to 60 by 15, yaws -90 to 90 by 7.5, 20 m far
    craftable: tuple[str, ...]  # items that craft() can make now
    killed: Mapping[str, int]  # mob -> how many, in this episode
    used: Mapping[str, int]  # item -> how often, in this episode
    steps: int  # primitive steps that this run has taken

    def block(self, dx: int, dy: int, dz: int) -> str:
        """The block -8 to 8 blocks from that of the feet along x, y, z: block(0, -1, 0) is stood
        on, block(0, 1, 0) is that of the eyes."""

def nearest(obs: Observation, block: str) -> tuple[float, float, float] | None:
    """(yaw offset, pitch offset, distance) of the nearest `block` that the rays see, or None.

    turn(yaw offset) and look(pitch offset) bring it under the crosshair.
    """

def nearest_mob(obs: Observation, mob: str) -> tuple[float, float, float] | None: ...
def look_out(obs: Observation, name: str) -> tuple[float, float, float] | None:
    """The same of a block or mob up to 64 m away; far_rays: blocks so far away."""

def far_rays(obs: Observation) -> tuple[Ray, ...]: ...
def route(obs: Observation, dx: float, dz: float, dy=None) -> tuple[tuple[int, int, int], ...]:
    """Cells on the way there, some to be dug."""

def find(obs: Observation, block: str, radius: int = 8, but=()) -> tuple[int, int, int] | None:
    """(dx, dy, dz) in blocks from that of the feet to the nearest `block`, seen or hidden, or None.
    Take the three apart: `dx, dy, dz = spot`, then dig_at(obs, dx, dy, dz). `but`: offsets of those
    that are passed over."""

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
    """Hit or dig: keep the crosshair there."""

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
    """Take the item into the hand, or put armour on; nothing happens if it is there already.
    ValueError if there is none: ask `"shears" in obs.inventory` first, or catch it."""

def place(item: str) -> Observation:
    """Put the block against the face under the crosshair. ValueError if there is none."""

def destroy(item: str) -> Observation:
    """Throw away the stack of the item. ValueError if there is none."""

# Helpers take as many steps as they need, or give up, and return the last observation: look there
# whether it worked. Offsets are from the newest observation: whole blocks (dx, dy, dz) from that of
# the feet, metres (walk_to, look_at) from the feet themselves. After a step ask again.

def look_at(obs: Observation, dx: float, dy: float, dz: float) -> Observation:
    """Aim at a point as well as steps of 15 degrees allow."""

def walk_to(obs: Observation, dx: float, dz: float, max_steps: int = 100) -> Observation:
    """Walk straight there and jump up single blocks; stops before lava and before a drop of more
    than 3 blocks."""

def walk_on(obs: Observation, steps: int) -> Observation:
    """Walk ahead, jump and swim, whatever is there: it walks off cliffs and into lava, too."""

def step_on(obs: Observation, run: bool = False) -> Observation:
    """One step ahead, jumping, swimming, round lava."""

def travel(obs: Observation, dx: float, dz: float, max_steps=200, dy=None) -> Observation:
    """Go there, round or through what is in the way."""

def roam(obs: Observation, steps: int, home_x=None, home_z=None, dry=False) -> Observation:
    """Run on over open land, away from `home`; `dry`: rather back than into the sea."""

def explore(obs: Observation, steps: int, been: dict) -> Observation:
    """Run on to where one has not been; ``been`` is a dict that remembers where, {} at first."""

def surface(obs: Observation, max_steps: int = 600) -> Observation:
    """Dig and climb up to the open."""

def sink(obs: Observation, max_steps: int = 200) -> Observation:
    """Dig one block down, where that is safe."""

def may_sink(obs: Observation) -> bool:
    """Whether the block below can be dug: no lava, water, deep fall or bedrock."""

def drive(obs: Observation, sx: int, sz: int) -> Observation:
    """Dig and go one block on, the same way: (1, 0), (-1, 0), (0, 1) or (0, -1)."""

def stair_up(obs: Observation) -> Observation: ...
def dig_at(obs: Observation, dx: int, dy: int, dz: int, max_steps: int = 400) -> Observation:
    """Dig a block within reach (4.5 m from the eyes), and what is in the way."""

def cell_of(obs: Observation) -> tuple[int, int, int]:
    """The block in which the feet are, in whole metres."""

def hold_for(obs: Observation, block: str) -> Observation:
    """Take the tool into the hand that digs this block quickest, of those that are carried."""

def gather_at(obs: Observation, item: str, dx: int, dy: int, dz: int) -> Observation:
    """Dig a block within reach with that tool and get the item that it drops."""

def take_along(obs: Observation) -> Observation:
    """Take up the crafting table and the furnace that stand within 3 blocks, before going away. The
    furnace is left where 8 cobblestone are held: another one is quicker."""

def place_at(obs: Observation, item: str, dx: int, dy: int, dz: int) -> Observation:
    """Place a block beside another one within reach. ValueError if there is none."""

def sqrt(x: float) -> float: ...
def hypot(x: float, y: float) -> float: ...
def sin(radians: float) -> float: ...
def cos(radians: float) -> float: ...
def atan2(y: float, x: float) -> float: ...
def degrees(radians: float) -> float: ...
def radians(degrees: float) -> float: ...
def floor(x: float) -> int: ...
def ceil(x: float) -> int: ...
