"""Landing on farmland may turn it into dirt: BlockFarmland.onFallenUpon."""

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.chance import unit
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import block_at

DIRT, FARMLAND = 3, 60


@kernel
def trample(state, rules, w, x, y, z, fall):
    """The player landed on a block after a fall of ``fall`` metres. Mobs trample nothing."""
    if block_at(state, w, x, y, z) == FARMLAND and unit(state.players[w]) < fall - 0.5:
        set_block(state, rules, w, x, y, z, DIRT, 0)
