MOB = "zombie"
WEAPONS = (
    "diamond_sword",
    "iron_sword",
    "diamond_axe",
    "iron_axe",
    "stone_sword",
    "stone_axe",
    "golden_sword",
    "wooden_sword",
    "wooden_axe",
)
STEPPING_BACK = ("zombie", "husk", "spider", "creeper", "slime", "witherskeleton", "enderman")
REACH = 3.0  # metres that a blow goes
LOOKS = 30  # one that is near may be missed between two rays: it is looked for from so many places
SHORT = 10  # steps from one to the next
RECOVERY = 13  # steps until a blow is strong again


def arm(obs):
    for weapon in WEAPONS:
        if obs.inventory.get(weapon, 0):
            return obs if obs.held == weapon else equip(weapon)
    return obs


def search(obs, been):
    """Towards one that is far, else on to another place; at first not far."""
    obs = surface(obs)
    if abs(obs.pitch) > 8:
        obs = look(-obs.pitch)
    seen = None
    for _ in range(2):
        if nearest_mob(obs, MOB) is not None:
            return obs
        seen = look_out(obs, MOB)
        if seen is not None:
            break
        obs = turn(180)
    if seen is None:
        looks = been.get("looks", 0)
        been["looks"] = looks + 1
        return explore(obs, SHORT if looks < LOOKS else 40, been)
    yaw = radians(obs.yaw + seen[0])
    return travel(obs, -sin(yaw) * seen[2], cos(yaw) * seen[2], 40)


def place_of(obs, seen):
    """Where it is, so that it is looked for there when it is out of sight."""
    yaw = radians(obs.yaw + seen[0])
    return obs.position[0] - sin(yaw) * seen[2], obs.position[2] + cos(yaw) * seen[2]


def blow(obs, yaw, pitch, distance):
    """Bring it under the crosshair, and strike."""
    if obs.facing_mob == MOB and obs.facing_mob_distance <= REACH:
        return attack()
    if abs(pitch) > 7.5:
        return look(pitch)
    if distance > REACH:
        return forward()
    if abs(yaw) > 1:  # between two bins of the camera
        return right() if yaw > 0 else left()
    return forward() if distance > 1.5 else back()


def creeper(obs, yaw, pitch, distance):
    """It is let come, for who walks up to it lights it, and run from after each blow."""
    if abs(yaw) > 7.5:
        return turn(yaw)
    if abs(pitch) > 7.5:
        return look(pitch)
    if distance > 6:
        return step_on(obs, distance > 10)
    near = obs.facing_mob == MOB and obs.facing_mob_distance <= REACH
    if not near and obs.steps % 60 > 40:
        return forward_attack()
    obs = attack()
    if near:
        obs = turn(180)
        for _ in range(24):
            obs = step_on(obs, True)
        obs = turn(180)
    return obs


def action(obs):
    been = {}
    obs = arm(obs)
    struck = -RECOVERY
    last = None
    while True:
        seen = nearest_mob(obs, MOB)
        if seen is None:
            if last is not None:
                obs = travel(obs, last[0] - obs.position[0], last[1] - obs.position[2], 40)
                last = None
            obs = search(obs, been)
            continue
        last = place_of(obs, seen)
        yaw, pitch, distance = seen
        tired = obs.steps - struck < RECOVERY
        if MOB == "creeper":
            obs = creeper(obs, yaw, pitch, distance)
        elif abs(yaw) > 7.5:
            obs = turn(yaw)
        elif tired and MOB in STEPPING_BACK and distance < 4.5:
            obs = back()
        elif distance > 4:
            if abs(obs.pitch) > 20:
                obs = look(-obs.pitch)
            obs = step_on(obs, distance > 5)
        elif tired:
            obs = step_on(obs) if distance > 2.5 else noop()
        else:
            if obs.facing_mob == MOB and obs.facing_mob_distance <= REACH:
                struck = obs.steps
            obs = blow(obs, yaw, pitch, distance)
