ITEM = "wooden_pickaxe"
QUANTITY = 1
STATION = "crafting_table"
PLACES = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
OPEN_CELLS = ("air", "grass", "water", "snow")


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
    """Place the station beside the player, and where it is."""
    name = STATION.replace("_", " ")
    for dx, dy, dz in free(obs)[:5]:
        if obs.block(dx, dy, dz) == "grass":
            obs = dig_at(obs, dx, dy, dz, 30)
        obs = place_at(obs, STATION, dx, dy, dz)
        spot = None if obs.inventory.get(STATION, 0) else find(obs, name, 4)
        if spot is not None:
            return face(obs, spot), spot
    return obs, None


def make_room(obs):
    """Where there is no place, dig one; where there is no ground, go on."""
    for dx, dz in PLACES[:4]:
        if obs.block(dx, 0, dz) not in OPEN_CELLS:
            return dig_at(obs, dx, 0, dz)
    obs = turn(45)
    for _ in range(15):
        obs = jump() if obs.block(0, 0, 0) == "water" else forward()
    return obs


def take_back(obs, spot):
    dx, dy, dz = spot
    x, _, z = obs.position
    tools = [i for i in obs.inventory if i.endswith("_pickaxe")]
    if STATION == "furnace" and tools:
        obs = equip(tools[0])
    obs = dig_at(obs, dx, dy, dz)
    for _ in range(10):
        if obs.inventory.get(STATION, 0):
            return obs
        obs = noop()
    for ax, az in ((0, 0), (1, 0), (0, 1), (-1, 0), (0, -1)):
        if obs.inventory.get(STATION, 0):
            return obs
        goal_x, goal_z = floor(x) + dx + ax + 0.5, floor(z) + dz + az + 0.5
        obs = walk_to(obs, goal_x - obs.position[0], goal_z - obs.position[2], 25)
    return obs


def action(obs):
    wanted = obs.inventory.get(ITEM, 0) + QUANTITY
    spot = None
    for _ in range(8):
        if near(obs):
            break
        if not obs.inventory.get(STATION, 0):
            return
        obs, spot = put_down(obs)
        if spot is None:
            obs = make_room(obs)
        elif not near(obs):  # something stands before it
            obs = make_room(take_back(obs, spot))
            spot = None
    while obs.inventory.get(ITEM, 0) < wanted and ITEM in obs.craftable:
        obs = craft(ITEM)
    if spot is not None:
        obs = take_back(obs, spot)
