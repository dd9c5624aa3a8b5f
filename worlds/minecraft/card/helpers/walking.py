"""Walking straight to a place, or just ahead."""

CLOSE = 0.4  # metres
DEEP = 3  # blocks that one may fall
PATIENCE = 25  # steps without getting on


def walk_to(obs, dx, dz, max_steps=100):
    x, _, z = obs.position
    goal_x, goal_z = x + dx, z + dz
    last = obs.steps + max_steps
    stuck = 0
    while obs.steps < last and stuck < PATIENCE:
        x, _, z = obs.position
        dx, dz = goal_x - x, goal_z - z
        if hypot(dx, dz) < CLOSE:
            return obs
        aside = (degrees(atan2(-dx, dz)) - obs.yaw + 180.0) % 360.0 - 180.0
        if abs(aside) > 7.5:
            obs = turn(aside)
        if danger_ahead(obs):
            return obs
        obs = forward() if stuck == 0 else jump()
        moved = hypot(obs.position[0] - x, obs.position[2] - z)
        stuck = stuck + 1 if moved < 0.05 else 0
    return obs


def walk_on(obs, steps):
    for _ in range(steps):
        x, _, z = obs.position
        obs = jump() if obs.block(0, 0, 0) == "water" else forward()
        if hypot(obs.position[0] - x, obs.position[2] - z) < 0.05:
            obs = jump()
    return obs


def danger_ahead(obs):
    """Whether the next cell is lava, or has no ground within ``DEEP`` blocks."""
    x, _, z = obs.position
    ahead_x = floor(x - sin(radians(obs.yaw)) * 0.8) - floor(x)
    ahead_z = floor(z + cos(radians(obs.yaw)) * 0.8) - floor(z)
    if obs.block(0, -1, 0) == "air" and obs.block(0, -2, 0) == "air":
        return False  # in the air already
    for down in range(0, -DEEP - 2, -1):
        block = obs.block(ahead_x, down, ahead_z)
        if block == "lava":
            return True
        if block != "air":
            return False
    return True


def step_on(obs, run=False):
    """One step ahead, or round what one would fall or burn in."""
    if danger_ahead(obs):
        for turned in (45, -90, -45, 180):
            obs = turn(turned)
            if not danger_ahead(obs):
                break
        else:
            return back()
    x, _, z = obs.position
    if obs.block(0, 0, 0) == "water":
        return jump()
    obs = sprint() if run else forward()
    if hypot(obs.position[0] - x, obs.position[2] - z) < 0.05:
        obs = jump()
    return obs
