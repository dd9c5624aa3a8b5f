ITEM = "wooden_pickaxe"
QUANTITY = 1
TRIES = 20  # for each
SIDES = ((1, 0), (0, 1), (-1, 0), (0, -1))
SOFT = ("grass block", "dirt", "sand", "gravel", "clay", "leaves")
OPEN_CELLS = ("air", "grass", "plant", "flower", "snow", "dead bush")


def dig_something(obs):
    """A block beside the feet, or the ground: a soft one first."""
    obs = equip(ITEM) if obs.held != ITEM else obs
    for soft in (True, False):
        for dy in (0, 1, -1, 2):
            for dx, dz in SIDES:
                name = obs.block(dx, dy, dz)
                if name in OPEN_CELLS or name in ("water", "lava", "bedrock"):
                    continue
                if not soft or name in SOFT or (ITEM.endswith("_pickaxe") and name == "stone"):
                    return dig_at(obs, dx, dy, dz, 400)
    return roam(obs, 20)


def action(obs):
    used = obs.used.get(ITEM, 0)
    for _ in range(TRIES * QUANTITY):
        if obs.used.get(ITEM, 0) >= used + QUANTITY or not obs.inventory.get(ITEM, 0):
            return
        obs = dig_something(obs)
