"""What NVIDIA's driver reports about the cards of this machine."""

import shutil
import subprocess

import msgspec

from messages.gpu import Gpu

_FIELDS = "index,name,memory.total,memory.used,memory.free,driver_version,compute_cap"
_PATIENCE = 10.0  # seconds; a card whose driver hangs is no card


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """One card with what decides whether vLLM runs on it."""

    gpu: Gpu
    driver: str
    capability: str  # "8.6" for an RTX 3090


def cards() -> list[Card]:
    """The cards that ``nvidia-smi`` names, none where there is no driver."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    try:
        printed = subprocess.run(
            [program, f"--query-gpu={_FIELDS}", "--format=csv,noheader,nounits"],
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    found = [_card(line) for line in printed.splitlines()]
    return [card for card in found if card is not None]


def _card(line: str) -> Card | None:
    fields = [field.strip() for field in line.split(",")]
    try:
        index, name, total, used, free, driver, capability = fields
        gpu = Gpu(index=int(index), name=name, total=int(total), used=int(used), free=int(free))
    except ValueError:  # "[N/A]" of a card that reports nothing about itself
        return None
    return Card(gpu=gpu, driver=driver, capability=capability)
