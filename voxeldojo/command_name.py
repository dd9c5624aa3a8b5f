"""The name by which a command was called: ``voxeldojo view``, or ``rlgpt world view`` where it is
part of another program."""

import os
import sys

VARIABLE = "VOXELDOJO_CALLED"
"""Environment variable: what stands before the command's own name."""


def called(command: str) -> str:
    return f"{os.environ.get(VARIABLE, 'voxeldojo')} {command}"


def refuse(command: str, sentence: object) -> None:
    """Print why a command ends, on standard error."""
    print(f"{called(command)}: {sentence}", file=sys.stderr)
