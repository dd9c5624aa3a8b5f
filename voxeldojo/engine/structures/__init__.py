"""Structures of the generated world: villages, mineshafts, temples and others. Kinds, spacing and
loot are Minecraft 1.11.2's; the plans are this project's own."""
