MOB = "cow"
TOOL = ""
WEAPONS = ("diamond_sword", "iron_sword", "stone_sword", "golden_sword", "wooden_sword")
GOALS = 20
STEPS = 50  # towards each of them
NEAR = 2.5  # metres


def hold(obs):
    if TOOL and obs.inventory.get(TOOL, 0):
        return obs if obs.held == TOOL else equip(TOOL)
    for weapon in WEAPONS:
        if obs.inventory.get(weapon, 0) and obs.held not in WEAPONS:
            return equip(weapon)
    return obs


def met(obs):
    return any([r.entity == MOB for r in obs.rays if r.pitch == 0 and r.yaw == 0])


def go_up_to(obs, last):
    """The observation, and whether the mob is under the crosshair."""
    while obs.steps < last:
        seen = nearest_mob(obs, MOB)
        if seen is None:
            return obs, False
        yaw, pitch, distance = seen
        if abs(yaw) > 7.5:
            obs = turn(yaw)
        if distance > NEAR:
            obs = walk_on(obs, 1 if distance < 5 else 5)
        elif abs(pitch) > 7.5:
            obs = look(pitch)
        elif met(obs):
            return obs, True
        else:
            obs = forward()
    return obs, False


def action(obs):
    obs = hold(obs)
    for goal in range(GOALS):
        last = (goal + 1) * STEPS
        while obs.steps < last:
            if nearest_mob(obs, MOB) is not None:
                obs, found = go_up_to(obs, last)
                if found:
                    return
            else:
                obs = walk_on(obs, 5)
        if nearest_mob(obs, MOB) is None:
            if abs(obs.pitch) > 8:
                obs = look(-obs.pitch)
            obs = turn((90, -45, 135, 180)[goal % 4])
