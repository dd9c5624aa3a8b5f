SOFT = ("air", "water", "flowing water")
BESIDE = ((0, 1), (1, 0), (0, -1), (-1, 0))


def action(obs):
    while True:
        above = obs.block(0, 2, 0)
        if above in SOFT:
            obs = jump()
            continue
        # Something is overhead: swim to where nothing is, else dig through.
        way = None
        for dx, dz in BESIDE:
            if way is None and obs.block(dx, 1, dz) in SOFT and obs.block(dx, 2, dz) in SOFT:
                way = (dx, dz)
        before = obs.steps
        if way is not None:
            obs = walk_to(obs, way[0], way[1], 8)
        if obs.steps == before:
            obs = dig_at(obs, 0, 2, 0, 40)
        if obs.steps == before:
            obs = jump()
