"""Types of the benchmarks' arguments: faults in them are found before anything is measured."""

import argparse
from pathlib import Path

from nodes.config import ConfigError


def positive(text: str) -> int:
    """A number of something of which there is at least one."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None
    if number < 1:
        raise argparse.ArgumentTypeError(f"it is at least 1, not {number}")
    return number


def output_file(text: str) -> Path:
    """A file that is written in the end; an existing one is left as it is until then."""
    path = Path(text)
    try:
        path.open("a", encoding="utf-8").close()
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{path} cannot be written: {error.strerror}") from None
    return path


def device(text: str) -> str:
    """A device of this machine that the learner can use."""
    from nodes.learner.gpu import check_there  # with the bus, which other benchmarks do not need

    try:
        check_there(text)
    except ConfigError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text
