def action(obs):
    guard(obs)
