ITEM = "wooden_pickaxe"
USE = "dig"
PLACES = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
SOFT = ("grass block", "dirt", "sand", "gravel", "clay", "leaves")
SOIL = ("grass block", "dirt")
OPEN_CELLS = ("air", "grass", "plant", "flower", "snow", "dead bush")
NO_GROUND = ("air", "grass", "plant", "flower", "snow", "dead bush", "water", "lava")
OPENING = ("crafting table", "furnace", "chest")  # at the use key


def wear(obs):
    return equip(ITEM)


def shoot(obs):
    obs = equip(ITEM) if obs.held != ITEM else obs
    obs = look(-obs.pitch) if abs(obs.pitch) > 8 else obs
    for _ in range(25):
        obs = use()
    for _ in range(3):
        obs = noop()
    return obs


def dig_something(obs):
    """A block beside the feet, or the ground: a soft one first."""
    obs = equip(ITEM) if obs.held != ITEM else obs
    for soft in (True, False):
        for dy in (0, 1, -1, 2):
            for dx, dz in PLACES[:4]:
                name = obs.block(dx, dy, dz)
                if name in OPEN_CELLS or name in ("water", "lava", "bedrock"):
                    continue
                if not soft or name in SOFT or (ITEM.endswith("_pickaxe") and name == "stone"):
                    return dig_at(obs, dx, dy, dz, 400)
    return roam(obs, 20)


def look_on(obs, dx, dy, dz, aside):
    """At the upper side of a block, ``aside`` of the way along both of its edges."""
    x, y, z = obs.position
    return look_at(
        obs, floor(x) + dx + aside - x, floor(y + 0.001) + dy + 1 - y, floor(z) + dz + aside - z
    )


def till(obs):
    """Soil beside the feet; else what is carried of it is put there, or some is gone to."""
    for dy in (-1, 0):
        for dx, dz in PLACES:
            over = obs.block(dx, dy + 1, dz)
            if obs.block(dx, dy, dz) not in SOIL or over not in OPEN_CELLS:
                continue
            if over != "air":
                obs = dig_at(obs, dx, dy + 1, dz, 30)
            obs = equip(ITEM) if obs.held != ITEM else obs
            for aside in (0.5, 0.3, 0.7):
                obs = look_on(obs, dx, dy, dz, aside)
                if obs.facing in SOIL:
                    return use()
    if obs.inventory.get("dirt", 0):
        return lay_dirt(obs)
    spot = find(obs, "grass block", 8)
    if spot is None:
        spot = find(obs, "dirt", 8)
    if spot is None:
        return roam(surface(obs), 40)
    if abs(spot[0]) + abs(spot[2]) <= 2 and -1 <= spot[1] <= 2:
        return gather_at(obs, "dirt", spot[0], spot[1], spot[2])
    return travel(obs, spot[0], spot[2], 100, spot[1])


def lay_dirt(obs):
    """A block of it beside the feet, with air over it."""
    for dx, dz in PLACES[:4]:
        for dy in (1, 0):
            name = obs.block(dx, dy, dz)
            if name not in OPEN_CELLS:
                obs = dig_at(hold_for(obs, name), dx, dy, dz, 100)
        if obs.block(dx, -1, dz) in NO_GROUND:
            continue
        had = obs.inventory.get("dirt", 0)
        obs = place_at(obs, "dirt", dx, 0, dz)
        if obs.inventory.get("dirt", 0) < had:
            return obs
    return roam(obs, 15)


def put_down(obs):
    for dy in (0, 1, -1):
        for dx, dz in PLACES:
            free = obs.block(dx, dy, dz) in OPEN_CELLS
            if not free or obs.block(dx, dy - 1, dz) in NO_GROUND:
                continue
            if obs.block(dx, dy, dz) != "air":
                obs = dig_at(obs, dx, dy, dz, 30)
            had = obs.inventory.get(ITEM, 0)
            obs = place_at(obs, ITEM, dx, dy, dz)
            if obs.inventory.get(ITEM, 0) < had:
                return obs
    return make_room(obs)


def make_room(obs):
    for dx, dz in PLACES[:4]:
        name = obs.block(dx, 0, dz)
        if name not in OPEN_CELLS + OPENING:
            return dig_at(hold_for(obs, name), dx, 0, dz)
    return roam(obs, 15)


def simply(obs):
    """Where the eyes are turned, or on the ground beside the feet, which is where what is laid
    needs it."""
    obs = equip(ITEM) if obs.held != ITEM else obs
    for _ in range(4):
        if obs.facing not in OPENING:
            break
        obs = turn(90)
    before = obs.used.get(ITEM, 0)
    obs = use()
    for dx, dz in PLACES[:4]:
        if obs.used.get(ITEM, 0) > before:
            return obs
        ground = obs.block(dx, -1, dz)
        if obs.block(dx, 0, dz) in OPEN_CELLS and ground not in NO_GROUND + OPENING:
            obs = look_on(obs, dx, -1, dz, 0.5)
            obs = use()
    return obs if obs.used.get(ITEM, 0) > before else make_room(obs)


def action(obs):
    for _ in range(20):
        if not obs.inventory.get(ITEM, 0):
            return
        before = obs.used.get(ITEM, 0)
        if USE == "wear":
            obs = wear(obs)
        elif USE == "shoot":
            obs = shoot(obs)
        elif USE == "till":
            obs = till(obs)
        elif USE == "dig":
            obs = dig_something(obs)
        elif USE == "place":
            obs = put_down(obs)
        else:
            obs = simply(obs)
        if obs.used.get(ITEM, 0) > before:
            return
