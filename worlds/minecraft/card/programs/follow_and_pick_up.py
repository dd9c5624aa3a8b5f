ITEM = "egg"
MOB = "chicken"
QUANTITY = 1
CLOSE = 1.2  # metres: what is laid is picked up by whoever stands there


def search(obs):
    obs = surface(obs)
    if abs(obs.pitch) > 8:
        obs = look(-obs.pitch)
    for _ in range(2):
        seen = look_out(obs, MOB)
        if seen is not None:
            yaw = radians(obs.yaw + seen[0])
            return travel(obs, -sin(yaw) * seen[2], cos(yaw) * seen[2], 40)
        obs = turn(180)
    return roam(obs, 40)


def action(obs):
    obs = take_along(obs)
    wanted = obs.inventory.get(ITEM, 0) + QUANTITY
    while obs.inventory.get(ITEM, 0) < wanted:
        seen = nearest_mob(obs, MOB)
        if seen is None:
            obs = search(obs)
            continue
        yaw, _, distance = seen
        if abs(yaw) > 7.5:
            obs = turn(yaw)
        obs = step_on(obs) if distance > CLOSE else noop()
