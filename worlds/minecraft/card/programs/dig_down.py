BLOCK = "stone"
TOOLS = []
LEVEL = 64
THROUGH = ("air", "water", "lava")


def hold(obs):
    for tool in TOOLS:
        if obs.inventory.get(tool, 0):
            return obs if obs.held == tool else equip(tool)
    return obs


def action(obs):
    obs = hold(obs)
    while obs.steps < 1000:
        near = find(obs, BLOCK, 1)
        if near is not None:
            dx, dy, dz = near
            obs = look_at(obs, dx + 0.5, dy + 0.5, dz + 0.5)
            return
        if obs.position[1] <= LEVEL and find(obs, BLOCK, 4) is not None:
            obs = forward_attack()
            continue
        if obs.block(0, -2, 0) in ("lava", "air") or obs.block(0, -1, 0) in THROUGH:
            obs = forward()
            continue
        obs = dig_at(obs, 0, -1, 0, 120)
        obs = noop()
