TICKS = 24000
REST = 100  # ticks between two looks round where everything is closed
COVERS = ("dirt", "cobblestone", "planks", "log", "netherrack", "sandstone", "sand", "gravel")
FALLING = ("sand", "gravel")
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
DEEPEST = 14  # for who finds nothing there to close the hole with
HUNGRY = 14
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))
PASSABLE = (
    "air",
    "water",
    "flowing water",
    "lava",
    "flowing lava",
    "fire",
    "snow",
    "web",
    "grass",
    "plant",
    "flower",
    "mushroom",
    "dead bush",
    "vines",
    "sugar cane",
    "crops",
    "torch",
)


def gaps(obs):
    """The cells beside and above through which something could come in."""
    cells = [(dx, dy, dz) for dx, dz in SIDES for dy in (0, 1)] + [(0, 2, 0)]
    return [cell for cell in cells if obs.block(cell[0], cell[1], cell[2]) in PASSABLE]


def close(obs, gap):
    """A block there, of what was dug on the way down; over the head none that would fall on it."""
    for cover in COVERS:
        if obs.inventory.get(cover, 0) and not (gap[1] == 2 and cover in FALLING):
            return place_at(obs, cover, gap[0], gap[1], gap[2])
    return obs


def creep_in(obs):
    """Sideways, to where there is ground over the head."""
    for dx, dz in SIDES:
        walls = [obs.block(dx, 0, dz), obs.block(dx, 1, dz), obs.block(dx, 2, dz)]
        if not any([wall in PASSABLE for wall in walls]) and walls[2] not in FALLING:
            return drive(obs, dx, dz)
    return obs


def rest(steps):
    obs = noop()
    for _ in range(steps - 1):
        obs = noop()
    return obs


def eat(obs):
    for meal in MEALS:
        if obs.inventory.get(meal, 0):
            obs = equip(meal) if obs.held != meal else obs
            for _ in range(40):
                obs = use()
            return obs
    return obs


def action(obs):
    top = obs.position[1]
    while obs.steps < TICKS:
        open_cells = gaps(obs)
        if obs.food < HUNGRY:
            obs = eat(obs)
        if not open_cells:
            obs = rest(REST)
        elif obs.position[1] > top - DEEP:
            obs = sink(obs)
        else:
            begun = obs.steps
            for gap in open_cells:
                obs = close(obs, gap)
            if obs.block(0, 2, 0) in PASSABLE:
                obs = creep_in(obs)
            if obs.steps == begun and obs.position[1] > top - DEEPEST and may_sink(obs):
                obs = sink(obs)
            elif obs.steps == begun:
                obs = rest(REST)
