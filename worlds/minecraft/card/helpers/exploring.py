"""Seeing as much land as possible in little time: running on to where one has not been."""

PLOT = 16.0  # metres: land is remembered by squares of this side
AHEAD = (28.0, 40.0, 52.0, 64.0, 80.0, 96.0, 120.0)  # metres at which a plot is asked for
FAR_WORTH = (1.0, 0.95, 0.9, 0.85, 0.5, 0.4, 0.3)  # of it, if it is new
IN_SIGHT = 48.0  # metres over which water is reckoned
DRY_PACE = 3.6  # steps for a metre of land
WET_PACE = 10.0  # and of water
GREEN = ("grass block", "grass", "plant", "flower")  # where animals live
SEA_LEVEL = 62.0  # metres: where rays end lower there is water over it
FED = 12.0  # of food: above it one jumps along, which is quicker and makes hungry
SOUND = 14.0  # of life: hurt by falls, one does not jump
POOR = 0.6  # of what land that is all new is worth: less, and one looks behind, too
COMMITTED = 300  # steps after a look behind in which there is no other, so as not to turn about
LOOK = 5  # steps from one look for what is wanted to the next
STALE = 3000.0  # steps after which a plot that was seen is as good as new
GLOOM = 8.0  # of light: less, with something overhead, and one is in a cave
OUTWARD = 6  # times that one goes on towards the sky before one digs
NIGHT = 4.0  # of light: darker than a night in the open, and one is in a cave, too


def plot_of(x, z):
    return (floor(x / PLOT), floor(z / PLOT))


def mark(been, obs):
    """All that is near counts as seen."""
    x, _, z = obs.position
    for dx in (-PLOT, 0.0, PLOT):
        for dz in (-PLOT, 0.0, PLOT):
            been[plot_of(x + dx, z + dz)] = obs.steps


def newness(been, obs, course, far):
    """Of what lies that far away on that course (radians): 0 just seen to 1 new or long ago."""
    x, _, z = obs.position
    seen = been.get(plot_of(x - sin(course) * far, z + cos(course) * far), -STALE)
    return min(1.0, (obs.steps - seen) / STALE)


def ways_ahead(obs, been):
    """By direction, relative to the eyes: the metres of water and of green land in sight that way,
    of land where one has been less of them, and how far away something stands in it."""
    eyes = obs.position[1] + 1.62
    again = been.get("again", 0.0)
    wet, green, last, stands = {}, {}, {}, {}
    for yaw in range(-90, 91, 15):
        wet[yaw], green[yaw], last[yaw], stands[yaw] = 0.0, 0.0, 0.0, 64.0
    rays = [ray for ray in far_rays(obs) if ray.yaw % 15.0 == 0.0 and ray.block != "air"]
    for ray in sorted([(-ray.pitch, ray.distance, ray.yaw, ray.block) for ray in rays]):
        up, distance, yaw, block = ray
        yaw = round(yaw)
        flat = distance * cos(radians(up))
        if up <= 0.0:
            end = min(flat, IN_SIGHT)
            if end > last[yaw]:
                low = eyes + distance * sin(radians(up)) < SEA_LEVEL - 0.5 or block in FLUIDS
                wet[yaw] += end - last[yaw] if low else 0.0
                if block in GREEN:
                    new = newness(been, obs, radians(obs.yaw + yaw), end)
                    green[yaw] += (end - last[yaw]) * (again + (1.0 - again) * new)
                last[yaw] = end
        if -3.0 < up < 3.0 and block not in FLUIDS:
            stands[yaw] = min(stands[yaw], flat)
    return wet, green, stands


def best_way(obs, been):
    """(worth of a step, turn in degrees) of the best of the directions ahead."""
    wet, green, stands = ways_ahead(obs, been)
    bare = been.get("bare", 1.0)
    best, found = -1.0, 0.0
    for yaw in range(-90, 91, 15):
        course = radians(obs.yaw + yaw)
        worth = 0.0
        for number, far in enumerate(AHEAD):
            worth += FAR_WORTH[number] * newness(been, obs, course, far)
        steps = IN_SIGHT * DRY_PACE + wet[yaw] * (WET_PACE - DRY_PACE) + abs(yaw) * 0.2
        if stands[yaw] < 4.0:
            steps += 40.0
        worth = (worth + 0.2) * (bare + (1.0 - bare) * green[yaw] / IN_SIGHT) / steps
        if worth > best:
            best, found = worth, 1.0 * yaw
    return best, found


def in_a_cave(obs):
    # Light first: by day, nothing else is looked at in each step of a run.
    if obs.light >= GLOOM or obs.block(0, 0, 0) in WATER:  # it is dark in deep water, too
        return False
    if covered(obs):
        return True
    under_a_tree = any([obs.block(0, up, 0) == "leaves" for up in range(2, 9)])
    return obs.light < NIGHT and not under_a_tree


