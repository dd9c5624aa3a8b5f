"""Copies the files of nodes on other machines into the run folder, where the report reads them."""

import contextlib
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from messages.bus import Bus, BusError
from messages.empty import Empty
from messages.files import FileEntry, ReadFile, list_files, read_file
from nodes.common.running.file_lock import held
from rlgpt.received_path import leads_out

LARGEST = 256 << 20
"""Bytes of one file; a larger one stays where it is."""
PATIENCE = 10.0
"""Seconds for a reply of a node that may have ended."""
_TRIES = 3  # of a file that changes while it is read


class Uncollected(Exception):
    """A file that was not copied; the text is the reason."""


def collect(bus: Bus, run: Path, nodes: Iterable[str]) -> list[str]:
    """Copy the files that nodes hand over into their folders here. Returns a sentence for each
    node."""
    return [_collect(bus, run, node) for node in nodes]


def _collect(bus: Bus, run: Path, node: str) -> str:
    if held(run / node / "lock"):  # it runs here after all, and the folder is its own
        return f"{node} runs in this folder, its files are here"
    try:
        entries = bus.call(list_files(node), Empty(), timeout=PATIENCE).files
    except BusError as error:
        return f"the files of {node} were not brought here: {error}"
    problems: list[str] = []
    brought = 0
    for entry in entries:
        try:
            brought += _bring(bus, node, entry, run / node)
        except (BusError, Uncollected) as error:
            problems.append(str(error))
        except OSError as error:
            problems.append(f"{run / node / entry.path} cannot be written: {error.strerror}")
    missing = f"; {len(problems)} were not: {problems[0]}" if problems else ""
    return f"{brought} files of {node} were brought to {run.name}/{node}{missing}"


def _bring(bus: Bus, node: str, entry: FileEntry, folder: Path) -> int:
    """1 if the file was brought, 0 if it is there already."""
    target = folder / entry.path
    if problem := leads_out(folder, entry.path):
        raise Uncollected(problem)
    if entry.size > LARGEST:
        raise Uncollected(f"{entry.path} is {entry.size >> 20} MiB; at most {LARGEST >> 20}")
    if _is_there(target, entry):
        return 0
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        for _ in range(_TRIES):
            if _read(bus, node, entry, draft) == entry.digest:
                draft.replace(target)
                return 1
            # It was written again since it was listed.
            listed = bus.call(list_files(node), Empty(), timeout=PATIENCE).files
            found = [each for each in listed if each.path == entry.path]
            if not found:
                raise Uncollected(f"{entry.path} was deleted there")
            entry = found[0]
        raise Uncollected(f"{entry.path} changes while it is read")
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)


def _read(bus: Bus, node: str, entry: FileEntry, draft: Path) -> str:
    """Read as many bytes as were listed, in parts. Returns the digest of what came."""
    digest = hashlib.sha256()
    offset = 0
    with draft.open("wb") as file:
        while offset < entry.size:
            request = ReadFile(path=entry.path, offset=offset)
            data = bus.call(read_file(node), request, timeout=PATIENCE).data[: entry.size - offset]
            if not data:
                break
            digest.update(data)
            file.write(data)
            offset += len(data)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()


def _is_there(path: Path, entry: FileEntry) -> bool:
    try:
        if path.stat().st_size != entry.size:
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == entry.digest
    except OSError:
        return False
