TICKS = 24000
REST = 100  # ticks between two looks round where everything is closed
COVERS = ("dirt", "cobblestone", "planks", "log", "netherrack", "sandstone", "sand", "gravel")
FALLING = ("sand", "gravel")
MEALS = ["cooked_beef", "bread"]  # the best first
DEEP = 4  # blocks under the ground
DEEPEST = 14  # where there is no solid ground all round, or nothing to close the hole with
PATIENCE = 3000  # steps after which the hole is as deep as it gets
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


def buried(obs):
    """Whether there is ground all round: arrows come in past a corner, explosions open a thin
    roof."""
    for dx in (-1, 0, 1):
        for dz in (-1, 0, 1):
            for dy in (0, 1, 2):
                if (dx or dz) and obs.block(dx, dy, dz) in PASSABLE:
                    return False
    return True


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


def rest(obs):
    """Until something hurts: then there is an opening."""
    life = obs.life
    for _ in range(REST):
        obs = noop()
        if obs.life < life:
            return obs
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
    shut = False
    while obs.steps < TICKS:
        if obs.food < HUNGRY:
            obs = eat(obs)
        high = obs.position[1]
        deeper = high > top - DEEPEST and obs.steps < PATIENCE
        open_cells = gaps(obs)
        if not open_cells and (shut or not deeper or buried(obs)):
            shut = True
            obs = rest(obs)
        elif deeper and (high > top - DEEP or (may_sink(obs) and not buried(obs))):
            obs = sink(obs)
        else:
            begun = obs.steps
            for gap in open_cells:
                obs = close(obs, gap)
            if obs.block(0, 2, 0) in PASSABLE:
                obs = creep_in(obs)
            if obs.steps == begun:
                obs = sink(obs) if deeper and may_sink(obs) else rest(obs)
