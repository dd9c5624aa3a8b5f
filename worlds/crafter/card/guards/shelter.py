def action(obs):
    shelter(obs)
