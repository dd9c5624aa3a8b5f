"""Whether what is going to be written fits on the disk."""

import shutil
from pathlib import Path

from nodes.llm.getting.cpu_environment import NAME, made
from nodes.llm.getting.refusals import Refused

GB = 1e9
_ENVIRONMENT = 9 * GB
"""What the environment takes while it is made, about: wheels and what they hold."""


def check_room(folder: Path, needed: float, advice: str = "free some") -> None:
    """``needed``: bytes in ``folder``, beside the environment for vLLM where that is to be made.

    Raises:
        Refused: the disk is too full. ``advice``: what to do about it.
    """
    if not made(Path(NAME).absolute()):
        needed += _ENVIRONMENT
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise Refused(
            f"{folder} has {free / GB:.1f} GB free, and {needed / GB:.1f} GB are needed: {advice}"
        )


def size_of(folder: Path) -> int:
    """The bytes of the files of a folder of weights."""
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
