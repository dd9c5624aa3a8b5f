"""Sand, gravel and anvils fall when nothing supports them. (BlockFalling; here at once, without an
entity.)"""

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import AIR, block_at, meta_at
from voxeldojo.engine.hands.items import lay_drop
from voxeldojo.engine.motion.table import FALLS, ITEM_OF
from voxeldojo.engine.motion.waking import falls_through


@kernel
def fall(state, rules, w, x, y, z):
    block = block_at(state, w, x, y, z)
    if not FALLS[block] or not falls_through(block_at(state, w, x, y - 1, z)):
        return
    meta = meta_at(state, w, x, y, z)
    set_block(state, rules, w, x, y, z, AIR, 0)
    # It falls through all blocks without a collision box.
    while y > 0 and rules.block[block_at(state, w, x, y - 1, z)].height <= 0.0:
        y -= 1
    if y == 0:
        return
    there = block_at(state, w, x, y, z)
    low = rules.block[block_at(state, w, x, y - 1, z)].height < 1.0
    if rules.block[there].replaceable == 1 and not low:
        set_block(state, rules, w, x, y, z, block, meta)
    else:
        # On a torch or a slab it breaks.
        item = ITEM_OF[block]
        lay_drop(state, w, x + 0.5, y + 0.6, z + 0.5, 0.0, 0.1, 0.0, item, 1, meta, 0, 10)
