def action(obs):
    before = obs.steps
    obs = live(obs)
    if obs.steps == before:
        noop()
