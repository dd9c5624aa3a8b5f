"""Folders that the user names: what is wrong with one, in words."""

from pathlib import Path

_LONGEST = 240  # bytes of a name: beside it lies `.NAME.part` while it is made


def no_folder(path: Path) -> str:
    """Why ``path`` is no folder, in words; "" where it is one."""
    if path.is_dir():
        return ""
    return "it is a file" if path.exists() else "there is no such folder"


def unfit_name(name: str) -> str:
    """Why ``name`` cannot be the name of a folder in another one, in words; "" where it can."""
    if not name:
        return "it is empty"
    if "/" in name:
        return "it has a / in it"
    if name.startswith("."):
        return "it begins with a dot"
    if not name.isprintable():
        return "it has characters in it that cannot be printed"
    return "it is too long" if len(name.encode(errors="replace")) > _LONGEST else ""
