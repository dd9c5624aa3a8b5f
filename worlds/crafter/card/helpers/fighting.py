"""What to do about creatures that are near."""


def near_creatures(obs, name, far):
    return [(x, y) for kind, x, y in obs.creatures if kind == name and abs(x) + abs(y) <= far]


def guard(obs):
    """Deal with what is about to hurt, until nothing is."""
    for _ in range(60):
        if obs.sleeping:
            return obs
        close = near_creatures(obs, "zombie", 1)
        if close:
            ahead = [each for each in close if each == obs.facing]
            obs = do() if ahead else move(obs, close[0][0], close[0][1])
            continue
        archers = near_creatures(obs, "skeleton", 1)
        if archers:
            obs = do() if obs.facing in archers else move(obs, archers[0][0], archers[0][1])
            continue
        shot = incoming(obs)
        if shot is not None:
            before = obs.steps
            obs = dodge(obs, shot)
            if obs.steps != before:
                continue
        if obs.health <= 4 and obs.inventory.get("stone", 0):
            # A zombie that comes straight at us is stopped by a stone.
            fx, fy = obs.facing
            if obs.cell(2 * fx, 2 * fy) == "zombie" and obs.cell(fx, fy) in WALKABLE:
                obs = place_stone()
                continue
        return obs
    return obs


def incoming(obs):
    """The direction to an arrow that flies at us, or None."""
    for dx, dy in DIRECTIONS:
        name = "arrow right"
        if dx > 0:
            name = "arrow left"
        if dy > 0:
            name = "arrow up"
        if dy < 0:
            name = "arrow down"
        for far in (1, 2, 3):
            thing = obs.cell(dx * far, dy * far)
            if thing == name:
                return (dx, dy)
            if thing not in WALKABLE and thing not in ("water", "lava"):
                break
    return None


def dodge(obs, shot):
    dx, dy = shot
    if obs.facing == shot and obs.cell(dx, dy) in WALKABLE and obs.inventory.get("stone", 0):
        return place_stone()
    for sx, sy in ((dy, dx), (-dy, -dx)):
        if obs.cell(sx, sy) in WALKABLE:
            return move(obs, sx, sy)
    return obs


def hunt(obs, name, patience=1500):
    """Find a creature of this name and defeat it."""
    done = "defeat_" + name
    ground = ("path",) if name == "skeleton" else ("grass",)
    before, last = obs.achievements.get(done, 0), obs.steps + patience
    while obs.steps < last and obs.achievements.get(done, 0) == before:
        obs = live(obs)
        way = way_to(obs, (name,))
        obs = explore(obs, ground) if way is None else use_once(obs, way)
    return obs
