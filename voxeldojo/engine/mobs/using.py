"""The use key on a mob: milking, shearing, feeding, taming, saddling."""

from voxeldojo.engine.chance import below
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.hands.items import (
    PICKUP_WAIT,
    add_items,
    lay_drop,
    wear_out,
)
from voxeldojo.engine.hands.slots import take
from voxeldojo.engine.mobs.kinds import (
    COW,
    MOOSHROOM,
    OCELOT,
    PIG,
    SHEEP,
    SNOWMAN,
    WOLF,
)
from voxeldojo.engine.mobs.minding import likes
from voxeldojo.engine.mobs.placing import fill, tall_of
from voxeldojo.engine.mobs.striking import mob_under_crosshair
from voxeldojo.engine.mobs.table import PASSIVE
from voxeldojo.rules import item_id

ARM = 3.0  # metres
BUCKET, MILK = item_id("bucket"), item_id("milk_bucket")
BOWL, STEW = item_id("bowl"), item_id("mushroom_stew")
SHEARS, SADDLE, BONE = item_id("shears"), item_id("saddle"), item_id("bone")
WOOL, MUSHROOM = item_id("wool"), item_id("red_mushroom")
IN_LOVE = 600  # ticks
TAMED_LIFE = 20.0


@kernel
def use_on_mob(state, rules, w):
    """The use key is pressed. True: it did something to the mob under the crosshair."""
    item = state.slots[w, 0].item
    if item == 0 or state.players[w].mobs == 0:
        return False
    number = mob_under_crosshair(state, rules, w, ARM)
    if number < 0:
        return False
    mob = state.mobs[w, number]
    if item == BUCKET:
        return mob.kind in (COW, MOOSHROOM) and mob.age >= 0 and exchange(state, rules, w, MILK)
    if item == BOWL:
        return mob.kind == MOOSHROOM and mob.age >= 0 and exchange(state, rules, w, STEW)
    if item == SHEARS:
        return shear(state, rules, w, number)
    if item == SADDLE:
        if mob.kind != PIG or mob.carried == 1:
            return False
        mob.carried = 1
        take(state.slots[w, 0], 1)
        return True
    return feed(state, rules, w, mob, item)


@kernel
def exchange(state, rules, w, item):
    """Replace one item of the main hand by another."""
    slot = state.slots[w, 0]
    take(slot, 1)
    if slot.item == 0:
        slot.item = item
        slot.count = 1
        return True
    if add_items(state, rules, w, item, 1, 0, 0) > 0:
        player = state.players[w]
        lay_drop(state, w, player.x, player.y + 1.0, player.z, 0.0, 0.0, 0.0, item, 1, 0, 0, 40)
    return True


@kernel
def shear(state, rules, w, number):
    """A sheep gives 1 to 3 wool, and again after it has eaten grass; a mooshroom gives 5 mushrooms
    and becomes a cow; a snow golem loses its pumpkin."""
    mob = state.mobs[w, number]
    player = state.players[w]
    if mob.age < 0 or mob.kind not in (SHEEP, MOOSHROOM, SNOWMAN) or mob.carried == 1:
        return False
    wear_out(state, rules, w, 1)
    mob.carried = 1
    item = WOOL
    count = 1 + below(player, 3)
    if mob.kind == SNOWMAN:
        return True
    if mob.kind == MOOSHROOM:
        item = MUSHROOM
        count = 5
    y = mob.y + 0.8 * tall_of(rules, mob)
    for _ in range(count):
        dx = 0.05 * (below(player, 5) - 2)
        dz = 0.05 * (below(player, 5) - 2)
        variant = mob.variant if item == WOOL else 0
        lay_drop(state, w, mob.x, y, mob.z, dx, 0.2, dz, item, 1, variant, 0, PICKUP_WAIT)
    if mob.kind == MOOSHROOM:
        life = mob.life
        fill(state, rules, w, number, COW, mob.x, mob.y, mob.z)
        mob.life = life
    return True


@kernel
def feed(state, rules, w, mob, item):
    """Food makes grown animals fall in love and young ones grow; bones tame a wolf, fish a cat."""
    if not likes(rules, mob.kind, item):
        return False
    player = state.players[w]
    if (mob.kind == WOLF and mob.carried == 0) or (mob.kind == OCELOT and mob.carried == 0):
        if mob.kind == WOLF and (item != BONE or mob.angry > 0):
            return False
        take(state.slots[w, 0], 1)
        if below(player, 3) == 0:
            mob.carried = 1
            mob.stays = 1
            mob.target = 0
            if mob.kind == WOLF:
                mob.life = TAMED_LIFE
        return True
    if mob.kind == WOLF and item == BONE:
        return False
    if rules.mob[mob.kind].nature != PASSIVE and mob.kind != WOLF:
        return False
    if mob.age < 0:
        mob.age = min(0, mob.age - mob.age // 10)
    elif mob.age == 0 and mob.love == 0:
        mob.love = IN_LOVE
        mob.stays = 1
    else:
        return False
    take(state.slots[w, 0], 1)
    return True
