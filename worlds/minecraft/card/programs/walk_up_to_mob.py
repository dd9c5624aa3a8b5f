MOB = "cow"
TOOL = ""
WEAPONS = ("diamond_sword", "iron_sword", "stone_sword", "golden_sword", "wooden_sword")
NEAR = 2.5  # metres
PATIENCE = 1000  # steps


def hold(obs):
    """What will be used, else a weapon."""
    if TOOL and obs.inventory.get(TOOL, 0):
        return obs if obs.held == TOOL else equip(TOOL)
    for weapon in WEAPONS:
        if obs.inventory.get(weapon, 0) and obs.held not in WEAPONS:
            return equip(weapon)
    return obs


def search(obs):
    if abs(obs.pitch) > 8:
        obs = look(-obs.pitch)
    for _ in range(2):
        if nearest_mob(obs, MOB) is not None:
            return obs
        obs = turn(180)
    return walk_on(turn(45), 40)


def met(obs):
    """Whether the mob is under the crosshair."""
    return any([r.entity == MOB for r in obs.rays if r.pitch == 0 and r.yaw == 0])


def action(obs):
    obs = hold(obs)
    while obs.steps < PATIENCE:
        seen = nearest_mob(obs, MOB)
        if seen is None:
            obs = search(obs)
            continue
        yaw, pitch, distance = seen
        if abs(yaw) > 7.5:
            obs = turn(yaw)
        if distance > NEAR:
            obs = walk_on(obs, 1 if distance < 5 else 5)
        elif abs(pitch) > 7.5:
            obs = look(pitch)
        elif met(obs):
            return
        else:
            obs = forward()
