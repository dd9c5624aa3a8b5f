def action(obs):
    for _ in range(200):
        seen = nearest(obs, "wood")
        if seen is None:
            obs = turn(45)
            obs = forward()
            continue
        yaw, pitch, distance = seen
        obs = turn(yaw)
        if distance < 3:
            obs = look(pitch)
            return
        obs = forward()
