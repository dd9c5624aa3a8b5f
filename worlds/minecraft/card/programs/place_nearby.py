BLOCK = "crafting_table"
PLACES = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
OPEN_CELLS = ("air", "grass", "water", "snow")


def near(obs):
    return obs.nearby_table if BLOCK == "crafting_table" else obs.nearby_furnace


def put_down(obs):
    for dy in (0, 1):
        for dx, dz in PLACES:
            below = obs.block(dx, dy - 1, dz)
            if obs.block(dx, dy, dz) not in OPEN_CELLS or below in OPEN_CELLS:
                continue
            if obs.block(dx, dy, dz) == "grass":
                obs = dig_at(obs, dx, dy, dz, 30)
            obs = place_at(obs, BLOCK, dx, dy, dz)
            if not obs.inventory.get(BLOCK, 0):
                return look_at(obs, dx + 0.5, dy + 0.5, dz + 0.5)
    return obs


def action(obs):
    for _ in range(8):
        if near(obs) or not obs.inventory.get(BLOCK, 0):
            return
        obs = put_down(obs)
        if near(obs):
            return
        blocked = [(dx, dz) for dx, dz in PLACES[:4] if obs.block(dx, 0, dz) not in OPEN_CELLS]
        if blocked:
            obs = dig_at(obs, blocked[0][0], 0, blocked[0][1])
        obs = turn(45)
        for _ in range(15):
            obs = jump() if obs.block(0, 0, 0) == "water" else forward()
