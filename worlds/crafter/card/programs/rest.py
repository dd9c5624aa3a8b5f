"""Sleep in a closed place until rested."""


def action(obs):
    while obs.energy == 9:
        obs = live(noop())
    while not obs.achievements.get("wake_up", 0):
        start = obs.steps
        obs = shelter(obs)
        if obs.steps == start:
            obs = noop()
