"""Find a creature and defeat it."""

OF = "zombie"


def action(obs):
    hunt(obs, OF)
