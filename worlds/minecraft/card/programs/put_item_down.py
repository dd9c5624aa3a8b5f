ITEM = "torch"
QUANTITY = 1
TRIES = 20  # for each
PLACES = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
OPEN_CELLS = ("air", "grass", "plant", "flower", "snow", "dead bush")
NO_GROUND = ("air", "grass", "plant", "flower", "snow", "dead bush", "water", "lava")
OPENING = ("crafting table", "furnace", "chest")  # at the use key


def make_room(obs):
    for dx, dz in PLACES[:4]:
        name = obs.block(dx, 0, dz)
        if name not in OPEN_CELLS + OPENING:
            return dig_at(hold_for(obs, name), dx, 0, dz)
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


def action(obs):
    used = obs.used.get(ITEM, 0)
    for _ in range(TRIES * QUANTITY):
        if obs.used.get(ITEM, 0) >= used + QUANTITY or not obs.inventory.get(ITEM, 0):
            return
        obs = put_down(obs)
