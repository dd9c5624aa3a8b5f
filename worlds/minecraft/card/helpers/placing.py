"""Placing a block where it is wanted."""

REPLACED = ("grass", "plant", "dead bush", "vines", "snow", "fire")  # a block takes their place
OPENED = (
    "crafting table",
    "furnace",
    "chest",
    "trapped chest",
    "ender chest",
    "bed",
    "anvil",
    "enchantment table",
    "wooden door",
    "dispenser",
    "dropper",
    "hopper",
)


def place_at(obs, item, dx, dy, dz):
    x, y, z = cell_of(obs)
    goal = (x + dx, y + dy, z + dz)
    tried = 0
    for yaw, pitch, side in lines_before(obs, (dx, dy, dz)):
        obs = aim(obs, yaw, pitch)
        if obs.facing != side:
            continue  # a plant is smaller than its cell
        tried += 1
        obs = place(item)
        fx, fy, fz = cell_of(obs)
        free = obs.block(goal[0] - fx, goal[1] - fy, goal[2] - fz) in OPEN + REPLACED
        if not free or tried == 3 or not obs.inventory.get(item, 0):
            return obs
    return obs


def lines_before(obs, goal):
    """(yaw, pitch, block) of lines of sight that end on a block's side towards the cell."""
    found = []
    if max(abs(goal[0]), abs(goal[1]), abs(goal[2])) > 6:
        return found
    if obs.block(goal[0], goal[1], goal[2]) not in OPEN + REPLACED:
        return found
    for _, yaw, pitch in bins_towards(obs, goal, 3):
        hit, before, passes = sight(obs, yaw, pitch, goal)
        if passes and hit is not None and (before == goal or hit == goal):
            side = obs.block(hit[0], hit[1], hit[2])
            if side not in OPENED and (hit == goal or side not in REPLACED):
                found.append((yaw, pitch, side))
        if len(found) == 6:
            break
    return found
