"""One slot of the inventory: emptied, taken from, worn."""

from voxeldojo.engine.compiled import kernel


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
    """What is in a slot wears by ``amount``. True: it is used up, and gone."""
    slot.wear += amount
    if slot.wear <= rules.item[slot.item].durability:
        return False
    empty_slot(slot)
    return True
