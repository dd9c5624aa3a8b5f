"""Crafter 1.8.3: an open world of 64x64 cells seen from above, with 22 achievements."""
