"""Plant a sapling, wall it in and eat it when it is ripe."""


def action(obs):
    for _ in range(4):
        if obs.achievements.get("eat_plant", 0):
            return
        if way_to(obs, ("plant", "ripe plant")) is None:
            obs = plant(obs)
        obs = harvest(obs)
