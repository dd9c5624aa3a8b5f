"""The checkout that the program runs from, as git sees it."""

import subprocess
from pathlib import Path

DIRTY = "-dirty"
CHECKOUT = Path(__file__).resolve().parents[3]
# Tables are written into the checkout while it is at work.
_WHERE = ("--", ".", ":(exclude)results")


def current_commit() -> str | None:
    """The checkout's commit, with `-dirty` where tracked files were changed; None outside one."""
    head = _git("rev-parse", "HEAD")
    if not head:
        return None
    changed = _git("status", "--porcelain", "--untracked-files=no", *_WHERE)
    return f"{head}{DIRTY}" if changed else head


def changes() -> str:
    """What was changed in tracked files since the commit, as a diff."""
    return _git("diff", "HEAD", *_WHERE)


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=CHECKOUT, capture_output=True, text=True, timeout=10.0
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
