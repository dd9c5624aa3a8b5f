"""Place OF beside the player."""

OF = "stone"


def action(obs):
    put(obs, OF)
