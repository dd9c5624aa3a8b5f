OBSIDIAN = "obsidian"
LIGHTER = "flint_and_steel"
TIMES = 4  # that a frame is begun
TRIES = 8  # for a block of the frame
WAIT = 160  # steps in the portal, which takes 80
FREE = ("air", "grass", "plant", "flower", "snow", "dead bush")
FLUID_OR_AIR = ("air", "water", "lava", "flowing water", "flowing lava")
WET = ("water", "lava", "flowing water", "flowing lava")
AXES = ((1, 0), (0, 1))
# Of the frame, two by three inside, by how far along and up: it stands half in the ground, so that
# each block has one behind it, and the player in it comes to all of them.
FROM_THE_FIRST = ((1, -3), (-1, -1), (-1, -2), (1, 1))
FROM_THE_SECOND = ((0, -3), (2, -1), (2, -2), (0, 1), (1, 1), (0, 1))
NEEDED = 10
FILLERS = ("dirt", "cobblestone", "sand", "gravel", "planks", "log")
DROPS = {
    "grass block": "dirt",
    "dirt": "dirt",
    "sand": "sand",
    "gravel": "gravel",
    "stone": "cobblestone",
}
SIDES = ((1, 0), (0, 1), (-1, 0), (0, -1))


def there(obs):
    return find(obs, "netherrack") is not None


def level(obs, x, z):
    """How high the ground is in a column, as an offset from the feet; None: out of sight."""
    for y in (1, 0, -1, -2):
        if obs.block(x, y, z) in FREE and obs.block(x, y - 1, z) not in FREE + WET:
            return y
    return None


def fits(obs, x, z, ax, az):
    """Whether the frame may stand here: level ground, dry, with nothing over it."""
    y = level(obs, x, z)
    if y is None:
        return False
    for along in (-1, 0, 1, 2):
        for up in (0, 1, 2):
            if obs.block(x + ax * along, y + up, z + az * along) not in FREE:
                return False
        for down in (-1, -2, -3):
            for aside in (-1, 0, 1):
                name = obs.block(x + ax * along + az * aside, y + down, z + az * along + ax * aside)
                if name in WET or (aside == 0 and (name in FREE or name == "bedrock")):
                    return False
    return True


def site(obs):
    """(x, z, ax, az) of the nearest place for it, and along which axis."""
    spots = [(x, z) for x in range(-4, 5) for z in range(-4, 5)]
    for _, x, z in sorted([(abs(x) + abs(z), x, z) for x, z in spots]):
        for ax, az in AXES:
            if fits(obs, x, z, ax, az):
                return x, z, ax, az
    return None


def offset(obs, spot):
    x, y, z = cell_of(obs)
    return spot[0] - x, spot[1] - y, spot[2] - z


def spot_of(base, axis, along, up):
    return base[0] + axis[0] * along, base[1] + up, base[2] + axis[1] * along


