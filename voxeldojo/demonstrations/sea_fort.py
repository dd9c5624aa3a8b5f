"""A fort in the sea, from which a swimmer fights guardians: a ring of four blocks around its head.

It hangs over shallow ground, between four corner posts. Who looks in from outside sees the blocks;
from below only a mob that is near does, and so near a guardian's beam breaks off. A guardian that
loses sight of its prey swims to it, and what it drops sinks to the ground just below.
"""

import math
from collections.abc import Iterator
from itertools import product

from voxeldojo.actions import PLACE
from voxeldojo.demonstrations.diving import SPEED, come_up, swim
from voxeldojo.demonstrations.footing import WATER, Costs, Ground
from voxeldojo.demonstrations.going import SKY
from voxeldojo.demonstrations.player import BLOCK_IDS, SIDES, Cell, GaveUp, Player

STONE = "cobblestone"
BLOCKS = 24  # to build it, and some to spare
SHALLOW = (2, 4)  # blocks of water over the ground
EVEN = 3  # columns around that are as shallow, for what drops there
FAR = 40  # columns in which the place is searched for
POSTS = ((1, 1), (-1, -1), (1, -1), (-1, 1))  # the ring's blocks are put on the first two
GATE = 2.6  # metres from the middle to the place before a side
THERE, UNDER = 0.45, 2.0  # metres to a place that is reached; under the sky, below the ring
MIDDLE = 0.2  # metres from the middle at which the player is there
TRIES = 6  # to place one block
STEADY = 60  # ticks to get to the middle, or out
INSIDE = 0.01  # metres from a face's plane into the block, to aim at


def place_of(player: Player, near: Cell) -> Cell | None:
    """The cell at the surface in which the player swims in its fort: the nearest to a place with
    shallow and even ground below; None if there is none."""
    ground = Ground(player, near, FAR)
    solid = Costs(player, may_dig=False).solid

    def depth(x: int, z: int) -> int:
        for down in range(SHALLOW[1] + 1):
            block = ground.block(x, SKY - 1 - down, z)
            if block in WATER:
                continue
            return down if block > 0 and solid[block] else 0
        return 0

    around = range(-FAR + 1, FAR)
    for dx, dz in sorted(product(around, around), key=lambda way: math.hypot(*way)):
        x, z = near[0] + dx, near[2] + dz
        if depth(x, z) in range(SHALLOW[0], SHALLOW[1] + 1):
            depths = {depth(x + i, z + k) for i, k in product(range(-EVEN, EVEN + 1), repeat=2)}
            if len(depths) == 1:
                return x, SKY - 1, z
    return None


def stands(player: Player, cell: Cell) -> bool:
    """Whether the ring is there."""
    return all(player.block(part) == BLOCK_IDS[STONE] for part, _ in _ring(cell))


def enter(player: Player, cell: Cell) -> None:
    """Swim into the fort's place: along the surface to its nearest side, then under the ring.

    Raises:
        GaveUp: it was not reached.
    """
    if max(_beside(player, cell)) >= 0.5:
        side = min(SIDES, key=lambda side: _far(player, _gate(cell, side)))
        _swim_to(player, _gate(cell, side), SKY)
        _swim_to(player, _gate(cell, (0, 0)), SKY - UNDER)
    come_up(player)
    for _ in range(STEADY):
        if _far(player, _gate(cell, (0, 0))) < MIDDLE:
            return
        stay(player, cell)
    raise GaveUp("the fort in the sea was not reached")


def leave(player: Player, cell: Cell) -> None:
    """Swim out under the ring, on the side that the player looks to."""
    yaw = math.radians(float(player.body["yaw"]))
    side = max(SIDES, key=lambda side: -side[0] * math.sin(yaw) + side[1] * math.cos(yaw))
    _swim_to(player, _gate(cell, side), SKY - UNDER)
    come_up(player)


def _swim_to(player: Player, place: tuple[float, float], level: float) -> None:
    """Swim to a place at about a height of the feet: first up or down, then there."""
    for _ in range(round(2.0 * _far(player, place) / SPEED) + STEADY):
        if _far(player, place) < THERE:
            return
        y = float(player.body["y"])
        if y > level:
            player.act()
        else:
            swim(player, *place, up=True)


def _gate(cell: Cell, side: tuple[int, int]) -> tuple[float, float]:
    """The place before a side of the fort; (0, 0): its middle."""
    return cell[0] + 0.5 + GATE * side[0], cell[2] + 0.5 + GATE * side[1]


def _far(player: Player, place: tuple[float, float]) -> float:
    return math.dist((float(player.body["x"]), float(player.body["z"])), place)


def _beside(player: Player, cell: Cell) -> tuple[float, float]:
    """Metres to the fort's middle along x and along z."""
    x, z = _gate(cell, (0, 0))
    return abs(float(player.body["x"]) - x), abs(float(player.body["z"]) - z)


def stay(player: Player, cell: Cell, up: bool = True) -> None:
    """A tick of swimming in the middle of the fort."""
    x, _, z = cell
    flat = _far(player, _gate(cell, (0, 0)))
    _, yaw = player.angles_to(x + 0.5, player.eyes[1], z + 0.5)
    far = flat > MIDDLE
    # Sneaking, a swimmer does not shoot past the middle.
    player.act(move=int(far), gait=1 if up else 2, yaw=yaw if far else 0)


def build(player: Player, cell: Cell) -> None:
    """Build the ring around the place where the player swims.

    Raises:
        GaveUp: a block could not be placed.
    """
    for part, face in [*_posts(player, cell), *_ring(cell)]:
        for _ in range(TRIES):
            if player.block(part) not in WATER and player.block(part) != 0:
                break
            enter(player, cell)
            pitch, yaw = player.angles_to(*face)
            player.act(gait=1, pitch=pitch, yaw=yaw)
            pitch, yaw = player.angles_to(*face)
            slot = player.slot_of(STONE)
            if slot < 0:
                raise GaveUp(f"there is no {STONE} left to build with")
            player.act(gait=1, pitch=pitch, yaw=yaw, function=PLACE, slot=slot)
        else:
            raise GaveUp("the fort could not be built")


def _posts(player: Player, cell: Cell) -> Iterator[tuple[Cell, tuple[float, float, float]]]:
    """The cells of the posts from below, each with the place of the face to put it on."""
    x, y, z = cell
    for dx, dz in POSTS:
        low = y
        while player.block((x + dx, low - 1, z + dz)) in WATER:
            low -= 1
        for up in range(low, y + 2):
            yield (x + dx, up, z + dz), (x + dx + 0.5, up - INSIDE, z + dz + 0.5)


def _ring(cell: Cell) -> Iterator[tuple[Cell, tuple[float, float, float]]]:
    """The same for the blocks at the player's head, each put on a side of a post."""
    x, y, z = cell
    for dx, dz in SIDES:
        post = POSTS[0] if dx + dz > 0 else POSTS[1]
        # The middle of the post's side that the block is put on.
        face = (
            x + 0.5 + (post[0] if dx else post[0] * (0.5 + INSIDE)),
            y + 1.5,
            z + 0.5 + (post[1] if dz else post[1] * (0.5 + INSIDE)),
        )
        yield (x + dx, y + 1, z + dz), face
