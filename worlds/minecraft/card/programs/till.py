ITEM = "wooden_hoe"
QUANTITY = 1
TRIES = 20  # for each
PLACES = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
SOIL = ("grass block", "dirt")
OPEN_CELLS = ("air", "grass", "plant", "flower", "snow", "dead bush")
NO_GROUND = ("air", "grass", "plant", "flower", "snow", "dead bush", "water", "lava")


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


def action(obs):
    used = obs.used.get(ITEM, 0)
    for _ in range(TRIES * QUANTITY):
        if obs.used.get(ITEM, 0) >= used + QUANTITY or not obs.inventory.get(ITEM, 0):
            return
        obs = till(obs)
