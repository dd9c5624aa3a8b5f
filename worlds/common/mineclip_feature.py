"""MineCLIP's feature, which a policy may see in any game that has pictures and its weights."""

from worlds.card import Feature

MINECLIP = Feature(
    name="mineclip",
    size=512,
    description="MineCLIP's embedding of the picture that the player sees",
)
"""Beside a game's own features, where there are MineCLIP's weights. So is called the reward term,
too."""
