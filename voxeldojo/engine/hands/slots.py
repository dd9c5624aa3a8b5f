"""One slot of the inventory: emptying it, taking from it, wearing its item."""

from voxeldojo.engine.compiling.kernels import kernel


@kernel
def empty_slot(slot):
    slot.item = 0
    slot.count = 0
    slot.variant = 0
    slot.wear = 0


@kernel
def take(slot, count):
    """Take ``count`` items out of a slot."""
    slot.count -= count
    if slot.count <= 0:
        empty_slot(slot)


@kernel
def wear_slot(rules, slot, amount):
    """Wear the item of a slot by ``amount``. True: it was used up and is removed."""
    slot.wear += amount
    if slot.wear <= rules.item[slot.item].durability:
        return False
    empty_slot(slot)
    return True
