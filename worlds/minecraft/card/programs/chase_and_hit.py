MOB = "cow"
NEAR = 2.8  # metres


def action(obs):
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
            obs = attack()
            return
        obs = walk_on(obs, 1)
