def action(obs):
    consume(obs, ("water",), 8)
