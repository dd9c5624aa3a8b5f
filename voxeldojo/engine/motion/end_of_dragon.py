"""The effects of the dragon's death: the exit portal, its egg and a gateway to other islands."""

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import BEDROCK, block_at, held, log_change
from voxeldojo.engine.motion.portals import END_PORTAL
from voxeldojo.engine.terrain.end.generate import fountain_height

EGG, GATEWAY = 122, 209
GATEWAY_AT = (96, 75, 0)
FOUNTAIN = 2.5  # metres from the middle to its rim


@kernel
def open_exit(state, rules, w):
    """Fill the fountain, place the egg on it and open the gateway, in the window or not."""
    base = fountain_height(state.players[w].seed)
    for x in range(-2, 3):
        for z in range(-2, 3):
            if 0 < x * x + z * z <= FOUNTAIN * FOUNTAIN:
                write(state, rules, w, x, base, z, END_PORTAL)
    write(state, rules, w, 0, base + 3, 0, EGG)
    gateway(state, rules, w, GATEWAY_AT[0], GATEWAY_AT[1], GATEWAY_AT[2])


@kernel
def gateway(state, rules, w, x, y, z):
    """A gateway in its cross of bedrock."""
    for up in range(-1, 2, 2):
        for side in range(-1, 2, 2):
            write(state, rules, w, x + side, y + up, z, BEDROCK)
            write(state, rules, w, x, y + up, z + side, BEDROCK)
        write(state, rules, w, x, y + up, z, BEDROCK)
        write(state, rules, w, x, y + 2 * up, z, BEDROCK)
    write(state, rules, w, x, y, z, GATEWAY)


@kernel
def write(state, rules, w, x, y, z, block):
    """Change a block, or log the change for a later window if it is outside."""
    if held(state, w, x, z):
        set_block(state, rules, w, x, y, z, block, 0)
    else:
        log_change(state, w, x, y, z, block, 0)


@kernel
def dragon_is_dead(state, w):
    """Whether the exit portal is open. The fountain must be in the window."""
    base = fountain_height(state.players[w].seed)
    return block_at(state, w, 1, base, 0) == END_PORTAL
