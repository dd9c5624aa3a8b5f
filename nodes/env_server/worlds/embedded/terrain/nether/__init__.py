"""The Nether."""
