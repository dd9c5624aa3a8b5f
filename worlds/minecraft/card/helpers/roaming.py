"""Getting about in the open, and up to where it is."""

FLUIDS = ("water", "flowing water", "lava", "flowing lava")
OVERHEAD = ("air", "leaves", "vines", "snow")  # what does not hide the sky
CAVES = 56.0  # metres: who is lower is under the ground
SIDES_OF_A_CELL = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1))
QUARTERS = ((1, 0), (0, 1), (-1, 0), (0, -1))


def way_on(obs):
    """The turn, in degrees, to where the way leads on over land, the least of them; who swims is
    turned to the nearest land ahead."""
    swims = obs.block(0, 0, 0) == "water"
    worth = {}
    for ray in far_rays(obs):
        dry = ray.block != "air" and ray.block not in FLUIDS
        if swims:
            if dry and -13 < ray.pitch <= 0:  # else it lies under water
                worth[ray.yaw] = max(worth.get(ray.yaw, -99.0), -ray.distance)
        elif 0 < ray.pitch < 20:
            worth[ray.yaw] = worth.get(ray.yaw, 0.0) + (min(ray.distance, 30.0) if dry else 0.0)
    best, found = -1000.0, 0.0
    for yaw in worth:
        value = worth[yaw] - abs(yaw) * (0.1 if swims else 0.3)
        if value > best:
            best, found = value, yaw
    return found


def roam(obs, steps):
    last = obs.steps + steps
    stuck = 0
    while obs.steps < last:
        if abs(obs.pitch) > 8:
            obs = look(-obs.pitch)
        aside = way_on(obs) if stuck < 2 else 75.0
        if abs(aside) > 7.5:
            obs = turn(aside)
        x, _, z = obs.position
        for _ in range(min(10, last - obs.steps)):
            obs = step_on(obs, True)
        moved = hypot(obs.position[0] - x, obs.position[2] - z)
        stuck = 0 if moved > 1.0 else stuck + 1
        if stuck > 3:
            obs = stair_up(obs)
            stuck = 0
    return obs


def covered(obs):
    if obs.position[1] < CAVES:
        return True
    return any([obs.block(0, up, 0) not in OVERHEAD for up in range(2, 9)])


def surface(obs, max_steps=600):
    last = obs.steps + max_steps
    while covered(obs) and obs.steps < last:
        if obs.block(0, 1, 0) == "water":
            obs = jump()
            continue
        before = obs.position
        obs = stair_up(obs)
        if obs.position == before:
            obs = turn(90)
            obs = forward()
    return obs


def stair_up(obs):
    """Dig and climb one step, in the direction nearest to that of the eyes that is safe."""
    heading = round(obs.yaw / 90.0) + 1
    for turned in (0, 1, 3, 2):
        sx, sz = QUARTERS[(heading + turned) % 4]
        cells = [(0, 2, 0), (sx, 2, sz), (sx, 1, sz)]
        wet = [
            1
            for x, y, z in cells
            for ax, ay, az in SIDES_OF_A_CELL
            if obs.block(x + ax, y + ay, z + az) in FLUIDS
        ]
        if wet or any([obs.block(x, y, z) == "bedrock" for x, y, z in cells]):
            continue
        x, y, z = obs.position
        if obs.block(sx, 0, sz) in OPEN:
            return walk_to(obs, floor(x) + sx + 0.5 - x, floor(z) + sz + 0.5 - z, 15)
        for dx, dy, dz in cells:
            obs = dig_at(obs, dx, dy, dz, 250)
        return walk_to(
            obs, floor(x) + sx + 0.5 - obs.position[0], floor(z) + sz + 0.5 - obs.position[2], 20
        )
    return jump()
