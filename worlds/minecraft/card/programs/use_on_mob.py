ITEM = "milk_bucket"
MOB = "cow"
TOOL = "bucket"
QUANTITY = 1
NEAR = 2.5  # metres
LOOKS = 10  # one that is near may be missed between two rays: it is looked for from so many places
SHORT = 10  # steps from one to the next
ROUND = 100  # steps after which one looks behind again
BARE = 0.2  # of what a meadow is worth to one who looks for animals


def search(obs, been):
    """Towards one that is far, else on to another place; now and then it is looked for behind."""
    obs = surface(obs)
    if abs(obs.pitch) > 8:
        obs = look(-obs.pitch)
    if nearest_mob(obs, MOB) is not None:
        return obs
    seen = look_out(obs, MOB)
    looks = been.get("looks", 0)
    if seen is None and (looks < LOOKS or obs.steps >= been.get("round", 0) + ROUND):
        been["looks"] = looks + 1
        been["round"] = obs.steps
        obs = turn(180)
        seen = look_out(obs, MOB)
        if seen is None:
            obs = turn(180)
    if seen is None:
        return explore(obs, SHORT if looks < LOOKS else 25, been)
    yaw = radians(obs.yaw + seen[0])
    return travel(obs, -sin(yaw) * seen[2], cos(yaw) * seen[2], 40)


def pick_up(obs, had):
    """Round about where it was used; what gave nothing is left behind."""
    if abs(obs.pitch) > 8:
        obs = look(-obs.pitch)
    for turned in (0, 90, 90, 90, 45):
        if obs.inventory.get(ITEM, 0) > had:
            return obs
        obs = walk_on(turn(turned) if turned else obs, 8)
    return walk_on(turn(90), 60)


def action(obs):
    obs = take_along(obs)
    been = {"bare": BARE}
    wanted = obs.inventory.get(ITEM, 0) + QUANTITY
    uses = 0
    while obs.inventory.get(ITEM, 0) < wanted:
        if obs.inventory.get(TOOL, 0) and obs.held != TOOL:
            obs = equip(TOOL)
        seen = nearest_mob(obs, MOB)
        if seen is None:
            obs = search(obs, been)
            continue
        yaw, pitch, distance = seen
        if abs(yaw) > 7.5:
            obs = turn(yaw)
        if distance > NEAR:
            obs = step_on(obs, distance > 5)
            continue
        if abs(pitch) > 7.5:
            obs = look(pitch)
        had = obs.inventory.get(ITEM, 0)
        obs = use()
        uses += 1
        if uses % 4 == 0 and obs.inventory.get(ITEM, 0) == had:
            obs = pick_up(obs, had)
