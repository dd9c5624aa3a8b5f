"""The endless overworld from a seed: its ground, its plants, and the window around the player."""
