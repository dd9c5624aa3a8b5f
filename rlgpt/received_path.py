"""Paths that come from another machine or in a message: they must not lead out of their folder."""

from pathlib import Path


def leads_out(folder: Path, path: str) -> str:
    """How ``path``, which is relative to ``folder``, leads out of it, as a sentence; empty if it
    stays inside."""
    if Path(path).is_absolute() or ".." in Path(path).parts or "\0" in path:
        return f"{path!r} leads out of the folder {folder}"
    if not (folder / path).resolve().is_relative_to(folder.resolve()):
        return f"{path!r} leads out of the folder {folder} by a link"
    return ""
