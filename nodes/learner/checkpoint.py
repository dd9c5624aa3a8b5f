"""Checkpoints: written so that a kill at any moment leaves a whole one, read without running code.

A checkpoint is one file of state dicts and counters. The one before is kept beside it, for the day
a disk loses the newer. Where both are bad, the caller starts the policy over and says so.
"""

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

FORMAT = 1
NAME = "checkpoint.pt"
PREVIOUS = "checkpoint.previous.pt"
CORRUPT = "checkpoint.corrupt.pt"


class BadCheckpoint(Exception):
    """A checkpoint can't be read; the message says which and why."""


def save(folder: Path, state: dict[str, Any]) -> None:
    """Write ``folder/checkpoint.pt``; the one that was there becomes the previous one.

    ``state`` holds tensors, numbers, strings, and dicts and lists of them.
    """
    folder.mkdir(parents=True, exist_ok=True)
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
    """A file beside the checkpoint, whole or not there; ``read`` reads it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.replace(_written(path, state), path)
    _keep_names(path.parent)


def load(
    folder: Path, check: Callable[[dict[str, Any]], object] = lambda state: None
) -> tuple[dict[str, Any] | None, list[str]]:
    """The newest checkpoint that is whole, if there is one, and what is wrong with the others in
    one sentence each. ``check`` raises where a state is not what its reader needs.

    A bad newest one is put aside as ``checkpoint.corrupt.pt``, so that the next save doesn't make
    it the previous one in place of the whole one."""
    problems: list[str] = []
    for name in (NAME, PREVIOUS):
        path = folder / name
        if not path.exists():
            continue
        try:
            return _checked(path, check), problems
        except BadCheckpoint as error:
            problems.append(str(error))
            if name == NAME:
                os.replace(path, folder / CORRUPT)
    return None, problems


def read(path: Path) -> dict[str, Any]:
    """One checkpoint.

    Raises:
        BadCheckpoint: it is truncated, corrupt, of another format, or holds more than data.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()  # torch reads on over a flipped bit, this doesn't
        if damaged is not None:
            raise BadCheckpoint(f"The checkpoint {path} is corrupt: {damaged} fails its checksum.")
        state = torch.load(path, map_location="cpu", weights_only=True)
    except BadCheckpoint:
        raise
    except Exception as error:  # zipfile, torch and the unpickler raise all sorts on bad bytes
        reason = str(error).strip().splitlines()
        detail = reason[0] if reason else type(error).__name__
        raise BadCheckpoint(f"The checkpoint {path} can't be read: {detail}") from error
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise BadCheckpoint(f"The checkpoint {path} is not of format {FORMAT}.")
    return state


def _checked(path: Path, check: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    state = read(path)
    try:
        check(state)
    except Exception as error:  # whatever can be wrong with what a file says
        lacks = isinstance(error, KeyError)
        why = f"it has no {error}" if lacks else " ".join(str(error).split())[:200]
        raise BadCheckpoint(f"The checkpoint {path} does not hold a training: {why}.") from error
    return state


def _written(path: Path, state: dict[str, Any]) -> Path:
    """The file that is to become ``path``, safe on the disk."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    with unfinished.open("wb") as file:
        torch.save({"format": FORMAT, **state}, file)
        file.flush()
        os.fsync(file.fileno())
    return unfinished


def _keep_names(folder: Path) -> None:
    """After this, the names that were given in a folder outlast a crash."""
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
