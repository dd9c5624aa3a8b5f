"""Going a way that was found through the blocks around."""

PASSABLE = (
    "air",
    "water",
    "grass",
    "plant",
    "flower",
    "mushroom",
    "dead bush",
    "snow",
    "vines",
    "sugar cane",
    "torch",
    "crops",
    "oak sapling",
)


def travel(obs, dx, dz, max_steps=200, dy=None):
    x, y, z = obs.position
    goal_x, goal_z = x + dx, z + dz
    goal_y = None if dy is None else floor(y + 0.001) + dy
    last = obs.steps + max_steps
    while obs.steps < last:
        x, y, z = obs.position
        near = hypot(goal_x - x, goal_z - z) < 0.7
        if near and (goal_y is None or abs(goal_y - y) < 1):
            return obs
        down = None if goal_y is None else goal_y - floor(y + 0.001)
        cells = route(obs, goal_x - floor(x) - 0.5, goal_z - floor(z) - 0.5, down)
        before = obs.steps
        if cells:
            obs = follow(obs, cells, last)
        if obs.steps == before or not cells:
            return step_on(obs)
    return obs


def follow(obs, cells, last):
    x, y, z = cell_of(obs)
    before = (x, y, z)
    for dx, dy, dz in cells:
        there = (x + dx, y + dy, z + dz)
        if obs.steps >= last:
            return obs
        obs = open_up(obs, before, there)
        obs = enter(obs, there)
        if hypot(obs.position[0] - there[0] - 0.5, obs.position[2] - there[2] - 0.5) > 0.8:
            return obs
        before = there
    return obs


def open_up(obs, before, there):
    """Dig what is in the way from one cell to the next."""
    cells = [(there[0], there[1] + 1, there[2]), there]
    if there[1] > before[1]:
        cells = [(before[0], before[1] + 2, before[2])] + cells
    if there[1] < before[1]:
        cells = [(there[0], before[1] + 1, there[2]), (there[0], before[1], there[2])] + cells
    for bx, by, bz in cells:
        for _ in range(3):  # gravel falls after
            fx, fy, fz = cell_of(obs)
            if max(abs(bx - fx), abs(by - fy), abs(bz - fz)) > 4:
                return obs
            name = obs.block(bx - fx, by - fy, bz - fz)
            if name in PASSABLE:
                break
            obs = hold_for(obs, name)
            obs = dig_at(obs, bx - fx, by - fy, bz - fz, 250)
    return obs


def enter(obs, there):
    """Step into a cell that is open."""
    stuck = 0
    for _ in range(16):
        x, y, z = obs.position
        dx, dz = there[0] + 0.5 - x, there[2] + 0.5 - z
        if hypot(dx, dz) < 0.35:
            return obs
        aside = (degrees(atan2(-dx, dz)) - obs.yaw + 180.0) % 360.0 - 180.0
        if abs(aside) > 7.5 and hypot(dx, dz) > 0.2:
            obs = turn(aside)
        wet = obs.block(0, 0, 0) == "water"
        if there[1] > y + 0.1 or stuck > 1 or wet:
            obs = jump()
        else:
            obs = forward() if hypot(dx, dz) < 0.6 else sprint()
        moved = hypot(obs.position[0] - x, obs.position[2] - z) + abs(obs.position[1] - y)
        stuck = stuck + 1 if moved < 0.05 else 0
        if stuck > 6:
            return obs
    return obs
