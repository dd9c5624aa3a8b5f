ITEM = "log"
BLOCK = "wood"


def action(obs):
    spot = find(obs, BLOCK, 4)
    if spot is None:
        obs = noop()
        return
    dx, dy, dz = spot
    x, _, z = obs.position
    goal_x, goal_z = floor(x) + dx + 0.5, floor(z) + dz + 0.5
    had = obs.inventory.get(ITEM, 0)
    obs = dig_at(obs, dx, dy, dz, 100)
    if obs.inventory.get(ITEM, 0) == had:
        obs = walk_to(obs, goal_x - obs.position[0], goal_z - obs.position[2], 25)
