"""Getting about in the open."""

FLUIDS = ("water", "flowing water", "lava", "flowing lava")
LAND = 48.0  # metres of it ahead that are as good as any
NARROW = 10.0  # metres that are too few
SEA = 62.9  # metres: where it ends
EYES = 1.62  # metres over the feet


def way_on(obs, course, dry):
    """The turn, in degrees, to where the way leads on over land, the least of them from ``course``
    (which is relative to the eyes, too), and the metres of land that way, as far as it matters
    (``dry``); who swims is turned to land ahead."""
    swims = obs.block(0, 0, 0) == "water"
    eyes = obs.position[1] + EYES
    shore, ahead, blocked = {}, {}, {}
    for ray in far_rays(obs):
        firm = ray.block != "air" and ray.block not in FLUIDS
        if ray.yaw not in shore:
            shore[ray.yaw], ahead[ray.yaw], blocked[ray.yaw] = LAND, 64.0, 0.0
        if dry and ray.pitch > 0 and eyes > SEA + EYES and ray.block != "air":
            down = sin(radians(ray.pitch))
            if eyes - ray.distance * down < SEA - 1:  # rays go through water, down to its ground
                shore[ray.yaw] = min(shore[ray.yaw], (eyes - SEA) / down)
        elif firm and -13 < ray.pitch <= 0:  # else it lies under water
            ahead[ray.yaw] = min(ahead[ray.yaw], ray.distance)
            if ray.pitch == 0 and ray.distance < 3:
                blocked[ray.yaw] = 15.0
    best, found, land = 1000.0, 0.0, 0.0
    for yaw in shore:
        cost = abs(yaw) * 0.1 + abs(yaw - course) * 0.2
        if swims:
            cost += ahead[yaw]
        else:
            cost += LAND - shore[yaw] + blocked[yaw]
        if cost < best:
            best, found, land = cost, yaw, shore[yaw]
    return found, land


def roam(obs, steps, home_x=None, home_z=None, dry=False):
    """``home``: the place from which one goes away. ``dry``: along the shore or back, rather than
    into the sea; what lies at the water is not found so."""
    last = obs.steps + steps
    stuck = 0
    while obs.steps < last:
        if abs(obs.pitch) > 8:
            obs = look(-obs.pitch)
        x, _, z = obs.position
        course = 0.0
        if home_x is not None and hypot(x - home_x, z - home_z) > 8:
            outward = degrees(atan2(home_x - x, z - home_z))
            course = (outward - obs.yaw + 180.0) % 360.0 - 180.0
            if abs(course) > 90:
                # Along a narrow land one would turn about again and again, away from home and back
                # from the sea.
                obs = obs if dry else turn(course)
                course = 0.0
        aside, land = way_on(obs, course, dry) if stuck == 0 else (0.0, LAND)
        if land < NARROW and obs.block(0, 0, 0) != "water":
            obs = turn(180)
            other, land = way_on(obs, course, dry)
            if land < NARROW:
                obs = turn(180)
            else:
                aside = other
                home_x, home_z = None, None
        if abs(aside) > 7.5:
            obs = turn(aside)
        blocked = 0
        for _ in range(min(12, last - obs.steps)):
            bx, _, bz = obs.position
            obs = step_on(obs, True)
            slow = hypot(obs.position[0] - bx, obs.position[2] - bz) < pace(obs, 0.06, 0.015)
            blocked = blocked + 1 if slow else 0
            if blocked == 3:
                break
        if blocked == 3:
            far = 14.0
            ahead_x, ahead_z = -sin(radians(obs.yaw)) * far, cos(radians(obs.yaw)) * far
            obs = travel(obs, ahead_x, ahead_z, 40)
        if hypot(obs.position[0] - x, obs.position[2] - z) > pace(obs, 1.5, 0.5):
            stuck = 0
        else:
            stuck += 1
            obs = turn(75)
    return obs


def pace(obs, walking, swimming):
    """A swimmer comes on a third as fast."""
    return swimming if obs.block(0, 0, 0) == "water" else walking
