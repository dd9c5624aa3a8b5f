"""Goal ids are paths: a caller's goal id, then words for what it asks for."""

import re


def slug(name: str) -> str:
    """Words as one part of a goal id or a file name: ``find a tree`` -> ``find-a-tree``."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "unnamed"