def stay_in_the_light(obs, been):
    """Out of a cave: by the way that led into it, else to where the sky is in sight, else up
    through what is overhead."""
    if not in_a_cave(obs):
        been["lit"] = obs.position
        return obs
    lit = been.pop("lit", None)
    if lit is not None:
        x, y, z = obs.position
        obs = travel(obs, lit[0] - x, lit[2] - z, 60, floor(lit[1] + 0.001) - floor(y + 0.001))
    for _ in range(OUTWARD):
        if not in_a_cave(obs):
            return obs
        way = way_to_the_sky(obs)
        if way is None:
            obs = turn(180)
            way = way_to_the_sky(obs)
        if way is None:
            break
        course = radians(obs.yaw + way)
        obs = travel(obs, -sin(course) * 8.0, cos(course) * 8.0, 40)
    return surface(obs) if in_a_cave(obs) else obs


def way_to_the_sky(obs):
    """The least turn, in degrees, to a direction in which nothing is in the way, or None."""
    ways = [ray.yaw for ray in far_rays(obs) if ray.block == "air"]
    return min([(abs(yaw), yaw) for yaw in ways])[1] if ways else None


def explore(obs, steps, been):
    """``been``: a dict that is kept between calls, by plot the step at which it was seen last. Its
    ``bare``, where it is set, is what land without grass is worth beside a meadow, 0 to 1; its
    ``again`` what a meadow where one has been is worth beside a new one (0 if it is not set); its
    ``wanted`` a block or mob: the call ends as soon as one is in sight."""
    last = obs.steps + steps
    rich = sum(FAR_WORTH) / (IN_SIGHT * DRY_PACE)
    wanted = been.get("wanted", "")
    stuck = 0
    while obs.steps < last:
        if abs(obs.pitch) > 8:
            obs = look(-obs.pitch)
        obs = stay_in_the_light(obs, been)
        mark(been, obs)
        best, aside = best_way(obs, been)
        if best < POOR * rich and obs.steps > been.get("behind", -COMMITTED) + COMMITTED:
            been["behind"] = obs.steps
            obs = turn(180)
            other, back_aside = best_way(obs, been)
            if other > best * 1.3:
                aside = back_aside
            else:
                aside = aside + 180.0 if aside <= 0.0 else aside - 180.0
        if stuck > 0:
            aside = 75.0 if stuck % 2 else -120.0
        if abs(aside) > 7.5:
            obs = turn(aside)
        x, _, z = obs.position
        obs, blocked = run_on(obs, min(24, last - obs.steps), wanted)
        if spotted(obs, wanted):
            return obs
        if blocked and not in_a_cave(obs):
            course = radians(obs.yaw)
            obs = travel(obs, -sin(course) * 14.0, cos(course) * 14.0, 40)
        swims = obs.block(0, 0, 0) == "water"
        came = hypot(obs.position[0] - x, obs.position[2] - z)
        stuck = 0 if came > (0.7 if swims else 2.0) or not blocked else stuck + 1
    return obs


def spotted(obs, wanted):
    return wanted != "" and look_out(obs, wanted) is not None


def run_on(obs, steps, wanted):
    """Straight on at a run, over what is one block high, until what is wanted is in sight; and
    whether something was in the way."""
    slow = 0
    lit = not in_a_cave(obs)
    for step in range(steps):
        if step % LOOK == LOOK - 1 and spotted(obs, wanted):
            return obs, False
        x, _, z = obs.position
        if obs.block(0, 0, 0) == "water" or obs.block(0, 1, 0) == "water":
            if shut_in(obs):
                return surface(obs, 60), True
            obs = jump()
            least = 0.015
        elif lit and in_a_cave(obs):
            return obs, False
        elif danger_ahead(obs):
            return obs, True
        else:
            # A run lasts through jumps, and has to be begun.
            obs = jump() if step > 0 and (slow > 0 or hops(obs)) else sprint()
            least = 0.06
        slow = slow + 1 if hypot(obs.position[0] - x, obs.position[2] - z) < least else 0
        if slow > 3:
            return obs, True
    return obs, False


def hops(obs):
    """Whether to jump: what stands ahead, or for speed where it is safe to land."""
    sx, sz = -sin(radians(obs.yaw)), cos(radians(obs.yaw))
    x, _, z = obs.position
    for far in (0.9, 1.5):
        ax, az = floor(x + sx * far) - floor(x), floor(z + sz * far) - floor(z)
        if obs.block(ax, 0, az) not in PASSABLE:
            return obs.block(ax, 1, az) in PASSABLE
    if obs.food < FED or obs.life < SOUND:
        return False
    for far in (2.0, 3.0, 4.0, 5.0):
        ax, az = floor(x + sx * far) - floor(x), floor(z + sz * far) - floor(z)
        ground = [down for down in range(1, 5) if obs.block(ax, -down, az) not in PASSABLE]
        if not ground or obs.block(ax, 2, az) not in PASSABLE:
            return False
    return True
