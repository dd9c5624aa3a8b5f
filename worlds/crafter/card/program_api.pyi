"""What a coded action may use. It defines `def action(obs)`, and nothing needs to be imported.

Each primitive takes one step of the game and returns the observation after it. The world has 64 by
64 cells and is seen from above; x grows to the right and y downwards. Cells that a program names
are offsets (dx, dy) from the player, unless they are said to count from the start.
"""

from collections.abc import Mapping, Sequence

class Creature:
    """What lives, or flies, in view."""

    name: str  # "cow", "zombie", "skeleton", "plant", "ripe plant", "arrow left", "arrow up", ...
    dx: int
    dy: int

class Way:
    """A way through what has been seen, by the fewest steps: digging and bridging count, too."""

    dx: int  # the direction of its first step; of the thing itself where cost is 0
    dy: int
    cost: int  # about so many steps
    x: int  # where it leads, counted from the start
    y: int

class Observation:
    """What is seen at one step. Read-only."""

    position: tuple[int, int]  # cells right of and below the start
    facing: tuple[int, int]  # (1, 0) is right
    health: int  # 0 to 9, as the next three; dead at 0
    food: int
    drink: int
    energy: int
    inventory: Mapping[str, int]  # items that are held: "wood", "stone_pickaxe"
    achievements: Mapping[str, int]  # how often each was done in this episode: "collect_wood"
    sleeping: bool  # each primitive then only passes the time, until it wakes
    daylight: float  # 0 to 1
    time: int  # steps since the episode began; a day has 300
    steps: int  # primitive steps that this run has taken
    creatures: tuple[Creature, ...]  # in view, the nearest first

    def cell(self, dx: int, dy: int) -> str:
        """What is there: a creature or the ground ("grass", "sand", "path", "water", "stone",
        "tree", "coal", "iron", "diamond", "lava", "table", "furnace", "void" beyond the edge).
        Outside the view (dx -4 to 4, dy -3 to 3) the ground that was seen there last, or
        "unknown"."""

def way_to(obs: Observation, things: Sequence[str]) -> Way | None:
    """To stand beside the nearest of these things, seen now or before; None if there is none."""

def way_onto(obs: Observation, cells: Sequence[tuple[int, int]]) -> Way | None:
    """To stand on one of these cells, which count from the start."""

def way_to_unknown(
    obs: Observation, near: Sequence[str] = (), stale: int = 0, least: int = 3
) -> Way | None:
    """To where at least `least` unknown cells come into view; with `near` only those within two
    cells of such ground, with `stale` also such ground that was not in view for so many steps."""

def noop() -> Observation: ...
def move_left() -> Observation:
    """Face left, and go one cell if nothing stands there. Into lava, too, which kills."""

def move_right() -> Observation: ...
def move_up() -> Observation: ...
def move_down() -> Observation: ...
def do() -> Observation:
    """Take, dig, drink, eat or hit what is faced."""

def sleep() -> Observation:
    """Fall asleep; wakes when rested or hurt."""

def place_stone() -> Observation:
    """On grass, sand, path, water or lava that is faced."""

def place_table() -> Observation: ...
def place_furnace() -> Observation: ...
def place_plant() -> Observation:
    """A sapling, on grass."""

def make_wood_pickaxe() -> Observation:
    """The making of tools needs a table within one cell, that of iron ones a furnace, too."""

def make_stone_pickaxe() -> Observation: ...
def make_iron_pickaxe() -> Observation: ...
def make_wood_sword() -> Observation: ...
def make_stone_sword() -> Observation: ...
def make_iron_sword() -> Observation: ...

# Helpers take as many steps as they need, or give up, and return the last observation: look there
# whether it worked. All but guard() keep the player alive meanwhile: they fight, eat and shelter.

def guard(obs: Observation) -> Observation:
    """Fight what is about to hurt, dodge arrows."""

def live(obs: Observation, deep: bool = False) -> Observation:
    """Do what is urgent for staying alive. `deep`: the work is in rock, so that the night is as
    good as the day."""

def explore(obs: Observation, near: Sequence[str] = ()) -> Observation:
    """One step towards where something new comes into view."""

def gather(
    obs: Observation,
    things: Sequence[str],
    item: str,
    count: int,
    near: Sequence[str] = (),
    patience: int = 1500,
) -> Observation:
    """Take these things until `count` of the item are held; looks for them near such ground."""

def consume(obs: Observation, things: Sequence[str], enough: int) -> Observation:
    """Drink ("water",) or eat ("cow",) until there is enough of it inside."""

def hunt(obs: Observation, name: str, patience: int = 1500) -> Observation:
    """Find a creature of this name and defeat it."""

def put(obs: Observation, thing: str) -> Observation:
    """Place a "stone", "table", "furnace" or "plant" beside us."""

def stand_at_table(obs: Observation, far: int) -> Observation:
    """Stand beside a table: a known one no more than `far` steps away, or a new one."""

def beside(obs: Observation, thing: str) -> bool:
    """Whether it stands within one cell, diagonally too: near enough for making tools."""

def plant(obs: Observation) -> Observation:
    """Plant a sapling and wall it in; needs four stones."""

def harvest(obs: Observation) -> Observation:
    """Wait beside a plant until it is ripe, and eat it."""

def enclosed(obs: Observation) -> bool:
    """Whether nothing can walk to us."""

def shelter(obs: Observation, deep: bool = False) -> Observation:
    """Close a place around us with stones and sleep in it until it is day and we are well."""

def sqrt(x: float) -> float: ...
def hypot(x: float, y: float) -> float: ...
def sin(radians: float) -> float: ...
def cos(radians: float) -> float: ...
def atan2(y: float, x: float) -> float: ...
def degrees(radians: float) -> float: ...
def radians(degrees: float) -> float: ...
def floor(x: float) -> int: ...
def ceil(x: float) -> int: ...
