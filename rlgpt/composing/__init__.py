"""Reads what a user writes: launch files with their groups and overrides, named goals, specs."""
