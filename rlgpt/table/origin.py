"""What a cell is run from: the checkout's commit, and the fingerprint of the world as it is now."""

import subprocess

from rlgpt.composition import CHECKOUT, compose_launch
from rlgpt.refused import Refused
from rlgpt.report.found import part
from rlgpt.table.cells import Cell
from rlgpt.world import fingerprint

DIRTY = "-dirty"


def current_commit() -> str | None:
    """The checkout's commit, with `-dirty` where tracked files were changed; None outside one."""
    head = _git("rev-parse", "HEAD")
    if not head:
        return None
    return (
        f"{head}{DIRTY}" if _git("status", "--porcelain", "--untracked-files=no", *_WHERE) else head
    )


class Fingerprints:
    """Of the worlds that cells are begun in. One takes seconds to come by: it is asked for once,
    and again only when tracked files have been changed since."""

    def __init__(self) -> None:
        self._known: dict[tuple[str | None, str], str | None] = {}

    def of(self, cell: Cell) -> str | None:
        """None where the cell is not of the embedded world, or that does not come up."""
        name, *overrides = cell.arguments
        try:
            world = part(compose_launch(name, overrides), "world").get("kind")
        except Refused:  # its launch will say so
            return None
        if world != "embedded":
            return None
        sources = (current_commit(), _git("diff", "HEAD", *_WHERE))
        if sources not in self._known:
            self._known[sources] = fingerprint()
        return self._known[sources]


# Tables are written into the checkout while it is at work.
_WHERE = ("--", ".", ":(exclude)results")


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=CHECKOUT, capture_output=True, text=True, timeout=10.0
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
