"""What NVIDIA's driver reports about the cards of this machine."""

import shutil
import subprocess


def query_cards(fields: str, patience: float) -> list[list[str]]:
    """The named fields of each card, as ``nvidia-smi`` prints them: memory in MiB, ``[N/A]`` for
    what a card does not report. Nothing where there is no driver, or where it fails or takes longer
    than ``patience`` seconds.

    Args:
        fields: those of its ``--query-gpu``, with commas between them.
    """
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    command = [program, f"--query-gpu={fields}", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=patience, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return [[field.strip() for field in line.split(",")] for line in done.stdout.splitlines()]
