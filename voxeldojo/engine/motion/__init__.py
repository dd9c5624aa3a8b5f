"""What happens by itself: light, fluids, falling blocks, growth, fire, explosions, portals."""
