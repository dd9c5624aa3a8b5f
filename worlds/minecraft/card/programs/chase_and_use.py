MOB = "cow"
TOOL = "bucket"
NEAR = 2.5  # metres


def action(obs):
    if obs.inventory.get(TOOL, 0) and obs.held != TOOL:
        obs = equip(TOOL)
    for _ in range(15):
        seen = nearest_mob(obs, MOB)
        if seen is None:
            return
        yaw, pitch, distance = seen
        if abs(yaw) > 7.5:
            obs = turn(yaw)
        if distance <= NEAR:
            if abs(pitch) > 7.5:
                obs = look(pitch)
            obs = use()
            return
        obs = walk_on(obs, 1)
