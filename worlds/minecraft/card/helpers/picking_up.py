"""Getting what a block drops, and taking stations along."""

STATIONS = (("crafting table", "crafting_table"), ("furnace", "furnace"))
STONES_OF_A_FURNACE = 8
DELAY = 12  # steps after which what dropped can be picked up, and a little


def gather_at(obs, item, dx, dy, dz):
    """Dig a block within reach and get the item that it drops."""
    here = cell_of(obs)
    x, y, z = here[0] + dx, here[1] + dy, here[2] + dz
    had = obs.inventory.get(item, 0)
    obs = dig_at(hold_for(obs, obs.block(dx, dy, dz)), dx, dy, dz)
    last = obs.steps + DELAY
    while obs.steps < last and obs.inventory.get(item, 0) == had:
        ax, az = x + 0.5 - obs.position[0], z + 0.5 - obs.position[2]
        obs = noop() if hypot(ax, az) < 1.2 else travel(obs, ax, az, 8, y - cell_of(obs)[1])
    if obs.inventory.get(item, 0) == had:
        ax, az = x + 0.5 - obs.position[0], z + 0.5 - obs.position[2]
        obs = travel(obs, ax, az, 60, y - cell_of(obs)[1])
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
