"""Night on grass, where zombies come up, or badly hurt; with stones to close a place."""

STONES = 4
HURT = 3
WELL = 6


def when(obs):
    if obs.food == 0 or obs.drink == 0 or "wood_pickaxe" not in obs.inventory:
        return False
    night = 185 <= obs.time % 300 < 265 and grass(obs) > 7
    if obs.steps > 0:
        return night or obs.sleeping or obs.health < WELL
    return (night or obs.health <= HURT) and obs.inventory.get("stone", 0) >= STONES


def grass(obs):
    """Of twenty cells around."""
    count = 0
    for x in (-4, -2, 0, 2, 4):
        for y in (-3, -1, 1, 3):
            if obs.cell(x, y) == "grass":
                count = count + 1
    return count
