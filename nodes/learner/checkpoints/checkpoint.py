"""Checkpoints: written so that a kill at any moment leaves a whole one, read without running code.

A checkpoint is one file of state dicts and counters. The previous one is kept beside it, in case
the disk loses the newer. If both are bad, the caller starts the policy over and reports it.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from models.archive_damage import damaged_part
from nodes.common.skills.skills import CHECKPOINT

FORMAT = 1
NAME = CHECKPOINT
PREVIOUS = "checkpoint.previous.pt"
CORRUPT = "checkpoint.corrupt.pt"


class BadCheckpoint(Exception):
    """A checkpoint can't be read; the message names it and the reason."""


def save(folder: Path, state: dict[str, Any]) -> None:
    """Write ``folder/checkpoint.pt``; the one that was there becomes the previous one.

    ``state`` holds tensors, numbers, strings, and dicts and lists of them.
    """
    folder.mkdir(exist_ok=True)  # a run folder that was removed stays so
    newest, previous = folder / NAME, folder / PREVIOUS
    unfinished = _written(newest, state)
    if newest.exists():
        # A second name first, so that there is never a moment without a checkpoint.
        link = folder / f"{PREVIOUS}.link"
        link.unlink(missing_ok=True)
        os.link(newest, link)
        os.replace(link, previous)
    os.replace(unfinished, newest)
    _keep_names(folder)


def write(path: Path, state: dict[str, Any]) -> None:
    """Write a file beside the checkpoint, whole or not at all; ``read`` reads it."""
    path.parent.mkdir(exist_ok=True)
    os.replace(_written(path, state), path)
    _keep_names(path.parent)


def load(
    folder: Path,
    check: Callable[[dict[str, Any]], object] = lambda state: None,
    reads_only: bool = False,
) -> tuple[dict[str, Any] | None, list[str]]:
    """The newest checkpoint that is whole, if there is one, and one sentence about each bad one.
    ``check`` raises for a state that its reader cannot use.

    If the newest is bad it is renamed to ``checkpoint.corrupt.pt``, so that the next save does not
    replace the whole previous one with it; not with ``reads_only``: a skill library may be another
    user's, and to a newer version of this project its checkpoint may be a good one."""
    problems: list[str] = []
    for name in (NAME, PREVIOUS):
        path = folder / name
        if not path.exists():
            continue
        try:
            return _checked(path, check), problems
        except BadCheckpoint as error:
            problems.append(str(error))
            if name == NAME and not reads_only:
                os.replace(path, folder / CORRUPT)
    return None, problems


def read(path: Path) -> dict[str, Any]:
    """One checkpoint.

    Raises:
        BadCheckpoint: it is truncated, corrupt, of another format, or holds more than data.
    """
    try:
        if damaged := damaged_part(path):
            raise BadCheckpoint(f"The checkpoint {path} is corrupt: {damaged} fails its checksum.")
        state = torch.load(path, map_location="cpu", weights_only=True)
    except BadCheckpoint:
        raise
    except Exception as error:  # zipfile, torch and the unpickler raise all sorts on bad bytes
        reason = str(error).strip().splitlines()
        detail = reason[0] if reason else type(error).__name__
        why = detail.rstrip(".")
        raise BadCheckpoint(f"The checkpoint {path} can't be read: {why}.") from error
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise BadCheckpoint(f"The checkpoint {path} is not of format {FORMAT}.")
    return state


def _checked(path: Path, check: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    state = read(path)
    try:
        check(state)
    except Exception as error:  # a file's contents can be wrong in any way
        lacks = isinstance(error, KeyError)
        why = f"it has no {error}" if lacks else " ".join(str(error).split())[:200]
        raise BadCheckpoint(f"The checkpoint {path} does not hold a training: {why}.") from error
    return state


def _written(path: Path, state: dict[str, Any]) -> Path:
    """A file beside ``path`` with the state, synchronised to the disk.

    Raises:
        OSError: it cannot be written, and nothing of it is left: a part would keep a full disk
            full. It names ``path``.
    """
    unfinished = path.with_name(f"{path.name}.unfinished")
    try:
        with unfinished.open("wb") as file:
            torch.save({"format": FORMAT, **state}, file)
            file.flush()
            os.fsync(file.fileno())
    except (OSError, RuntimeError) as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        # Torch raises an error of its own in the place of the disk's.
        why = error if isinstance(error, OSError) else error.__context__
        if not isinstance(why, OSError):
            raise
        raise OSError(why.errno, why.strerror, str(path)) from error
    return unfinished


def _keep_names(folder: Path) -> None:
    """Synchronise a folder's directory entries, so that renames in it survive a crash."""
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
