"""Goal ids are paths: a caller's goal id, then words for what it asks for."""

import re
import zlib

LONGEST = 60
"""Letters of a name. An id is a folder's name too, with up to three names in it, and a file system
takes 255 letters; a language model may call a thing by a whole paragraph."""


def slug(name: str) -> str:
    """Words as one part of a goal id or a file name: ``find a tree`` -> ``find-a-tree``. What is
    longer than ``LONGEST`` is cut, and ends in a checksum of the whole: different names stay
    different."""
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "unnamed"
    if len(words) <= LONGEST:
        return words
    return f"{words[: LONGEST - 9].rstrip('-')}-{zlib.crc32(words.encode()):08x}"
