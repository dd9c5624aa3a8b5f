"""Seeing the embedded world: pictures of it, and playing in it by hand."""
