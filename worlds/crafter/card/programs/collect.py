"""Collect ITEM, or take what the achievement ITEM asks for, from OF."""

ITEM = "wood"
OF = "tree"
QUANTITY = 1
ROCK = ("stone", "path", "coal", "iron", "diamond", "lava")


def action(obs):
    before = counted(obs)
    near = ROCK if OF in ROCK else ()
    while counted(obs) < before + QUANTITY:
        start = obs.steps
        if OF in ("water", "cow"):
            obs = consume(live(obs), (OF,), 9)
        else:
            item = "wood" if OF == "tree" else "sapling" if OF == "grass" else OF
            obs = gather(obs, (OF,), item, obs.inventory.get(item, 0) + 1, near)
        if obs.steps == start:
            obs = noop()


def counted(obs):
    return obs.inventory.get(ITEM, 0) + obs.achievements.get(ITEM, 0)
