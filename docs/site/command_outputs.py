"""Makes docs/command_outputs.md: `make command-outputs`, python -m docs.site.command_outputs.

Every command of docs/site/typed_commands.yaml is typed in a new folder, against real launches, and
what it prints is written down. If one does not end as stated, the page stays as it was.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from docs.site.staged_pages import ROOT

PAGE = ROOT / "docs" / "command_outputs.md"
TYPED = Path(__file__).with_name("typed_commands.yaml")
_PATIENCE = 300.0  # seconds for one command, and for the end of a launch
_WIDTH = 150  # characters of the terminal
_LINES = 14  # of an output that are shown, unless a step says more or fewer


class Typed(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One command. ``ctrl_c``: seconds after which Ctrl-C is typed. ``names``: words of the command
    in capitals, each with the shell command whose output stands for it."""

    type: str
    ctrl_c: float | None = None
    lines: int = _LINES
    hidden: bool = False  # typed, and not shown: it prepares the next one
    names: dict[str, str] = {}


class Part(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A heading with its commands. ``launch``: what runs in another terminal meanwhile."""

    heading: str
    launch: str = ""
    ready: str = "all nodes are ready"
    ends: bool = False  # the launch is waited for, rather than ended by Ctrl-C
    commands: list[Typed]


class Definition(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """``elsewhere``: commands that are not typed here, and where their output stands."""

    files: dict[str, str]
    parts: list[Part]
    elsewhere: dict[str, str]


def definition() -> Definition:
    return msgspec.yaml.decode(TYPED.read_bytes(), type=Definition)


def page(place: Path) -> str:
    """Type everything in a folder. Raises SystemExit where commands did not end as stated."""
    given = definition()
    failed: list[str] = []
    for name, text in given.files.items():
        (place / name).write_text(text)
    shutil.copytree(ROOT / "docs" / "examples", place / "docs" / "examples")
    parts = [
        "# What each command prints\n",
        "Made by `make command-outputs`: each command was typed in one folder, in this order, and\n"
        "this is what it printed. `...` stands for lines that are left out.\n",
    ]
    for part in given.parts:
        parts.append(f"## {part.heading}\n")
        if part.launch:
            parts.append(f"Meanwhile, in another terminal:\n`{part.launch}`\n")
        with _launched(place, part):
            for stated in part.commands:
                each = _with_names(place, stated)
                code, shown = _typed(place, each)
                if code not in (0, 130 if each.ctrl_c is not None else 0):
                    failed.append(f"{each.type} ended with {code}:\n{shown}")
                if not each.hidden:
                    parts.append(f"```text\n$ {each.type}\n{shown}```\n")
    if failed:
        raise SystemExit("\n".join(failed))
    parts.append("## Elsewhere\n")
    parts += [f"* `{name}`: {why}" for name, why in given.elsewhere.items()]
    return "\n".join(parts) + "\n"


@contextmanager
def _launched(place: Path, part: Part) -> Iterator[None]:
    """The launch of a part meanwhile, where it has one."""
    if not part.launch:
        yield
        return
    said = place / "launch.txt"
    with said.open("w") as out:
        launch = subprocess.Popen(
            ["sh", "-c", f"exec {part.launch}"],
            cwd=place,
            env=_environment(place),
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait(said, part.ready)
        yield
    finally:
        if not part.ends:
            launch.send_signal(signal.SIGINT)
        try:
            launch.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            launch.terminate()
            raise SystemExit(f"{part.launch} did not end: {said.read_text()[-2000:]}") from None


def _wait(said: Path, words: str) -> None:
    until = time.monotonic() + _PATIENCE
    while words not in said.read_text():
        if time.monotonic() > until:
            raise SystemExit(f"the launch did not print {words!r}: {said.read_text()[-2000:]}")
        time.sleep(0.1)


def _with_names(place: Path, stated: Typed) -> Typed:
    words = stated.type
    for name, shell in stated.names.items():
        found = subprocess.run(
            ["sh", "-c", shell],
            cwd=place,
            env=_environment(place),
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
        )
        words = words.replace(name, found.stdout.strip() or name)
    return msgspec.structs.replace(stated, type=words)


def _typed(place: Path, typed: Typed) -> tuple[int, str]:
    """The exit code and the output, stdout and stderr as a terminal has them."""
    process = subprocess.Popen(
        ["sh", "-c", f"exec {typed.type}" if typed.ctrl_c is not None else typed.type],
        cwd=place,
        env=_environment(place),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    if typed.ctrl_c is not None:
        time.sleep(typed.ctrl_c)
        os.killpg(process.pid, signal.SIGINT)  # a terminal's Ctrl-C reaches the whole group
    try:
        text, _ = process.communicate(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        text = f"{process.communicate()[0]}did not end within {_PATIENCE:g} s\n"
    print(f"{process.returncode:>4}  {typed.type}", flush=True)
    lines = [line[:_WIDTH].rstrip() for line in _without_paths(text, place).splitlines()]
    if len(lines) > typed.lines:
        lines = [*lines[: typed.lines], "..."]
    return process.returncode, "".join(f"{line}\n" for line in lines)


def _without_paths(text: str, place: Path) -> str:
    """With paths as seen from the folder of the project or of the commands, and without the name
    of the kernel's build."""
    for folder in (place, ROOT):
        text = text.replace(f"{folder}/", "").replace(str(folder), ".")
    return re.sub(r"(Linux-\d+\.\d+)\S*", r"\1", text)


def _environment(place: Path) -> dict[str, str]:
    """With `rlgpt` on the path, whichever way this Python was called."""
    bin = place / "bin"
    bin.mkdir(exist_ok=True)
    (bin / "rlgpt").write_text(f'#!/bin/sh\nexec {sys.executable} -m rlgpt.main "$@"\n')
    (bin / "rlgpt").chmod(0o755)
    path = f"{bin}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": str(_WIDTH)}


def main() -> None:
    argparse.ArgumentParser(description="Make docs/command_outputs.md.").parse_args()
    with tempfile.TemporaryDirectory(prefix="rlgpt-typed-") as place:
        PAGE.write_text(page(Path(place)))


if __name__ == "__main__":
    main()
