"""The keys of a player in one tick."""

import msgspec


class Keys(msgspec.Struct, frozen=True, kw_only=True):
    """``pitch`` and ``yaw``: degrees by which the camera turns, + is down and to the right.
    ``forward`` and ``left``: -1, 0 or 1. ``gait``: 0 none, 1 jump, 2 sneak, 3 sprint.
    ``crafts``: craft arguments (0..243) in the order in which they are tried. ``at_table``: those
    that need no table but were requested at one. ``equip`` and ``place``: registry names of items;
    "" for none. ``hotbar``: the slot that is taken into the hand, 0..8, or -1. ``swaps``: pairs of
    slots, 0..40, to be swapped. ``pick``: take the item of the block in sight into the hand.
    ``swap_hands``: swap the items of the two hands."""

    pitch: float = 0.0
    yaw: float = 0.0
    forward: int = 0
    left: int = 0
    gait: int = 0
    attack: bool = False
    use: bool = False
    drop: bool = False
    crafts: tuple[int, ...] = ()
    at_table: tuple[int, ...] = ()
    equip: str = ""
    place: str = ""
    hotbar: int = -1
    swaps: tuple[tuple[int, int], ...] = ()
    pick: bool = False
    swap_hands: bool = False


STILL = Keys()
