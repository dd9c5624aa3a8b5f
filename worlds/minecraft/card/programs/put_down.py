STATION = "crafting_table"
PLACES = ((1, 0), (0, 1), (-1, 0), (0, -1))
OPEN_CELLS = ("air", "grass", "water", "snow")


def action(obs):
    if not obs.inventory.get(STATION, 0):
        obs = noop()
        return
    for dx, dz in PLACES:
        if obs.block(dx, 0, dz) in OPEN_CELLS and obs.block(dx, -1, dz) not in OPEN_CELLS:
            obs = place_at(obs, STATION, dx, 0, dz)
            if not obs.inventory.get(STATION, 0):
                obs = look_at(obs, dx + 0.5, 0.5, dz + 0.5)
                return
    obs = forward()
