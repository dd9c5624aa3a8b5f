"""Finds the mob on a line of sight."""

from voxeldojo.engine.compiling.kernels import entry_kernel
from voxeldojo.engine.mobs.placing import half_of, tall_of
from voxeldojo.engine.rays import enter_slab


@entry_kernel
def mob_on_ray(state, rules, w, ox, oy, oz, dx, dy, dz, reach):
    """(number of the nearest mob, metres to it) along a unit vector; (-1, reach) if there is none.
    The caller has to check for blocks in between."""
    found = -1
    nearest = reach
    for number in range(state.players[w].mobs):
        mob = state.mobs[w, number]
        if mob.kind == 0:
            continue
        half = half_of(rules, mob)
        tall = tall_of(rules, mob)
        # A quick test: most mobs are far from the line.
        away = 0.5 * nearest + half + tall
        if (
            abs(mob.x - ox - 0.5 * nearest * dx) > away
            or abs(mob.y - oy - 0.5 * nearest * dy) > away
            or abs(mob.z - oz - 0.5 * nearest * dz) > away
        ):
            continue
        ax, bx = enter_slab(ox, dx, mob.x - half, mob.x + half)
        ay, by = enter_slab(oy, dy, mob.y, mob.y + tall)
        az, bz = enter_slab(oz, dz, mob.z - half, mob.z + half)
        near = max(0.0, ax, ay, az)
        if near <= min(bx, by, bz) and near < nearest:
            nearest = near
            found = number
    return found, nearest
