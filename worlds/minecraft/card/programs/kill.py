MOB = "cow"
VICTIM = "cow"  # the same, as it is counted
QUANTITY = 1
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
NEAR = 2.2  # metres: from farther away one of the camera's bins goes over, the next under a hen
RUN = 2.6  # metres: who is struck flees faster than one walks
HALF = 0.4  # metres from its skin to its middle
REACH = 3.0  # metres that a blow goes
ANOTHER = 4.0  # metres from where it was: who is seen there is another one
HIDDEN = 100  # steps that one that is out of sight is waited for
ROUND = 100  # steps after which one looks behind, too
SOON = 25  # the same, where one is thought to be near:
FIRST = 100  # steps from the start on, as it may stand behind a tree,
ABOUT = 400  # and steps after one was lost or killed
RING = ((0, 0), (14, 0), (7, 12), (-7, 12), (-14, 0), (-7, -12), (7, -12))  # metres round a herd
CLOSE_BY = 4.0  # metres: as good as at one of these places
AT_MOST = 100  # steps to the next of them
FAR = 8.0  # metres: from farther away one runs up to it
LEG = 5  # steps of such a run before it is looked for again
PAUSE = 10  # steps between two blows: before, one that was struck takes no other
BARE = 0.2  # of what a meadow is worth to one who looks for animals
SMALL = ("chicken", "rabbit")  # tall grass hides them: one looks where one has been, too


def sight(obs):
    """(yaw offset, pitch offset, distance) of the nearest in sight, near or far, or None."""
    seen = nearest_mob(obs, MOB)
    return look_out(obs, MOB) if seen is None else seen


def search(obs, been):
    """On to another place until one is in sight; now and then it is looked for behind."""
    if obs.block(0, 1, 0) == "water":
        obs = surface(obs)
    if abs(obs.pitch) > 8:
        obs = look(-obs.pitch)
    if sight(obs) is not None:
        return obs
    about = obs.steps < been["about"]
    often = SOON if about else ROUND
    if obs.steps >= been.get("round", -often) + often:
        been["round"] = obs.steps
        obs = turn(180)
        if sight(obs) is not None:
            return obs
        obs = turn(180)
    if obs.steps < been.get("waits", 0):
        return wait(turn(90), 8)
    if been["ring"]:
        return look_about(obs, been)
    been["herd"] = None
    return explore(obs, 24 if about else 48, been)


def look_about(obs, been):
    """They live in herds: the others are about where the first of them was seen."""
    dx = been["herd"][0] + been["ring"][0][0] - obs.position[0]
    dz = been["herd"][1] + been["ring"][0][1] - obs.position[2]
    if hypot(dx, dz) < CLOSE_BY or obs.steps > been["until"]:
        been["ring"] = been["ring"][1:]
        been["until"] = obs.steps + AT_MOST
        return obs
    return travel(obs, dx, dz, 12)


def approach(obs, there, distance):
    """Some steps towards one that is far, at a run; round what is in the way."""
    if abs(obs.pitch) > 8:
        obs = look(-obs.pitch)
    for _ in range(LEG):
        obs = step_on(obs, True)
    dx, dz = there[0] - obs.position[0], there[1] - obs.position[2]
    return travel(obs, dx, dz, 20) if hypot(dx, dz) > distance - 0.8 else obs


def wait(obs, steps):
    """Stand still: what is hidden in tall grass comes out of it again."""
    for _ in range(steps):
        obs = noop()
    return obs


def place_of(obs, seen):
    """Where it is, so that it is looked for there when it is out of sight."""
    yaw = radians(obs.yaw + seen[0])
    return obs.position[0] - sin(yaw) * seen[2], obs.position[2] + cos(yaw) * seen[2]


def is_another(there, last):
    return hypot(there[0] - last[0], there[1] - last[1]) > ANOTHER


def give_up(obs, been):
    """From here on it is another one that is looked for, first about here."""
    been["round"] = obs.steps - ROUND
    been["about"] = obs.steps + ABOUT
    if been["herd"] is not None:
        been["ring"], been["until"] = RING, obs.steps + AT_MOST


def action(obs):
    been = {"bare": BARE, "wanted": MOB, "herd": None, "ring": (), "about": FIRST}
    been["again"] = 1.0 if MOB in SMALL else 0.0
    dead = obs.killed.get(VICTIM, 0)
    wanted = dead + QUANTITY
    struck = -PAUSE
    last = None
    patience = 0
    while obs.killed.get(VICTIM, 0) < wanted:
        carried = [weapon for weapon in WEAPONS if obs.inventory.get(weapon, 0)]
        if carried and obs.held not in carried:
            obs = equip(carried[0])
        if obs.killed.get(VICTIM, 0) > dead:
            dead = obs.killed.get(VICTIM, 0)
            give_up(obs, been)
            last = None
            continue
        seen = sight(obs)
        there = None if seen is None else place_of(obs, seen)
        gone = 0.0 if last is None else hypot(last[0] - obs.position[0], last[1] - obs.position[2])
        if last is not None and (there is None or (gone < FAR and is_another(there, last))):
            # Tall grass hides it: it is looked for where it was, before one goes after another.
            if obs.steps > patience or gone < 1.2:
                give_up(obs, been)
                been["waits"] = obs.steps + HIDDEN
                last = None
            else:
                obs = travel(obs, last[0] - obs.position[0], last[1] - obs.position[2], 8)
            continue
        if seen is None:
            obs = search(obs, been)
            continue
        yaw, pitch, distance = seen
        if been["herd"] is None:
            been["herd"] = there
        last, patience = there, obs.steps + 30 + floor(8 * distance)
        if abs(yaw) > 7.5:
            obs = turn(yaw)
        if obs.facing_mob == MOB and obs.facing_mob_distance <= REACH:
            if obs.steps >= struck + PAUSE:
                last = place_of(obs, (0.0, 0.0, obs.facing_mob_distance + HALF))
                obs = forward_attack()
                struck = obs.steps
            else:
                obs = step_on(obs, distance > RUN) if distance > 1.5 else noop()
        elif distance > FAR:
            obs = approach(obs, there, distance)
        elif distance > NEAR:
            obs = step_on(obs, distance > RUN)
        elif abs(pitch) > 7.5:
            obs = look(pitch)
        elif abs(yaw) > 1:  # between two bins of the camera
            obs = right() if yaw > 0 else left()
        else:
            obs = forward() if distance > 1.2 else back()
