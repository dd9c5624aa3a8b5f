"""The picture of what the player sees: one ray a pixel, our own textures, and what lies over it."""
