"""Runs the program that converts (`convert.py`) in the environment that has its libraries."""

import json
import os
from pathlib import Path

import msgspec

from nodes.llm.getting.bound_programs import run_to_end
from nodes.llm.getting.cpu_environment import last_words, python_of
from nodes.llm.getting.refusals import Failed, Refused

_PROGRAM = Path(__file__).with_name("convert.py")
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}


class Converted(msgspec.Struct):
    """What the program prints last."""

    refused: str = ""
    parameters: int = 0


def convert(environment: Path, gguf: Path, folder: Path, tied: bool | None) -> Converted:
    """Convert ``gguf`` into ``folder``, which is there and empty.

    Raises:
        Refused: the file is of no use; why.
        Failed: the program ended in any other way.
    """
    wanted = json.dumps({"tied": tied})
    done = run_to_end(
        [str(python_of(environment)), "-P", str(_PROGRAM), str(gguf), str(folder), wanted],
        {**os.environ, **OFFLINE},
    )
    if done.returncode == -9:
        raise Failed(f"{gguf.name} was not converted: something killed it, as a full memory does")
    try:
        converted = msgspec.json.decode(done.stdout.strip().rpartition("\n")[2], type=Converted)
    except msgspec.DecodeError:
        raise Failed(f"{gguf.name} was not converted: {last_words(done.stderr)}") from None
    if converted.refused:
        raise Refused(f"{gguf.name} is not used: {converted.refused}")
    return converted
