ITEM = "beef"
MOB = "cow"
VICTIM = "cow"  # the same, as it is counted
QUANTITY = 1
WEAPONS = ("diamond_sword", "iron_sword", "stone_sword", "golden_sword", "wooden_sword")
NEAR = 2.2  # metres: from farther away one of the camera's bins goes over, the next under a hen
REACH = 3.0  # metres that a blow goes
ANOTHER = 4.0  # metres from where it was: who is seen there is another one
HIDDEN = 100  # steps that one that is out of sight is waited for
ROUND = 100  # steps after which one looks behind, too
PAUSE = 10  # steps between two blows: before, one that was struck takes no other
BARE = 0.2  # of what a meadow is worth to one who looks for animals


def search(obs, been):
    """Towards one that is far, else on to another place; now and then it is looked for behind."""
    obs = surface(obs)
    if abs(obs.pitch) > 8:
        obs = look(-obs.pitch)
    if nearest_mob(obs, MOB) is not None:
        return obs
    seen = look_out(obs, MOB)
    if seen is None and obs.steps >= been.get("round", -ROUND) + ROUND:
        been["round"] = obs.steps
        obs = turn(180)
        seen = look_out(obs, MOB)
        if seen is None:
            obs = turn(180)
    if seen is None and obs.steps < been.get("waits", 0):
        return wait(turn(90), 8)
    if seen is None:
        return explore(obs, 25, been)
    yaw = radians(obs.yaw + seen[0])
    return travel(obs, -sin(yaw) * seen[2], cos(yaw) * seen[2], 40)


def wait(obs, steps):
    """Stand still: what is hidden in tall grass comes out of it again."""
    for _ in range(steps):
        obs = noop()
    return obs


def place_of(obs, seen):
    """Where it is, so that it is looked for there when it is out of sight."""
    yaw = radians(obs.yaw + seen[0])
    return obs.position[0] - sin(yaw) * seen[2], obs.position[2] + cos(yaw) * seen[2]


def pick_up(obs, spot, wanted):
    """Where it fell, and round about there."""
    if abs(obs.pitch) > 8:
        obs = look(-obs.pitch)
    if spot is not None:
        obs = travel(obs, spot[0] - obs.position[0], spot[1] - obs.position[2], 30)
    for _ in range(4):
        if obs.inventory.get(ITEM, 0) >= wanted:
            return obs
        obs = walk_on(turn(90), 8)
    return obs


def action(obs):
    obs = take_along(obs)
    been = {"bare": BARE}
    wanted = obs.inventory.get(ITEM, 0) + QUANTITY
    dead = obs.killed.get(VICTIM, 0)
    struck = -PAUSE
    last = None
    astray = 0
    while obs.inventory.get(ITEM, 0) < wanted:
        for weapon in WEAPONS:
            if obs.inventory.get(weapon, 0) and obs.held not in WEAPONS:
                obs = equip(weapon)
        if obs.killed.get(VICTIM, 0) > dead:
            dead = obs.killed.get(VICTIM, 0)
            obs = pick_up(obs, last, wanted)
            been.pop("round", 0)
            last = None
            continue
        seen = nearest_mob(obs, MOB)
        there = None if seen is None else place_of(obs, seen)
        lost = there is None or (
            last is not None and hypot(there[0] - last[0], there[1] - last[1]) > ANOTHER
        )
        if lost and last is not None:
            # Tall grass hides it: it is looked for where it was, before one goes after another.
            obs = travel(obs, last[0] - obs.position[0], last[1] - obs.position[2], 8)
            astray += 1
            if astray > 3 or hypot(last[0] - obs.position[0], last[1] - obs.position[2]) < 1.2:
                been.pop("round", 0)
                been["waits"] = obs.steps + HIDDEN
                last = None
            continue
        if seen is None:
            obs = search(obs, been)
            continue
        last, astray = there, 0
        yaw, pitch, distance = seen
        if abs(yaw) > 7.5:
            obs = turn(yaw)
        if obs.facing_mob == MOB and obs.facing_mob_distance <= REACH:
            if obs.steps >= struck + PAUSE:
                obs = attack()
                struck = obs.steps
            else:
                obs = forward() if distance > 1.5 else noop()
        elif distance > NEAR:
            obs = step_on(obs, distance > 4)
        elif abs(pitch) > 7.5:
            obs = look(pitch)
        elif abs(yaw) > 1:  # between two bins of the camera
            obs = right() if yaw > 0 else left()
        else:
            obs = forward() if distance > 1.2 else back()
