"""The hot bar: which of its nine slots is in the hand.

All rules expect the item in the hand in slot 0. While another slot is selected, the two are swapped
in the state; ``place_of`` maps a slot of the player to its place in the state.
"""

from voxeldojo.engine.compiling.kernels import entry_kernel

HOTBAR = 9


@entry_kernel
def place_of(selected, slot):
    """The place of a player's slot in the state, and the slot of a place."""
    if slot == selected:
        return 0
    return selected if slot == 0 else slot


@entry_kernel
def swap_slots(state, w, one, other):
    """Swap two slots of the state."""
    a = state.slots[w, one]
    b = state.slots[w, other]
    item, count, variant, wear = a.item, a.count, a.variant, a.wear
    a.item, a.count, a.variant, a.wear = b.item, b.count, b.variant, b.wear
    b.item, b.count, b.variant, b.wear = item, count, variant, wear


@entry_kernel
def select_slot(state, w, slot):
    """Take a slot of the hot bar into the hand. A change of the item resets digging, drawing a bow
    and the recovery of attack strength."""
    player = state.players[w]
    before = state.slots[w, 0].item
    swap_slots(state, w, 0, player.selected)
    player.selected = slot
    swap_slots(state, w, 0, slot)
    if state.slots[w, 0].item != before:
        player.cooldown = 0
        player.dig = 0.0
        player.drawn = 0
