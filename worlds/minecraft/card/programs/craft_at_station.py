ITEM = "wooden_pickaxe"
QUANTITY = 1
STATION = "crafting_table"
PLACES = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
OPEN_CELLS = ("air", "grass", "water", "snow")
FUELS = ("coal", "planks", "log", "log2")


def near(obs):
    return obs.nearby_table if STATION == "crafting_table" else obs.nearby_furnace


def free(obs):
    return [
        (dx, dy, dz)
        for dy in (0, 1)
        for dx, dz in PLACES
        if obs.block(dx, dy, dz) in OPEN_CELLS and obs.block(dx, dy - 1, dz) not in OPEN_CELLS
    ]


def face(obs, spot):
    x, y, z = obs.position
    return look_at(
        obs,
        floor(x) + spot[0] + 0.5 - x,
        floor(y + 0.001) + spot[1] + 0.5 - y,
        floor(z) + spot[2] + 0.5 - z,
    )


def put_down(obs):
    """Place the station beside the player, and look at it: whether it stands there."""
    for dx, dy, dz in free(obs)[:5]:
        if obs.block(dx, dy, dz) == "grass":
            obs = dig_at(obs, dx, dy, dz, 30)
        obs = place_at(obs, STATION, dx, dy, dz)
        if not obs.inventory.get(STATION, 0):
            return obs
    return obs


def make_room(obs):
    """Where there is no place, dig one; where there is no ground, go on."""
    for dx, dz in PLACES[:4]:
        name = obs.block(dx, 0, dz)
        if name not in OPEN_CELLS:
            return dig_at(hold_for(obs, name), dx, 0, dz)
    obs = turn(45)
    for _ in range(15):
        obs = jump() if obs.block(0, 0, 0) == "water" else forward()
    return obs


def light(obs):
    """What is to be burnt comes into the first slot, before sticks and tools that burn, too."""
    for fuel in FUELS:
        if obs.inventory.get(fuel, 0):
            return obs if obs.held == fuel else equip(fuel)
    return obs


def action(obs):
    wanted = obs.inventory.get(ITEM, 0) + QUANTITY
    name = STATION.replace("_", " ")
    for _ in range(8):
        spot = find(obs, name, 3)
        if spot is not None and not near(obs):
            obs = face(obs, spot)
        if near(obs):
            break
        if spot is not None:  # something stands before it
            obs = make_room(gather_at(obs, STATION, spot[0], spot[1], spot[2]))
        if not obs.inventory.get(STATION, 0):
            return
        obs = put_down(obs)
        if obs.inventory.get(STATION, 0):
            obs = make_room(obs)
    made = True
    while made and obs.inventory.get(ITEM, 0) < wanted:
        if STATION == "furnace":
            obs = light(obs)
        had = obs.inventory.get(ITEM, 0)
        obs = craft(ITEM)  # `craftable` knows an item's first recipe alone
        made = obs.inventory.get(ITEM, 0) > had
