"""Goes through Crafter's achievements, the easiest first, and looks after nothing else: it neither
drinks nor eats nor sleeps but once for the achievement, and hits what is in its way."""

FREE = ("grass", "sand", "path")
ROCK = ("stone", "path", "coal", "iron", "diamond", "lava")


def step(obs, dx, dy):
    """Face that way, and go, dig, bridge or hit. Never into lava."""
    ahead = obs.cell(dx, dy)
    if ahead == "lava":
        return place_stone() if obs.facing == (dx, dy) else noop()
    if ahead not in FREE and obs.facing == (dx, dy):
        return place_stone() if ahead == "water" else do()
    if dx < 0:
        return move_left()
    if dx > 0:
        return move_right()
    if dy < 0:
        return move_up()
    return move_down()


def use(obs, way):
    """One step towards the thing at the end of the way, or one use of it."""
    if way.cost == 0 and obs.facing == (way.dx, way.dy):
        return do()
    return step(obs, way.dx, way.dy)


def look_for(obs, near):
    way = way_to_unknown(obs, near) if near else None
    if way is None:
        way = way_to_unknown(obs, ())
    return noop() if way is None else step(obs, way.dx, way.dy)


def take(obs, things, item, count, near=(), patience=1500):
    last = obs.steps + patience
    while obs.inventory.get(item, 0) < count and obs.steps < last:
        way = way_to(obs, things)
        obs = look_for(obs, near) if way is None else use(obs, way)
    return obs


def unlock(obs, name, things, near=(), patience=1500):
    """Use one of these things until the achievement is there."""
    last = obs.steps + patience
    while name not in obs.achievements and obs.steps < last:
        way = way_to(obs, things)
        obs = look_for(obs, near) if way is None else use(obs, way)
    return obs


def clear(obs):
    """Face a cell where something can be put."""
    for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        if obs.cell(obs.facing[0], obs.facing[1]) not in FREE:
            obs = step(obs, dx, dy)
    return obs


def by_table(obs):
    while not beside(obs, "table"):
        way = way_to(obs, ("table",))
        if way is not None and way.cost < 30:
            obs = step(obs, way.dx, way.dy)
        elif obs.inventory.get("wood", 0) >= 2:
            obs = clear(obs)
            obs = place_table()
        else:
            obs = take(obs, ("tree",), "wood", 6)
    return obs


def tools(obs):
    obs = take(obs, ("tree",), "wood", 6)
    obs = by_table(obs)
    obs = make_wood_pickaxe()
    obs = make_wood_sword()
    obs = take(obs, ("tree",), "wood", 4)
    obs = take(obs, ("stone",), "stone", 4, ROCK)
    obs = by_table(obs)
    obs = make_stone_pickaxe()
    return make_stone_sword()


def iron_tools(obs):
    obs = take(obs, ("tree",), "wood", 5)
    for tool in ("iron_pickaxe", "iron_sword"):
        while tool not in obs.inventory:
            obs = take(obs, ("coal",), "coal", 1, ROCK)
            obs = take(obs, ("iron",), "iron", 1, ROCK)
            obs = by_table(obs)
            if not beside(obs, "furnace"):
                obs = take(obs, ("stone",), "stone", 3, ROCK)
                obs = by_table(obs)
                obs = clear(obs)
                obs = place_furnace()
            obs = make_iron_pickaxe() if tool == "iron_pickaxe" else make_iron_sword()
    return obs


def action(obs):
    obs = take(obs, ("grass",), "sapling", 1, (), 60)
    if obs.inventory.get("sapling", 0):
        obs = clear(obs)
        obs = place_plant()
    obs = tools(obs)
    obs = take(obs, ("stone",), "stone", 9, ROCK)
    obs = clear(obs)
    obs = place_stone()
    obs = unlock(obs, "collect_drink", ("water",), ("grass", "sand"))
    obs = unlock(obs, "eat_cow", ("cow",), ("grass",))
    obs = sleep()
    while obs.sleeping:
        obs = noop()
    obs = take(obs, ("coal",), "coal", 1, ROCK)
    obs = iron_tools(obs)
    obs = take(obs, ("diamond",), "diamond", 1, ROCK)
    obs = unlock(obs, "defeat_zombie", ("zombie",), ("grass",))
    obs = unlock(obs, "defeat_skeleton", ("skeleton",), ("path",))
    obs = unlock(obs, "eat_plant", ("ripe plant",), ("grass",))
    while True:
        obs = noop()
