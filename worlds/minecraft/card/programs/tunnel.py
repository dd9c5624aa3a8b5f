THROUGH = ("air", "water", "lava")


def ahead(obs):
    return -round(sin(radians(obs.yaw))), round(cos(radians(obs.yaw)))


def action(obs):
    sx, sz = ahead(obs)
    if sx and sz:
        sz = 0
    x, _, z = obs.position
    goal_x, goal_z = floor(x) + sx + 0.5, floor(z) + sz + 0.5
    if "lava" in (obs.block(sx, 0, sz), obs.block(sx, 1, sz), obs.block(sx, -1, sz)):
        obs = turn(90)
        return
    for dy in (1, 0):
        if obs.block(sx, dy, sz) not in THROUGH:
            obs = dig_at(obs, sx, dy, sz, 60)
    obs = walk_to(obs, goal_x - obs.position[0], goal_z - obs.position[2], 15)
