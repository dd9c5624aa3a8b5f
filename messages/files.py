"""The files conversation: a node on another machine transfers its files for the report."""

from typing import Annotated

import msgspec

from messages.bounds import NotNegative
from messages.empty import Empty
from messages.interface import Service

MOST_FILES = 10_000
"""The most files in one listing."""
PART = 1 << 20
"""Bytes of a file in one message."""


class FileEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A file as it was when it was listed; one that grows later begins with these bytes."""

    path: str  # relative to the node's folder, with "/"
    size: int  # bytes
    digest: str  # SHA-256 of these bytes, hexadecimal


class Files(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    files: Annotated[list[FileEntry], msgspec.Meta(max_length=MOST_FILES)]


class ReadFile(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    path: str  # as listed
    offset: NotNegative = 0


class FilePart(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """At most ``PART`` bytes from the offset on; none at the file's end."""

    data: Annotated[bytes, msgspec.Meta(max_length=PART)]


def list_files(node: str) -> Service[Empty, Files]:
    return Service(f"{node}/list_files", Empty, Files, idempotent=True, timeout=60.0)


def read_file(node: str) -> Service[ReadFile, FilePart]:
    return Service(f"{node}/read_file", ReadFile, FilePart, idempotent=True, timeout=10.0)
