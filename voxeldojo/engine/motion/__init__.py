"""Changes of blocks by themselves: light, fluids, falling blocks, growth, fire, explosions,
portals."""
