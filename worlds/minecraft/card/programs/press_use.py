ITEM = "compass"
QUANTITY = 1
TRIES = 20  # for each
SIDES = ((1, 0), (0, 1), (-1, 0), (0, -1))
OPEN_CELLS = ("air", "grass", "plant", "flower", "snow", "dead bush")
NO_GROUND = ("air", "grass", "plant", "flower", "snow", "dead bush", "water", "lava")
OPENING = ("crafting table", "furnace", "chest")  # at the use key


def look_on(obs, dx, dy, dz, aside):
    """At the upper side of a block, ``aside`` of the way along both of its edges."""
    x, y, z = obs.position
    return look_at(
        obs, floor(x) + dx + aside - x, floor(y + 0.001) + dy + 1 - y, floor(z) + dz + aside - z
    )


def make_room(obs):
    for dx, dz in SIDES:
        name = obs.block(dx, 0, dz)
        if name not in OPEN_CELLS + OPENING:
            return dig_at(hold_for(obs, name), dx, 0, dz)
    return roam(obs, 15)


def press(obs):
    """Where the eyes are turned, or on the ground beside the feet, which is where what is laid
    needs it."""
    obs = equip(ITEM) if obs.held != ITEM else obs
    for _ in range(4):
        if obs.facing not in OPENING:
            break
        obs = turn(90)
    before = obs.used.get(ITEM, 0)
    obs = use()
    for dx, dz in SIDES:
        if obs.used.get(ITEM, 0) > before:
            return obs
        ground = obs.block(dx, -1, dz)
        if obs.block(dx, 0, dz) in OPEN_CELLS and ground not in NO_GROUND + OPENING:
            obs = look_on(obs, dx, -1, dz, 0.5)
            obs = use()
    return obs if obs.used.get(ITEM, 0) > before else make_room(obs)


def action(obs):
    used = obs.used.get(ITEM, 0)
    for _ in range(TRIES * QUANTITY):
        if obs.used.get(ITEM, 0) >= used + QUANTITY or not obs.inventory.get(ITEM, 0):
            return
        obs = press(obs)
