ROCK = ("stone", "path", "coal", "iron", "diamond", "lava")


def goals(obs):
    return obs.achievements


def action(obs):
    while True:
        before = obs.steps
        obs = next_task(obs)
        if obs.steps == before:
            obs = live(obs)
            if obs.steps == before:
                obs = noop()


def next_task(obs):
    done = obs.achievements
    inv = obs.inventory
    wood = inv.get("wood", 0)
    if "place_plant" not in done:
        if inv.get("sapling", 0):
            return put(obs, "plant")
        if obs.time < 40 or "make_stone_pickaxe" in done:
            return gather(obs, ("grass",), "sapling", 1, (), 25)
    if "wood_pickaxe" not in inv or "wood_sword" not in inv:
        if wood < 4:
            return gather(obs, ("tree",), "wood", 6)
        obs = stand_at_table(obs, 30)
        obs = make_wood_pickaxe()
        return make_wood_sword()
    if "stone_pickaxe" not in inv or "stone_sword" not in inv:
        if inv.get("stone", 0) < 2:
            return gather(obs, ("stone",), "stone", 4, ROCK)
        if wood < 2:
            return gather(obs, ("tree",), "wood", 6)
        obs = stand_at_table(obs, 30)
        obs = make_stone_pickaxe()
        return make_stone_sword()
    if inv.get("stone", 0) < 9:
        return gather(obs, ("stone",), "stone", 9, ROCK)
    if "place_stone" not in done:
        return put(obs, "stone")
    if "collect_drink" not in done:
        return consume(obs, ("water",), 9)
    if "eat_cow" not in done:
        return consume(obs, ("cow",), 9)
    if "wake_up" not in done and obs.energy < 9:
        return shelter(obs)
    if "collect_coal" not in done:
        return gather(obs, ("coal",), "coal", 1, ROCK)
    if wood < 4 and ("iron_pickaxe" not in inv or "iron_sword" not in inv):
        return gather(obs, ("tree",), "wood", 5)
    if "iron_pickaxe" not in inv or "iron_sword" not in inv:
        if inv.get("coal", 0) < 1:
            return gather(obs, ("coal",), "coal", 2, ROCK)
        if inv.get("iron", 0) < 1:
            return gather(obs, ("iron",), "iron", 1, ROCK)
        obs = stand_at_table(obs, 12)
        if not beside(obs, "furnace"):
            if obs.inventory.get("stone", 0) < 4:
                return gather(obs, ("stone",), "stone", 6, ROCK)
            obs = put(obs, "furnace")
        if "iron_pickaxe" not in obs.inventory:
            return make_iron_pickaxe()
        return make_iron_sword()
    if "collect_diamond" not in done:
        return gather(obs, ("diamond",), "diamond", 1, ROCK)
    if "eat_plant" not in done:
        if way_to(obs, ("plant", "ripe plant")) is not None:
            return harvest(obs)
        if inv.get("sapling", 0) == 0:
            return gather(obs, ("grass",), "sapling", 1)
        if inv.get("stone", 0) < 6:
            return gather(obs, ("stone",), "stone", 9, ROCK)
        return plant(obs)
    if "defeat_skeleton" not in done:
        return hunt(obs, "skeleton")
    return obs
