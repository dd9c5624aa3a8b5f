"""The numbers of MineDojo's observation dictionary for one environment, in a few arrays.

`minedojo_observation.py` makes the dictionary of them.
"""

import math

from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.hands.crafting import nearby_tools
from voxeldojo.engine.observation.batch_observation import BAG, read_box
from voxeldojo.engine.rays import direction
from voxeldojo.engine.rulebook import INGREDIENTS
from voxeldojo.engine.state import EYES

# Places of the numbers in ``stats``.
X, Y, Z, YAW, PITCH, LIFE, FOOD, SATURATION, ARMOUR, OXYGEN, XP = range(11)
STATS = 11
# Places of the facts in ``facts``.
TABLE, BESIDE_FURNACE, SLEEPING = range(3)
FACTS = 3
INCREASES, DECREASES = 1, 4
EQUIPMENT = 36  # column of the first of the six


@entry_kernel
def pack(state, rules, w, stats, facts, slots, delta, amounts, scratch):
    """``stats`` (STATS,) and ``facts`` (FACTS,): see above. ``slots`` (5, 42): item, count,
    variant, present and full durability (-1: it does not wear) of the 36 slots of the inventory and
    the six of the equipment. ``delta`` and ``amounts``: see ``pack_delta``."""
    pack_stats(state, rules, w, stats, facts)
    for number in range(BAG):
        pack_slot(state, rules, w, number, slots, number)
    pack_slot(state, rules, w, 0, slots, EQUIPMENT)
    for number in range(5):
        pack_slot(state, rules, w, 36 + number, slots, EQUIPMENT + 1 + number)
    pack_delta(state, rules, w, delta, amounts, scratch)


@kernel
def pack_stats(state, rules, w, stats, facts):
    player = state.players[w]
    stats[X] = player.x
    stats[Y] = player.y
    stats[Z] = player.z
    stats[YAW] = player.yaw
    stats[PITCH] = player.pitch
    stats[LIFE] = player.life
    stats[FOOD] = player.food
    stats[SATURATION] = player.saturation
    stats[ARMOUR] = 0.0
    for number in range(36, 40):
        stats[ARMOUR] += rules.item[state.slots[w, number].item].armour
    stats[OXYGEN] = max(0, player.air)
    stats[XP] = player.xp
    tools = nearby_tools(state, w)
    facts[TABLE] = tools & 1 != 0
    facts[BESIDE_FURNACE] = tools & 2 != 0
    facts[SLEEPING] = player.sleeping != 0


@kernel
def pack_slot(state, rules, w, number, slots, column):
    slot = state.slots[w, number]
    durability = rules.item[slot.item].durability
    slots[0, column] = slot.item
    slots[1, column] = slot.count
    slots[2, column] = slot.variant
    slots[3, column] = durability - slot.wear if durability > 0 else -1
    slots[4, column] = durability if durability > 0 else -1


@kernel
def pack_delta(state, rules, w, delta, amounts, change):
    """Gains and losses since ``state.before``. ``delta`` (7,): the item gained, four items lost,
    and whether the last action's crafting made the one and used up the others. ``amounts`` (5,):
    of the five items. ``change``: (items,) scratch."""
    player = state.players[w]
    change[:] = 0
    delta[:] = 0
    amounts[:] = 0
    for number in range(BAG):
        change[state.slots[w, number].item] += state.slots[w, number].count
        change[state.before[w, number].item] -= state.before[w, number].count
    gains = 0
    losses = 0
    if player.fresh == 0:
        for item in range(1, change.shape[0]):
            if change[item] > 0 and gains < INCREASES:
                delta[gains] = item
                amounts[gains] = change[item]
                gains += 1
            elif change[item] < 0 and losses < DECREASES:
                delta[INCREASES + losses] = item
                amounts[INCREASES + losses] = -change[item]
                losses += 1
    if player.crafting >= 0 and player.allowed != 0:
        delta[5] = gains > 0 and delta[0] == rules.crafted[player.crafting]
        delta[6] = 1
        recipe = rules.first[player.crafting]
        for column in range(INGREDIENTS):
            if rules.needs[recipe, column, 1] == 0:
                break
            found = False
            for loss in range(losses):
                found = found or delta[INCREASES + loss] == rules.needs[recipe, column, 0]
            if not found:
                delta[6] = 0


@entry_kernel
def pack_voxels(state, w, x, y, z, blocks, metas, cosines):
    """A box of blocks, its lowest corner given: ids, metadata, and the cosine of the angle between
    the line of sight and the way to each block's lowest corner."""
    read_box(state, w, x, y, z, blocks, metas)
    player = state.players[w]
    look_x, look_y, look_z = direction(player.yaw, player.pitch)
    for i in range(blocks.shape[0]):
        for j in range(blocks.shape[1]):
            for k in range(blocks.shape[2]):
                dx = x + i - player.x
                dy = y + j - (player.y + EYES)
                dz = z + k - player.z
                length = max(math.sqrt(dx * dx + dy * dy + dz * dz), 1e-9)
                cosine = (dx * look_x + dy * look_y + dz * look_z) / length
                cosines[i, j, k] = min(1.0, max(-1.0, cosine))
