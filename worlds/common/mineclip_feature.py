"""MineCLIP's feature, for policies of any game with pictures, if its weights are installed."""

from worlds.card import Feature

MINECLIP = Feature(
    name="mineclip",
    size=512,
    description="MineCLIP's embedding of the player's view",
)
"""The feature that joins a game's own features if MineCLIP's weights are installed. The reward term
has the same name."""
