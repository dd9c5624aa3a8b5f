"""Getting what a block drops, and taking stations along."""

STATIONS = (("crafting table", "crafting_table"), ("furnace", "furnace"))
STONES_OF_A_FURNACE = 8
AROUND_A_DROP = ((0, 0), (1, 0), (0, 1), (-1, 0), (0, -1))


def gather_at(obs, item, dx, dy, dz):
    """Dig a block within reach and get the item that it drops."""
    x, _, z = cell_of(obs)
    x, z = x + dx, z + dz
    had = obs.inventory.get(item, 0)
    obs = dig_at(hold_for(obs, obs.block(dx, dy, dz)), dx, dy, dz)
    for _ in range(10):
        if obs.inventory.get(item, 0) > had:
            return obs
        obs = noop()
    for ax, az in AROUND_A_DROP:
        if obs.inventory.get(item, 0) > had:
            return obs
        obs = walk_to(obs, x + ax + 0.5 - obs.position[0], z + az + 0.5 - obs.position[2], 25)
    return obs


def take_along(obs):
    """Take up the stations that stand within reach, for who goes away. A furnace is left where
    there are stones for another one: that is quicker."""
    for block, item in STATIONS:
        if obs.inventory.get(item, 0):
            continue
        if item == "furnace" and obs.inventory.get("cobblestone", 0) >= STONES_OF_A_FURNACE:
            continue
        spot = find(obs, block, 3)
        if spot is not None:
            obs = gather_at(obs, item, spot[0], spot[1], spot[2])
    return obs
