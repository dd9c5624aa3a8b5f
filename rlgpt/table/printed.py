"""What a child of a table said last, by the file that it printed into."""

from pathlib import Path


def sentence_in(log: Path) -> str:
    """The sentence with which it ended; empty if it gave none."""
    try:
        lines = log.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    found = [line.removeprefix("rlgpt: ") for line in lines if line.startswith("rlgpt: ")]
    return found[-1] if found else ""
