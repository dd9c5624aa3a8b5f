"""Does it fit? The arithmetic of a model and a learner on one card, in words."""

from dataclasses import dataclass
from pathlib import Path

from nodes.llm.profiles import Vllm
from nodes.llm.vllm.cards import Card
from nodes.llm.vllm.cpu_numbers import numbers_on
from nodes.llm.vllm.model_files import kv_bytes_per_token, weights_size

OVERHEAD = 1.6
"""GiB beside weights and KV cache: CUDA context, activations of the longest prompt, CUDA graphs."""
HOST_OVERHEAD = 2.6
"""GiB beside weights and KV cache on a CPU: vLLM's processes (measured with 0.5 and 1.5 B)."""
_GIB = 2**30
_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}


class DoesNotFit(ValueError):
    """The sentence has the arithmetic and what to change."""


class NotFree(DoesNotFit):
    """The model would fit if the card were not in use."""


@dataclass(frozen=True)
class Need:
    """GiB on each card that the model is split over."""

    weights: float
    cache: float  # one question of the whole context, or llm.kv_cache_memory
    per_token: float  # of the cache
    context: int
    overhead: float
    what: str  # the overhead is for

    @property
    def total(self) -> float:
        return self.weights + self.cache + self.overhead

    def __str__(self) -> str:
        return (
            f"{self.weights:.1f} GiB of weights + {self.cache:.1f} GiB of KV cache for "
            f"{self.context:,} tokens + {self.overhead:.1f} GiB for {self.what} "
            f"= {self.total:.1f} GiB"
        )


def need(profile: Vllm, weights: Path | None) -> Need | None:
    """What the model needs at least; None where neither files nor the profile have it.

    Raises:
        ValueError: ``llm.kv_cache_memory`` is no size.
    """
    size = weights_size(weights) if weights is not None else 0
    size = size or int((profile.weights_gb or 0.0) * 1e9)
    token = kv_bytes_per_token(weights) if weights is not None else None
    if token is None and profile.kv_kib_per_token is not None:
        token = int(profile.kv_kib_per_token * 1024)
    if not size or token is None:
        return None
    if numbers_on(profile.device) == "float32":
        size, token = 2 * size, 2 * token  # the files have 16 bits
    split = profile.tensor_parallel
    cache = token * profile.context
    if profile.kv_cache_memory is not None:
        cache = cache_bytes(profile.kv_cache_memory) * split
    return Need(
        weights=size / split / _GIB,
        cache=cache / split / _GIB,
        per_token=token / split / _GIB,
        context=profile.context,
        overhead=HOST_OVERHEAD if profile.device == "cpu" else OVERHEAD,
        what="its processes" if profile.device == "cpu" else "CUDA and activations",
    )


def cache_bytes(text: str) -> int:
    """``"64M"`` in bytes, at least 1. Raises ValueError."""
    number, unit = (text[:-1], text[-1:].upper()) if text[-1:].isalpha() else (text, "")
    try:
        size = int(float(number) * (_UNITS[unit] if unit else 1))
    except (ValueError, KeyError, OverflowError):  # the last of "inf"
        size = 0
    if size < 1:
        raise ValueError(f"llm.kv_cache_memory is no size: {text!r}; write 4G or 512M.")
    return size


def budget(profile: Vllm, card: Card) -> float:
    """GiB of a card that vLLM takes for itself by the profile's share."""
    return profile.memory_share * card.gpu.total / 1024


def check_memory(profile: Vllm, weights: Path | None, cards: list[Card]) -> None:
    """Refuse what cannot fit, before vLLM spends a minute on finding out.

    Raises:
        DoesNotFit: too few cards, too little memory, or too little of it free.
    """
    if len(cards) < profile.tensor_parallel:
        raise DoesNotFit(
            f"{profile.model} is to run on {profile.tensor_parallel} GPU(s) and this machine shows "
            f"{len(cards)} (nvidia-smi): use llm=openai with the URL of a server elsewhere, "
            "llm=rulebook, or llm.tensor_parallel=N."
        )
    wanted = need(profile, weights)
    for card in cards[: profile.tensor_parallel]:
        _check_card(profile, card, wanted)


def check_host_memory(profile: Vllm, weights: Path | None, free: float) -> None:
    """``free``: GiB of the machine's memory that are free.

    Raises:
        DoesNotFit: a model for the CPU does not fit into them.
    """
    wanted = need(profile, weights)
    if wanted is not None and wanted.total > free:
        raise DoesNotFit(
            f"{profile.model} needs {wanted}, and {free:.1f} GiB of this machine's memory are free:"
            " end what takes it, or take a smaller model."
        )


def host_memory() -> float:
    """GiB of this machine's memory that a new process can have; inf where it is not known."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        found = next(line for line in lines if line.startswith("MemAvailable:"))
        return int(found.split()[1]) / 2**20
    except (OSError, StopIteration, ValueError, IndexError):
        return float("inf")


def _check_card(profile: Vllm, card: Card, wanted: Need | None) -> None:
    total, free = card.gpu.total / 1024, card.gpu.free / 1024
    # A cache of a stated size is what is taken, whatever the share would give.
    stated = profile.kv_cache_memory is not None and wanted is not None
    taken = wanted.total if stated and wanted is not None else budget(profile, card)
    whose = (
        "the model" if stated else f"llm.memory_share={profile.memory_share:g} of {total:.1f} GiB"
    )
    if wanted is not None and wanted.total > taken:
        fits = int((taken - OVERHEAD - wanted.weights) / wanted.per_token)
        share = wanted.total / total
        advice = f"llm.memory_share={share + 0.005:.2f}" if share <= 0.98 else "a smaller model"
        if fits >= 2048:
            advice += f" or llm.context={fits // 1024 * 1024}"
        raise DoesNotFit(
            f"{profile.model} does not fit on the {card.gpu.name}: it needs {wanted}, and {whose} "
            f"is {taken:.1f} GiB; use {advice}."
        )
    if taken > free:
        raise NotFree(
            f"{whose} is {taken:.1f} GiB, and only {free:.1f} GiB of the {card.gpu.name}'s are "
            f"free ({card.gpu.used / 1024:.1f} GiB are in use by other processes): end those "
            f"(nvidia-smi names them), or use llm.memory_share={max(0.0, free / total - 0.01):.2f}."
        )
    if profile.gpu == "shares" and total - taken < profile.learner_memory:
        raise DoesNotFit(
            f"{whose} is {taken:.1f} GiB, which leaves {total - taken:.1f} GiB for the learner; it "
            f"needs llm.learner_memory={profile.learner_memory:g} GiB: lower llm.memory_share, or "
            "let them take turns with llm.gpu=turns."
        )
