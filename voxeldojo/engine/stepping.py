"""One MineDojo action in every environment, compiled as a whole."""

import math

import numpy as np
from numba import float64, int64, uint64

from voxeldojo.engine.block_changes import restore
from voxeldojo.engine.body.clock import pass_time, set_weather
from voxeldojo.engine.body.effects import clear_effects
from voxeldojo.engine.body.living import live
from voxeldojo.engine.body.physics import DRAG, GRAVITY, move_player
from voxeldojo.engine.chance import unit
from voxeldojo.engine.compiling.compiled_apart import apart
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.hands.crafting import affordable, craft, nearby_tools, usable
from voxeldojo.engine.hands.digging import dig, stop_digging
from voxeldojo.engine.hands.items import add_items, move_drops, throw
from voxeldojo.engine.hands.placing import equip, place_item
from voxeldojo.engine.hands.slots import empty_slot
from voxeldojo.engine.hands.uses import count_shot, count_uses
from voxeldojo.engine.hands.using import release, use_item
from voxeldojo.engine.mobs.living import tick_mobs
from voxeldojo.engine.mobs.placing import clear_mobs
from voxeldojo.engine.mobs.shots import tick_shots
from voxeldojo.engine.mobs.spawning import spawn_mobs
from voxeldojo.engine.mobs.striking import strike
from voxeldojo.engine.mobs.using import use_on_mob
from voxeldojo.engine.motion.due import run_updates
from voxeldojo.engine.motion.scheduled import forget_updates
from voxeldojo.engine.motion.travel import go_home, pass_portal
from voxeldojo.engine.state import OVERWORLD, SLOTS
from voxeldojo.engine.terrain.keeping import bring_back, keep, mark_start, refilled
from voxeldojo.engine.terrain.spawn import choose_start, region_of_start
from voxeldojo.engine.terrain.window import keep_window, load, people

SIZES = np.array([3, 3, 4, 25, 25, 8, 244, 36], np.int64)
USE, DROP, ATTACK, CRAFT, EQUIP, PLACE, DESTROY = 1, 2, 3, 4, 5, 6, 7


@kernel
def first_fault(state, actions, active):
    """(environment, column) of the first invalid action; column 8: it needs a slot that is empty;
    (-1, 0) if all are valid."""
    for w in range(actions.shape[0]):
        if not active[w]:
            continue
        for column in range(8):
            if actions[w, column] < 0 or actions[w, column] >= SIZES[column]:
                return w, column
        wants = state.settings[w].strict == 1 and actions[w, 5] >= EQUIP
        if wants and state.slots[w, actions[w, 7]].item == 0:
            return w, 8
    return -1, 0


@apart(int64, uint64)
def begin(state, rules, w, seed):
    """A new episode: the world of this seed, the player at its start, empty-handed."""
    player = state.players[w]
    area = state.blocks.shape[1]
    at_home = player.west == player.home_west and player.north == player.home_north
    at_home = at_home and player.dimension == OVERWORLD
    again = player.fresh >= 0 and player.seed == seed
    # A few changes are undone one by one. If the window moved, its former contents are restored.
    known = again and at_home and not refilled(state, w) and restore(state, rules, w)
    known = known or (again and bring_back(state, w))
    for number in range(player.drops):
        state.drops[w, number].count = 0
    player.drops = 0
    forget_updates(state, w)
    clear_mobs(state, w)
    player.seed = seed
    player.changes = 0
    player.random = seed ^ np.uint64(0x5DEECE66D)
    player.placed = 0
    player.ticks = 0
    player.burn = 0
    player.rest = 0
    player.fresh = 1
    player.crafting = -1
    player.time = state.settings[w].time
    if known:
        people(state, rules, w, player.west, player.north, player.west + area, player.north + area)
    else:
        player.dimension = OVERWORLD
        region_x, region_z = region_of_start(rules, state.settings[w], seed)
        load(state, rules, w, region_x, region_z)
        player.home_west = player.west
        player.home_north = player.north
        x, y, z = choose_start(state, rules, w, seed)
        player.home_x = x + 0.5
        player.home_y = float(y)
        player.home_z = z + 0.5
        mark_start(state, w)
        # Storing takes time. Only a seed that was used twice is likely to be used again.
        if again:
            keep(state, w)
    player.spawn_x = player.home_x
    player.spawn_y = player.home_y
    player.spawn_z = player.home_z
    for number in range(SLOTS):
        empty_slot(state.slots[w, number])
        empty_slot(state.before[w, number])
    state.kills[w] = 0
    state.used[w] = 0
    stand_up(state, w)
    player.life = state.settings[w].life
    player.food = state.settings[w].food
    player.yaw = 360.0 * unit(player) - 180.0
    player.pitch = 0.0
    set_weather(player, state.settings[w].weather)


@entry_kernel
def begin_all(state, rules, environments, seeds, equipment):
    """New episodes in the named environments. ``equipment`` rows are item and count."""
    for number in range(environments.shape[0]):
        w = environments[number]
        begin(state, rules, w, np.uint64(seeds[number]))
        for row in range(equipment.shape[0]):
            add_items(state, rules, w, equipment[row, 0], equipment[row, 1], 0, 0)


