"""How often each item was used: the game's statistic stat.use_item, by which MineDojo's tech tree
tasks are judged. Tools count when they wear, armour when it is put on, a bow when it shoots, other
items when they are used or placed with an effect."""

from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.state import SLOTS
from voxeldojo.rules import item_id

USE, ATTACK, EQUIP, PLACE = 1, 3, 5, 6  # MineDojo's functions
TOOL, SWORD = 1, 2  # in the rules' column "tool"
FEET, HEAD = 36, 39  # slots of armour
BOW = item_id("bow")
CLOCK, COMPASS = item_id("clock"), item_id("compass")  # used without any effect


@kernel
def count_uses(state, rules, w, function, slot):
    """Call after a function was carried out and before time passes: ``state.before`` has the slots
    before it."""
    before = state.before[w, 0]
    hand = state.slots[w, 0]
    item = before.item
    if function == USE and item != 0:
        same = hand.item == item and hand.count == before.count
        same = same and hand.variant == before.variant and hand.wear == before.wear
        if not same or item in (CLOCK, COMPASS):
            state.used[w, item] += 1
    elif function == ATTACK and item != 0:
        kind = rules.item[item].tool
        if kind in (TOOL, SWORD) and (hand.item != item or hand.wear != before.wear):
            state.used[w, item] += 1
    elif function in (EQUIP, PLACE):
        asked = state.before[w, slot].item
        if asked == 0:
            return
        if function == PLACE:
            lost = 0
            for number in range(SLOTS):
                if state.before[w, number].item == asked:
                    lost += state.before[w, number].count
                if state.slots[w, number].item == asked:
                    lost -= state.slots[w, number].count
            if lost > 0:
                state.used[w, asked] += 1
        elif FEET <= rules.item[asked].slot <= HEAD:
            state.used[w, asked] += 1


@kernel
def count_shot(state, w):
    """Call after time has passed: a bow wears in the tick in which it shoots."""
    before = state.before[w, 0]
    hand = state.slots[w, 0]
    if before.item == BOW and (hand.item != BOW or hand.wear != before.wear):
        state.used[w, BOW] += 1
