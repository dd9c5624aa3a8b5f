"""Bringing points and blocks under a crosshair that turns by steps of 15 degrees."""

EYES = 1.62  # metres above the feet
REACH = 4.5
OPEN = ("air", "water", "lava")  # what the crosshair goes through
FAR = 1000000.0


def look_at(obs, dx, dy, dz):
    yaw = degrees(atan2(-dx, dz)) if hypot(dx, dz) > 0.01 else obs.yaw
    return aim(obs, yaw, -degrees(atan2(dy - EYES, hypot(dx, dz))))


def aim(obs, yaw, pitch):
    """To the bins nearest to these angles, which are the world's."""
    aside = (yaw - obs.yaw + 180.0) % 360.0 - 180.0
    down = pitch - obs.pitch
    if abs(aside) > 7.5:
        obs = turn(aside)
    if abs(down) > 7.5:
        obs = look(down)
    return obs


def cell_of(obs):
    """The block in which the feet are."""
    x, y, z = obs.position
    return (floor(x), floor(y + 0.001), floor(z))


def sight(obs, yaw, pitch, goal):
    """Along a line of sight within reach: the first block that is not open, the cell before it,
    and whether the line goes through ``goal``. Cells are offsets from the feet's."""
    px, py, pz = obs.position
    ox, oy, oz = px - floor(px), py - floor(py + 0.001) + EYES, pz - floor(pz)
    flat = cos(radians(pitch))
    vx = -sin(radians(yaw)) * flat
    vy = -sin(radians(pitch))
    vz = cos(radians(yaw)) * flat
    sx, sy, sz = (1 if vx > 0 else -1), (1 if vy > 0 else -1), (1 if vz > 0 else -1)
    gx, gy, gz = 1.0 / max(abs(vx), 1e-9), 1.0 / max(abs(vy), 1e-9), 1.0 / max(abs(vz), 1e-9)
    x, y, z = floor(ox), floor(oy), floor(oz)
    tx = gx * (x + 1 - ox if sx > 0 else ox - x)
    ty = gy * (y + 1 - oy if sy > 0 else oy - y)
    tz = gz * (z + 1 - oz if sz > 0 else oz - z)
    before = (x, y, z)
    hit = None
    passes = False
    for _ in range(20):
        if (x, y, z) == goal:
            passes = True
        if hit is None and obs.block(x, y, z) not in OPEN:
            hit = (x, y, z)
        if hit is not None and passes:
            break
        if hit is None:
            before = (x, y, z)
        if min(tx, ty, tz) > REACH:
            break
        if tx <= ty and tx <= tz:
            x += sx
            tx += gx
        elif ty <= tz:
            y += sy
            ty += gy
        else:
            z += sz
            tz += gz
    return hit, before, passes


def bins_towards(obs, goal, around):
    """Angles that the camera can take, those nearest to a cell's middle first."""
    px, py, pz = obs.position
    dx = goal[0] + 0.5 - (px - floor(px))
    dy = goal[1] + 0.5 - (py - floor(py + 0.001)) - EYES
    dz = goal[2] + 0.5 - (pz - floor(pz))
    away = hypot(dx, dz)
    aside = (degrees(atan2(-dx, dz)) - obs.yaw + 180.0) % 360.0 - 180.0
    down = -degrees(atan2(dy, away)) - obs.pitch
    found = []
    for i in range(-around, around + 1):
        for j in range(-around, around + 1):
            turned = 15.0 * (round(aside / 15.0) + i)
            looked = 15.0 * (round(down / 15.0) + j)
            pitch = min(max(obs.pitch + looked, -90.0), 90.0)
            # Where it looks straight up or down, turning changes little.
            wrong = abs(turned - aside) * max(cos(radians(pitch)), 0.05) + abs(looked - down)
            found.append((wrong, obs.yaw + turned, pitch))
    return sorted(found)
