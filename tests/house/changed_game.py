"""The game of docs/adding_a_game.md with a change in one of its files."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CARD_FILE = "card/__init__.py"


def broken_copy(folder: Path, place: Path, file: str, old: str, new: str) -> Path:
    """The game in ``place``, with ``new`` in the place of ``old`` in one of its files."""
    broken = shutil.copytree(folder, place / "broken", ignore=shutil.ignore_patterns("runs"))
    path = broken / "quarry" / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    return broken


@contextmanager
def a_heap(folder: Path, place: Path, file: str, old: str, new: str) -> Iterator[None]:
    """Another game on the path, the page's with a change in one file."""
    heap = shutil.copytree(folder / "quarry", place / "heap")
    text = (heap / file).read_text()
    assert old in text
    (heap / file).write_text(text.replace(old, new))
    renamed = (heap / CARD_FILE).read_text().replace('name="quarry"', 'name="heap"')
    (heap / CARD_FILE).write_text(renamed)
    info = place / "heap-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: heap\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[rlgpt.games]\nheap = heap\n")
    sys.path.append(str(place))
    try:
        yield
    finally:
        sys.path.remove(str(place))
        for name in [name for name in sys.modules if name.partition(".")[0] == "heap"]:
            del sys.modules[name]
