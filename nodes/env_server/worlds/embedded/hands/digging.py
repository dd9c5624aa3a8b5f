"""Breaking blocks: how long it takes, what it costs and what falls out."""

from models.rules.mobs import MOB_IDS
from nodes.env_server.worlds.embedded.compiled import kernel
from nodes.env_server.worlds.embedded.grid import AIR, block_at, meta_at
from nodes.env_server.worlds.embedded.hands.items import drop_loot, lay_drop, wear_out
from nodes.env_server.worlds.embedded.mobs.placing import place_mob
from nodes.env_server.worlds.embedded.rays import under_crosshair
from nodes.env_server.worlds.embedded.rulebook import SHEARED, SHEARS
from nodes.env_server.worlds.embedded.state import BREAK_DELAY, REACH
from nodes.env_server.worlds.embedded.structures.loot import drop_chest
from nodes.env_server.worlds.embedded.updates import set_block

CHESTS = (54, 146)
MONSTER_EGG = 97
SILVERFISH = MOB_IDS["silverfish"]
ROUNDING = 1e-9  # sixty sixtieths are one block


@kernel
def dig_rate(rules, player, block, tool):
    """How much of a block breaks in one tick; more than 1 is at once."""
    entry = rules.block[block]
    if entry.hardness < 0.0:
        return 0.0
    if entry.hardness == 0.0:
        return 2.0
    speed = rules.speeds[tool, entry.material]
    if player.ground == 0:
        speed /= 5.0
    return speed / entry.hardness / (30.0 if rules.harvests[tool, block] else 100.0)


@kernel
def break_block(state, rules, w, x, y, z):
    """The block breaks: loot, wear of the tool. What it carried breaks in the same tick."""
    tool = state.slots[w, 0].item
    block = block_at(state, w, x, y, z)
    meta = meta_at(state, w, x, y, z)
    set_block(state, rules, w, x, y, z, AIR, 0)
    if rules.item[tool].tool == SHEARS and SHEARED[block]:
        lay_drop(
            state, w, x + 0.5, y + 0.4, z + 0.5, 0.0, 0.2, 0.0, SHEARED[block], 1, meta & 3, 0, 10
        )
    else:
        drop_loot(state, rules, w, x, y, z, block, meta, tool)
    if block in CHESTS:
        drop_chest(state, rules, w, x, y, z, block)
    elif block == MONSTER_EGG:
        place_mob(state, rules, w, SILVERFISH, x + 0.5, float(y), z + 0.5)
    if rules.block[block].hardness > 0.0:
        wear_out(state, rules, w, 2 if rules.item[tool].tool == 2 else 1)


@kernel
def stop_digging(player):
    player.digging = 0
    player.dig = 0.0


@kernel
def dig(state, rules, w, multiplier):
    """One tick with the attack key held."""
    player = state.players[w]
    block, x, y, z, _face, _distance = under_crosshair(state, rules, w, REACH)
    if block == AIR:
        stop_digging(player)
        return
    if player.digging == 0 or x != player.dig_x or y != player.dig_y or z != player.dig_z:
        player.digging = 1
        player.dig = 0.0
        player.dig_x = x
        player.dig_y = y
        player.dig_z = z
        rate = multiplier * dig_rate(rules, player, block, state.slots[w, 0].item)
        if rate >= 1.0 and player.rest == 0:
            break_block(state, rules, w, x, y, z)
            stop_digging(player)
            return
    if player.rest > 0:
        player.rest -= 1
        return
    player.dig += multiplier * dig_rate(rules, player, block, state.slots[w, 0].item)
    if player.dig >= 1.0 - ROUNDING:
        break_block(state, rules, w, x, y, z)
        stop_digging(player)
        player.rest = BREAK_DELAY
