"""The End: `generate.py` fills a rectangle of it."""
