"""The hot bar: which of its nine slots is in the hand.

All rules look for what is in the hand in slot 0. Where another slot is selected, the two have
changed places in the state; ``place_of`` tells where a slot of the player's lies.
"""

from voxeldojo.engine.compiled import entry_kernel

HOTBAR = 9


@entry_kernel
def place_of(selected, slot):
    """Where a slot of the player's lies in the state, and the other way round."""
    if slot == selected:
        return 0
    return selected if slot == 0 else slot


@entry_kernel
def swap_slots(state, w, one, other):
    """What lies in two slots of the state changes places."""
    a = state.slots[w, one]
    b = state.slots[w, other]
    item, count, variant, wear = a.item, a.count, a.variant, a.wear
    a.item, a.count, a.variant, a.wear = b.item, b.count, b.variant, b.wear
    b.item, b.count, b.variant, b.wear = item, count, variant, wear


@entry_kernel
def select_slot(state, w, slot):
    """Takes a slot of the hot bar into the hand. Another item there begins from the start: to dig,
    to draw, and to recover from a blow."""
    player = state.players[w]
    before = state.slots[w, 0].item
    swap_slots(state, w, 0, player.selected)
    player.selected = slot
    swap_slots(state, w, 0, slot)
    if state.slots[w, 0].item != before:
        player.cooldown = 0
        player.dig = 0.0
        player.drawn = 0
