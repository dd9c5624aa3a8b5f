ITEM = "fish"
TOOL = "fishing_rod"  # the same where it is its use that counts
QUANTITY = 1
EDGE = 1.6  # metres: as near as one stands at the water
SOON = 8  # steps towards it before the way is looked for again
OUT = 132  # steps that a line is out: it bites after 100 to 600 for 30, which nothing shows


def count(obs):
    return obs.used.get(TOOL, 0) if ITEM == TOOL else obs.inventory.get(ITEM, 0)


def open_water(obs):
    """Offset of the nearest water that lies open, or None."""
    passed = []
    for _ in range(12):
        spot = find(obs, "water", 7, passed)
        if spot is None or obs.block(spot[0], spot[1] + 1, spot[2]) == "air":
            return spot
        passed.append(spot)
    return None


def search(obs, been):
    """Towards water in sight, else on to another place."""
    obs = surface(obs)
    if abs(obs.pitch) > 8:
        obs = look(-obs.pitch)
    for _ in range(2):
        seen = look_out(obs, "water")
        if seen is not None and seen[2] > 4:
            yaw = radians(obs.yaw + seen[0])
            return travel(obs, -sin(yaw) * seen[2], cos(yaw) * seen[2], 40)
        obs = turn(180)
    return explore(obs, 40, been)


def use_on(obs, dx, dy, dz):
    """The tool, on the water under the crosshair; what bites is taken in."""
    x, y, z = obs.position
    obs = look_at(
        obs, floor(x) + dx + 0.5 - x, floor(y + 0.001) + dy + 0.8 - y, floor(z) + dz + 0.5 - z
    )
    obs = equip(TOOL) if obs.held != TOOL else obs
    obs = use()
    if TOOL != "fishing_rod":
        return obs
    for _ in range(OUT):
        obs = noop()
    return use()


def action(obs):
    obs = take_along(obs)
    wanted = count(obs) + QUANTITY
    been = {}
    tries = 0
    while count(obs) < wanted and obs.inventory.get(TOOL, 0):
        if obs.block(0, 1, 0) == "water":
            obs = jump()
            continue
        spot = open_water(obs)
        if spot is None:
            obs = search(obs, been)
        elif hypot(spot[0], spot[2]) > EDGE or spot[1] < -2:
            here, before = obs.position, obs.steps
            obs = travel(obs, 1.0 * spot[0], 1.0 * spot[2], SOON)
            if obs.position == here or obs.steps == before:
                obs = explore(obs, 40, been)
        else:
            had = count(obs)
            obs = use_on(obs, spot[0], spot[1], spot[2])
            tries += 1
            if count(obs) == had and TOOL != "fishing_rod" and tries % 3 == 0:
                obs = explore(obs, 40, been)