@kernel
def stand_up(state, w):
    """Put the player at its start, alive and at rest."""
    player = state.players[w]
    player.x = player.spawn_x
    player.y = player.spawn_y
    player.z = player.spawn_z
    player.vx = 0.0
    player.vy = -GRAVITY * DRAG  # what presses a standing player to the ground
    player.vz = 0.0
    player.life = 20.0
    player.food = 20.0
    player.saturation = 5.0
    player.exhaustion = 0.0
    player.xp = 0.0
    player.fall = 0.0
    player.ground = 1
    player.jump_rest = 0
    player.regeneration = 0
    player.sprinting = 0
    player.air = 300
    player.fire = 0
    player.invulnerable = 0
    player.cause = 0
    player.attacker = 0
    player.fluid = 0
    player.fluid_eyes = 0
    player.sleeping = 0
    player.webbed = 0
    player.climbing = 0
    player.bumped = 0
    player.fishing = 0
    player.portal = 0
    player.drawn = 0
    player.blocking = 0
    player.cooldown = 100  # rested
    player.selected = 0
    player.striking = 0
    player.using = 0
    player.riding = 0
    clear_effects(state, w)
    stop_digging(player)


@entry_kernel
def rise(state, rules, w):
    """Respawn a dead player at the next step, at its start, without items, as in MineDojo."""
    player = state.players[w]
    stand_up(state, w)
    if player.dimension != OVERWORLD:
        go_home(state, rules, w)
    else:
        keep_window(state, rules, w)
    for number in range(SLOTS):
        empty_slot(state.slots[w, number])


@apart(int64, float64, float64, int64)
def tick(state, rules, w, forward, strafe, gait):
    player = state.players[w]
    pass_time(state, w)
    if player.drawn > 0 or player.blocking > 0:
        if player.using == 0:
            release(state, rules, w)
        player.using = 0
    run_updates(state, rules, w)
    if player.sleeping == 0:
        move_player(state, rules, w, player, forward, strafe, gait)
    live(state, rules, w)
    tick_mobs(state, rules, w)
    tick_shots(state, rules, w)
    spawn_mobs(state, rules, w)
    move_drops(state, rules, w)
    keep_window(state, rules, w)
    pass_portal(state, rules, w)
    player.ticks += 1


@kernel
def look(player, pitch, yaw):
    player.pitch = min(90.0, max(-90.0, player.pitch + 15.0 * (pitch - 12)))
    yaw = player.yaw + 15.0 * (yaw - 12)
    player.yaw = yaw - 360.0 * math.floor((yaw + 180.0) / 360.0)


@entry_kernel
def attack(state, rules, w):
    """A tick with the attack key down."""
    if strike(state, rules, w):
        stop_digging(state.players[w])
    else:
        dig(state, rules, w, state.settings[w].break_speed)


@entry_kernel
def let_go(state, w):
    """A tick without the attack key."""
    player = state.players[w]
    player.striking = 0
    stop_digging(player)
    if player.rest > 0:
        player.rest -= 1


@apart(int64, int64, int64, int64)
def use_hands(state, rules, w, function, argument, slot):
    """Carry out one of MineDojo's functions, except attack."""
    if function == USE:
        if not use_on_mob(state, rules, w):
            use_item(state, rules, w)
    elif function == DROP:
        throw(state, w)
    elif function == CRAFT:
        craft(state, rules, w, argument, nearby_tools(state, w))
    elif function == EQUIP:
        equip(state, rules, w, slot)
    elif function == PLACE:
        place_item(state, rules, w, slot)
    elif function == DESTROY:
        empty_slot(state.slots[w, slot])


@kernel
def act(state, rules, w, action):
    player = state.players[w]
    if player.life <= 0.0:
        rise(state, rules, w)
    for number in range(SLOTS):
        slot = state.slots[w, number]
        before = state.before[w, number]
        before.item = slot.item
        before.count = slot.count
        before.variant = slot.variant
        before.wear = slot.wear
    player.fresh = 0
    if action[5] == CRAFT:
        tools = nearby_tools(state, w)
        first = rules.first[action[6]]
        can = usable(rules, action[6], tools) and affordable(state, rules, w, first)
        player.allowed = 1 if can else 0
    look(player, action[3], action[4])
    function = action[5]
    player.crafting = action[6] if function == CRAFT else -1
    if function == ATTACK:
        attack(state, rules, w)
    else:
        let_go(state, w)
    # Without strict checks, and after a death, the slot may be empty.
    if function < EQUIP or state.slots[w, action[7]].item != 0:
        use_hands(state, rules, w, function, action[6], action[7])
    count_uses(state, rules, w, function, action[7])
    drawn = player.drawn > 0
    forward = 1.0 if action[0] == 1 else (-1.0 if action[0] == 2 else 0.0)
    strafe = 1.0 if action[1] == 1 else (-1.0 if action[1] == 2 else 0.0)
    tick(state, rules, w, forward, strafe, action[2])
    if function >= CRAFT or function == DROP:
        tick(state, rules, w, 0.0, 0.0, 0)
        tick(state, rules, w, 0.0, 0.0, 0)
    if drawn:
        count_shot(state, w)


@entry_kernel
def act_all(state, rules, actions, active):
    """Checks all actions, then takes them. Returns what first_fault found."""
    fault = first_fault(state, actions, active)
    if fault[0] >= 0:
        return fault
    for w in range(actions.shape[0]):
        if active[w]:
            act(state, rules, w, actions[w])
    return fault
