"""Digging one block, and what is in the way."""


def dig_at(obs, dx, dy, dz, max_steps=400):
    x, y, z = cell_of(obs)
    x, y, z = x + dx, y + dy, z + dz
    last = obs.steps + max_steps
    missed = 0
    for _ in range(4):
        high = obs.position[1] - floor(obs.position[1])
        if dy > -1 and high > 0.1 and obs.block(0, 0, 0) == "air":
            obs = noop()  # who still falls would aim at the ground
    while obs.steps < last and missed < 8:
        fx, fy, fz = cell_of(obs)
        goal = (x - fx, y - fy, z - fz)
        if max(abs(goal[0]), abs(goal[1]), abs(goal[2])) > 7:
            return obs
        if obs.block(goal[0], goal[1], goal[2]) in OPEN:
            return obs
        best = line_to(obs, goal)
        if best is None:
            # Between two bins: a little to the side the angles are others.
            missed += 1
            obs = left() if missed % 4 < 2 else right()
            continue
        obs = aim(obs, best[0], best[1])
        steep = obs.pitch > 55 and goal != (0, -1, 0)  # perhaps on the ground below the feet
        if obs.facing in ("air", "bedrock") or (steep and obs.facing != best[2] and missed < 4):
            missed += 1
            obs = noop()
            continue
        name, far = obs.facing, obs.facing_distance
        while obs.steps < last and obs.facing == name != "air":
            if abs(obs.facing_distance - far) > 0.05 or cell_of(obs) != (fx, fy, fz):
                break
            obs = attack()
        if goal[1] > -1 and cell_of(obs)[1] < fy:
            missed += 3  # it was the ground that was dug
    return obs


def line_to(obs, goal):
    """(yaw, pitch, what it meets) of a line of sight that meets the block first, or at least goes
    through it."""
    through = None
    for _, yaw, pitch in [(0.0, obs.yaw, obs.pitch)] + bins_towards(obs, goal, 1):
        hit, _, passes = sight(obs, yaw, pitch, goal)
        if hit == goal:
            return yaw, pitch, obs.block(goal[0], goal[1], goal[2])
        # The ground below the feet would only take one down, perhaps into a cave or lava.
        own_ground = hit == (0, -1, 0) and (goal[1] > -2 or not may_sink(obs))
        met = "air" if hit is None else obs.block(hit[0], hit[1], hit[2])
        if passes and through is None and not own_ground and met != "bedrock":
            through = (yaw, pitch, met)
    return through
