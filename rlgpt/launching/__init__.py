"""Runs a stack: starts its nodes, watches them, shows their progress and ends them."""
