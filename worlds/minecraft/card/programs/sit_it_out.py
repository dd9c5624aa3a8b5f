TICKS = 24000
COVERS = ("dirt", "cobblestone", "sand", "gravel", "planks", "log", "netherrack", "sandstone")
MEALS = (
    "cooked_beef",
    "cooked_porkchop",
    "cooked_mutton",
    "cooked_chicken",
    "bread",
    "apple",
    "carrot",
    "beef",
    "porkchop",
    "mutton",
)
DEEP = 4  # blocks under the ground
HUNGRY = 14


def covered(obs):
    return obs.block(0, 2, 0) not in ("air", "water")


def close(obs):
    """A block over the head, of what was dug on the way down."""
    for cover in COVERS:
        if obs.inventory.get(cover, 0):
            return place_at(obs, cover, 0, 2, 0)
    return noop()


def eat(obs):
    for meal in MEALS:
        if obs.inventory.get(meal, 0):
            obs = equip(meal) if obs.held != meal else obs
            for _ in range(40):
                obs = use()
            return obs
    return noop()


def action(obs):
    top = obs.position[1]
    while obs.steps < TICKS:
        if obs.food < HUNGRY and any([obs.inventory.get(meal, 0) for meal in MEALS]):
            obs = eat(obs)
        elif obs.position[1] > top - DEEP:
            obs = sink(obs)
        elif not covered(obs):
            obs = close(obs)
        else:
            obs = noop()
