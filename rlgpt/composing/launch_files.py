"""``rlgpt launch --list``: what can be launched from here."""

from pathlib import Path

import msgspec

from rlgpt.composing.composition import launch_files
from rlgpt.inspecting.output import json_line
from rlgpt.report.words import plain, shortened
from rlgpt.runs.typed import short_path
from rlgpt.terminal import plain_table, print_table


class LaunchFile(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    file: str
    about: str  # the first sentence of its first comment


def list_launch_files(json: bool) -> int:
    """Print the launch files, those of ``./launch`` first."""
    listed = [
        LaunchFile(name=name, file=short_path(path), about=about(path))
        for name, path in launch_files().items()
    ]
    if json:
        print(json_line(listed))
        return 0
    table = plain_table("name", "what it is", "file")
    for each in listed:
        table.add_row(each.name, shortened(plain(each.about), 90), each.file)
    print_table(table if listed else "there are no launch files here")
    return 0


def about(path: Path) -> str:
    """The first sentence of a launch file's comment; empty if there is none."""
    if not path.is_file():  # a pipe may keep its reader waiting
        return ""
    try:
        lines = path.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    comment: list[str] = []
    for line in lines:
        if not line.startswith("#"):
            break
        text = line.removeprefix("#").strip()
        if not text:
            break
        comment.append(text)
    return " ".join(comment).partition(". ")[0].rstrip(".:")
