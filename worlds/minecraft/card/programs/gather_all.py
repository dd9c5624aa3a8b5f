ITEM = "log"
BLOCK = "wood"
QUANTITY = 1
TOOLS = []
ALIKE = []  # what the block may give instead, and counts as well
OTHERS = []  # what it may give instead, and does not count
BY_WATER = ("clay", "sugar cane")


def held(obs):
    return obs.inventory.get(ITEM, 0) + sum([obs.inventory.get(item, 0) for item in ALIKE])


def others(obs):
    return sum([obs.inventory.get(item, 0) for item in OTHERS])


def in_reach(obs):
    best, found = 4.3, None
    for dx in range(-4, 5):
        for dz in range(-4, 5):
            for dy in range(-1, 5):
                far = hypot(hypot(dx, dz), dy - 1.6)
                if far < best and obs.block(dx, dy, dz) == BLOCK:
                    best, found = far, (dx, dy, dz)
    return found


def come_up(obs):
    """Under water a block takes five times as long, and the air does not last."""
    for _ in range(60):
        if obs.block(0, 1, 0) != "water":
            return obs
        obs = jump() if obs.block(0, 2, 0) in ("air", "water") else surface(obs, 40)
    return obs


def clear(obs):
    name = obs.facing
    for _ in range(60):
        if obs.facing != name or name == "air" or obs.facing_distance > 2:
            return obs
        obs = attack()
    return obs


def walk(obs, steps):
    blocked = 0
    for _ in range(steps):
        x, _, z = obs.position
        obs = step_on(obs)
        if hypot(obs.position[0] - x, obs.position[2] - z) < 0.05:
            blocked += 1
        if blocked > 3:
            return clear(obs)
    return obs


def seen_from(obs):
    seen = nearest(obs, BLOCK)
    return look_out(obs, BLOCK) if seen is None else seen


def search(obs, been):
    """Towards one that is near or in sight, else on to another place."""
    near = find(obs, BLOCK, 8)
    if near is not None and obs.steps % 3:  # now and then it cannot be got at
        before = obs.position
        obs = travel(obs, near[0] + 0.5, near[2] + 0.5, 40, near[1])
        if hypot(obs.position[0] - before[0], obs.position[2] - before[2]) > 0.5:
            return obs
    obs = surface(obs)
    if abs(obs.pitch) > 8:
        obs = look(-obs.pitch)
    seen = seen_from(obs)
    if seen is None:
        obs = turn(180)
        seen = seen_from(obs)
    if seen is None:
        obs = turn(180)
        shore = look_out(obs, "water") if BLOCK in BY_WATER else None
        if shore is None or shore[2] < 4:
            return explore(obs, 40, been)
        seen = shore
    yaw, _, distance = seen
    if abs(yaw) > 7.5:
        obs = turn(yaw)
    if distance < 8:
        return walk(obs, 4)
    yaw = radians(obs.yaw)
    return travel(obs, -sin(yaw) * (distance - 2), cos(yaw) * (distance - 2), 60)


def pick_up(obs, x, z, had):
    for dx, dz in [(0, 0), (1, 0), (-1, -1), (-1, 1), (1, 1)]:
        obs = walk_to(obs, x + dx - obs.position[0], z + dz - obs.position[2], 25)
        if held(obs) > had:
            return obs
    return obs


def action(obs):
    obs = take_along(obs)
    been = {}
    wanted = held(obs) + QUANTITY
    tries = 0
    while held(obs) < wanted:
        for tool in TOOLS:
            if obs.inventory.get(tool, 0) and obs.held not in TOOLS:
                obs = equip(tool)
        obs = come_up(obs)
        spot = in_reach(obs)
        if spot is None:
            tries += 1
            obs = walk(turn(75), 30) if tries % 30 == 0 else search(obs, been)
            continue
        dx, dy, dz = spot
        here, had, wrong = obs.position, held(obs), others(obs)
        x, z = floor(here[0]) + dx + 0.5, floor(here[2]) + dz + 0.5
        y = floor(here[1] + 0.001) + dy
        wet = obs.block(0, 0, 0) == "water"
        obs = dig_at(obs if TOOLS else hold_for(obs, BLOCK), dx, dy, dz, 100 if wet else 400)
        at = (floor(x) - floor(obs.position[0]), floor(z) - floor(obs.position[2]))
        up = y - floor(obs.position[1] + 0.001)
        if max(abs(at[0]), abs(at[1]), abs(up)) < 8 and obs.block(at[0], up, at[1]) == BLOCK:
            obs = walk(turn(90), 8)
        elif dy < 2 or in_reach(obs) is None:
            obs = pick_up(obs, x, z, had)
        if others(obs) > wrong:  # what stands here is of another kind
            obs = explore(obs, 40, been)
