"""The player's view: one ray for each pixel, our own textures, and the heads-up display."""
