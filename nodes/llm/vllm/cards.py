"""The cards that a server of vLLM could run on."""

from collections.abc import Sequence

import msgspec

from messages.gpu import Gpu
from nodes.common.running.nvidia import query_cards

_FIELDS = "index,name,memory.total,memory.used,memory.free,driver_version,compute_cap"
_PATIENCE = 10.0  # seconds; a card whose driver hangs is no card


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """One card with what decides whether vLLM runs on it."""

    gpu: Gpu
    driver: str
    capability: str  # "8.6" for an RTX 3090


def cards() -> list[Card]:
    """The cards that ``nvidia-smi`` names, none where there is no driver."""
    found = [_card(fields) for fields in query_cards(_FIELDS, _PATIENCE)]
    return [card for card in found if card is not None]


def _card(fields: Sequence[str]) -> Card | None:
    try:
        index, name, total, used, free, driver, capability = fields
        gpu = Gpu(index=int(index), name=name, total=int(total), used=int(used), free=int(free))
    except ValueError:  # "[N/A]" of a card that reports nothing about itself
        return None
    return Card(gpu=gpu, driver=driver, capability=capability)