def put(obs, spot, item, stand):
    """A block of the frame, in place of what is there, by who stands in a cell."""
    for shift in range(TRIES):
        dx, dy, dz = offset(obs, spot)
        if max(abs(dx), abs(dy), abs(dz)) > 5 or not obs.inventory.get(item, 0):
            return obs
        name = obs.block(dx, dy, dz)
        if name == "obsidian" or name == item.replace("_", " "):
            return obs
        if name not in FLUID_OR_AIR:
            obs = dig_at(hold_for(obs, name), dx, dy, dz)
        obs = land(obs)
        dx, dy, dz = offset(obs, spot)
        obs = place_at(obs, item, dx, dy, dz)
        dx, dy, dz = offset(obs, spot)
        if obs.block(dx, dy, dz) not in FREE + WET:
            return obs
        # A little aside the angles are others.
        obs = stand_in(obs, stand) if shift % 2 else step_aside(obs, shift // 2)
    return obs


def step_aside(obs, shift):
    if shift % 4 == 0:
        left()
    elif shift % 4 == 1:
        right()
    elif shift % 4 == 2:
        forward()
    else:
        back()
    return noop()


def land(obs):
    """Come to rest: who still moves aims at another block."""
    for _ in range(12):
        x, y, z = obs.position
        obs = noop()
        if abs(obs.position[0] - x) + abs(obs.position[2] - z) < 0.002 and obs.position[1] == y:
            break
    return obs


def stand_in(obs, spot):
    """In the middle of a cell that is open, so that no block beside it is in the way."""
    for _ in range(16):
        dx, dz = spot[0] + 0.5 - obs.position[0], spot[2] + 0.5 - obs.position[2]
        if hypot(dx, dz) < 0.18:
            return obs
        if hypot(dx, dz) > 0.7:
            obs = walk_to(obs, dx, dz, 20)
        else:
            obs = turn((degrees(atan2(-dx, dz)) - obs.yaw + 180.0) % 360.0 - 180.0)
            obs = forward()
        obs = noop()
        obs = noop()
    return obs


def clear(obs, spot):
    dx, dy, dz = offset(obs, spot)
    name = obs.block(dx, dy, dz)
    if name in FLUID_OR_AIR:
        return obs
    return dig_at(hold_for(obs, name), dx, dy, dz)


def filler(obs):
    """For a corner, which need not be of obsidian; an empty text if there is nothing."""
    for item in FILLERS:
        if obs.inventory.get(item, 0):
            return item
    return OBSIDIAN if obs.inventory.get(OBSIDIAN, 0) > NEEDED else ""


def get_filler(obs):
    for dx, dz in SIDES:
        name = obs.block(dx, -1, dz)
        if sum([obs.inventory.get(item, 0) for item in FILLERS]) >= 2:
            return obs
        if name in DROPS and obs.block(dx, 0, dz) in FREE:
            obs = gather_at(obs, DROPS[name], dx, -1, dz)
    return obs


def build(obs, base, axis):
    """A frame around the two cells along the axis from ``base``, where the player stands."""
    for along in (-1, 0, 1, 2):
        for up in (0, 1):
            obs = clear(obs, spot_of(base, axis, along, up))
    for stand, along in ((1, 2), (0, -1)):
        cell = spot_of(base, axis, stand, 0)
        obs = stand_in(obs, cell)
        obs = put(obs, spot_of(base, axis, along, 0), OBSIDIAN, cell)
        item = filler(obs)
        if item:
            obs = put(stand_in(obs, cell), spot_of(base, axis, along, 1), item, cell)
    obs = stand_in(obs, base)
    obs = clear(obs, spot_of(base, axis, 1, -1))
    obs = clear(obs, spot_of(base, axis, 1, -2))
    for _ in range(4):
        if cell_of(obs)[1] > base[1] - 2:
            obs = sink(stand_in(obs, base))
    if cell_of(obs)[1] != base[1] - 2:
        return obs
    for stand, blocks in ((0, FROM_THE_FIRST), (1, FROM_THE_SECOND)):
        cell = spot_of(base, axis, stand, -2)
        obs = stand_in(obs, cell)
        for along, up in blocks:
            obs = put(obs, spot_of(base, axis, along, up), OBSIDIAN, cell)
    return obs


def light(obs, base, axis):
    """Fire in the cell beside the feet."""
    for along in (0, 1):
        for up in (-3, -2, -1):
            if not obs.inventory.get(LIGHTER, 0) or obs.block(0, 0, 0) == "portal":
                return obs
            aside = along if up == -3 else (-1, 2)[along]
            x, y, z = spot_of(base, axis, aside, up)
            fx, fy, fz = obs.position
            obs = equip(LIGHTER)
            # The side of it that looks inwards.
            inwards = 0.5 if up == -3 else (0.95, 0.05)[along]
            ox = inwards if axis[0] else 0.5
            oz = inwards if axis[1] else 0.5
            oy = 0.95 if up == -3 else 0.5
            obs = look_at(obs, x + ox - fx, y + oy - fy, z + oz - fz)
            if obs.facing == "obsidian":
                obs = use()
                obs = noop()
    return obs


def go_through(obs):
    """Stand in the portal until it has taken the player along."""
    for _ in range(WAIT):
        if there(obs):
            return obs
        if obs.block(0, 0, 0) != "portal":
            spot = find(obs, "portal", 4)
            if spot is None:
                return obs
            x, _, z = obs.position
            obs = walk_to(obs, floor(x) + spot[0] + 0.5 - x, floor(z) + spot[2] + 0.5 - z, 10)
        obs = noop()
    return obs


def action(obs):
    for _ in range(TIMES):
        if there(obs):
            return
        if find(obs, "portal", 8) is not None:
            obs = go_through(obs)
            continue
        if not obs.inventory.get(OBSIDIAN, 0):
            return
        obs = get_filler(obs)
        found = site(obs)
        for _ in range(12):
            if found is not None:
                break
            obs = roam(obs, 20)
            found = site(obs)
        if found is None:
            return
        dx, dz, ax, az = found
        x, _, z = cell_of(obs)
        base_x, base_z = x + dx, z + dz
        px, _, pz = obs.position
        obs = travel(obs, base_x + 0.5 - px, base_z + 0.5 - pz, 60)
        base = (base_x, cell_of(obs)[1], base_z)
        obs = land(stand_in(obs, base))
        base = (base_x, cell_of(obs)[1], base_z)
        if cell_of(obs) != base:
            continue
        obs = build(obs, base, (ax, az))
        obs = light(obs, base, (ax, az))
        obs = go_through(obs)
