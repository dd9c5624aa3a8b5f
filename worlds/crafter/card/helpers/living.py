"""Staying alive: what every walk looks after first."""

DAY = 300  # steps
NIGHT_FROM = 190
NIGHT_TO = 260
WEAK = 3
HUNGRY = 3
LATE_FOOD = 5
TIRED = 2
GRASS = 7
RESTED = 7


def night(obs):
    """Zombies gather: the time to be behind walls."""
    return NIGHT_FROM <= obs.time % DAY < NIGHT_TO


def live(obs, deep=False):
    """Do what is urgent, until nothing is. ``deep``: the work is in rock, where no zombies come
    up, so that the night is as good as the day."""
    obs = guard(obs)
    while obs.sleeping:
        obs = guard(noop())
    before = -1
    while before != obs.steps:
        before = obs.steps
        obs = guard(obs)
        obs = nourish(obs)
        if "wood_pickaxe" in obs.inventory:
            if 105 <= obs.time % DAY < 150 and obs.inventory.get("stone", 0) < 8:
                obs = stock(obs)
            if weak(obs) or obs.energy <= TIRED or (night(obs) and not (deep and grassless(obs))):
                obs = shelter(obs, deep)
    return obs


def grassless(obs):
    """Whether there is little grass around."""
    count = 0
    for x in (-4, -2, 0, 2, 4):
        for y in (-3, -1, 1, 3):
            if obs.cell(x, y) == "grass":
                count = count + 1
    return count <= GRASS


def weak(obs):
    """Hurt so that rest is what helps."""
    return obs.health <= WEAK and obs.food > 0 and obs.drink > 0


def nourish(obs):
    """Drink and eat: when it is needed, when it is near, and before the night."""
    late = 105 <= obs.time % DAY < 150
    if obs.drink <= 3 or (late and obs.drink <= 6):
        obs = quench(obs)
    elif obs.drink <= 6:
        way = way_to(obs, ("water",))
        if way is not None and way.cost <= 5:
            obs = quench(obs)
    if obs.food <= HUNGRY or (late and obs.food <= LATE_FOOD):
        obs = feed(obs)
    elif obs.food <= 5:
        way = way_to(obs, ("cow", "ripe plant"))
        if way is not None and way.cost <= 6:
            obs = feed(obs)
    return obs


def stock(obs):
    """Stones for walls, where they are near."""
    last = obs.steps + 60
    while obs.steps < last and obs.inventory.get("stone", 0) < 9:
        obs = guard(obs)
        way = way_to(obs, ("stone",))
        if way is None or way.cost > 25:
            return obs
        obs = use_once(obs, way)
    return obs


def quench(obs):
    return consume(obs, ("water",), 9)


def feed(obs):
    way = way_to(obs, ("ripe plant",))
    if way is not None and way.cost < 20:
        return use_once(obs, way)
    return consume(obs, ("cow",), 7)


def consume(obs, things, enough):
    """Walk to the nearest of these and take it until there is enough of it inside us."""
    last = obs.steps + 150
    while obs.steps < last:
        obs = guard(obs)
        level = obs.drink if things == ("water",) else obs.food
        if level >= enough or obs.health <= 2 or (night(obs) and level > 0):
            return obs
        way = way_to(obs, things)
        if way is None:
            way = way_to_unknown(
                obs, ("grass",) if things == ("cow",) else ("grass", "sand"), 150, 12
            )
        if way is None:
            way = way_to_unknown(obs, ())
        if way is None:
            return obs
        if obs.cell(way.x - obs.position[0], way.y - obs.position[1]) not in things:
            obs = advance(obs, way.dx, way.dy)
        else:
            obs = use_once(obs, way)
    return obs


def use_once(obs, way):
    """One step towards the thing at the end of the way, or one use of it."""
    if way.cost > 0:
        return advance(obs, way.dx, way.dy)
    if obs.facing != (way.dx, way.dy):
        return move(obs, way.dx, way.dy)
    return do()
