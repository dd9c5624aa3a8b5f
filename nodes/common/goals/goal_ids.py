"""Goal ids are paths: the caller's goal id, then words for the part that is requested."""

import hashlib
import re
import zlib
from urllib.parse import quote

LONGEST = 60
"""Letters of a name. An id contains up to three names at each of its levels; a language model may
name a thing by a whole paragraph."""

LONGEST_FILE = 160
"""Bytes of a file's or folder's name that is made from an id. A file system allows 255; prefixes
and suffixes (``.mp4``, the draft of a file that is being written) have to fit in as well."""

_DIGEST = 16


def slug(name: str) -> str:
    """Words as one part of a goal id: ``find a tree`` -> ``find-a-tree``. What is
    longer than ``LONGEST`` is cut, and ends in a checksum of the whole: different names stay
    different."""
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "unnamed"
    if len(words) <= LONGEST:
        return words
    return f"{words[: LONGEST - 9].rstrip('-')}-{zlib.crc32(words.encode()):08x}"


def guard_slug(name: str) -> str:
    """A guard as one part of a goal id, where sub-actions of the same iteration have theirs."""
    return f"guard-{slug(name)}"


def file_name(id: str) -> str:
    """The one file or folder name of an id, wherever a file is named after it:
    ``goal/0-log/train`` -> ``goal+0-log+train``.

    No two ids share a name. Letters, digits, ``-``, ``_`` and ``.`` stay, ``/`` is ``+``, all
    else is quoted as in a URL. What is longer than ``LONGEST_FILE`` is cut and ends in ``~`` and
    a digest of the whole id; a ``~`` in an id is quoted.

    Raises:
        ValueError: the id is empty.
    """
    if not id:
        raise ValueError("an empty id names no file")
    name = quote(id, safe="", errors="surrogatepass").replace("~", "%7E").replace("%2F", "+")
    if name.startswith("."):  # neither hidden nor a folder above
        name = f"%2E{name[1:]}"
    if len(name) <= LONGEST_FILE:
        return name
    digest = hashlib.sha256(id.encode(errors="surrogatepass")).hexdigest()[:_DIGEST]
    return f"{name[: LONGEST_FILE - _DIGEST - 1]}~{digest}"
