"""The End."""
