"""Whether a folder of weights is whole, and has what a conversation needs, before vLLM spends a
minute on finding out."""

from pathlib import Path
from typing import Any

import msgspec

from messages.undecodable import UNDECODABLE
from nodes.llm import manifest


def problem(folder: Path, arguments: list[str]) -> str:
    """What is wrong with a folder of weights, in words; "" where nothing is. ``arguments`` are
    those of `vllm serve`, which may bring a chat template along."""
    try:
        recorded = manifest.read(folder)
        wrong = manifest.missing(folder, recorded) if recorded is not None else ""
    except ValueError as error:
        wrong = str(error)
    return wrong or _half(folder) or _speechless(folder, arguments)


def _half(folder: Path) -> str:
    """Shards that are not there, and files that are shorter than their own headers state."""
    index = folder / "model.safetensors.index.json"
    try:
        shards = set(msgspec.json.decode(index.read_bytes())["weight_map"].values())
    except FileNotFoundError:
        shards: set[str] = set()
    except (KeyError, TypeError, AttributeError, *UNDECODABLE) as error:
        return f"{index.name} cannot be read ({error})"
    if absent := sorted(name for name in shards if not (folder / name).is_file()):
        return f"{', '.join(absent)} of {len(shards)} files missing"
    for path in sorted(folder.glob("*.safetensors")):
        if wrong := _cut(path):
            return f"{path.name} {wrong}"
    return ""


def _cut(path: Path) -> str:
    """A safetensors file begins with the length of a table, and the table of where each tensor
    is."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= min(size, 100_000_000):
            return "is no safetensors file"
        try:
            table: dict[str, Any] = msgspec.json.decode(file.read(length))
            ends = [row["data_offsets"][1] for name, row in table.items() if name[0] != "_"]
        except (KeyError, TypeError, IndexError, AttributeError, *UNDECODABLE):
            return "is no safetensors file"
    whole = 8 + length + max(ends, default=0)
    return f"has {size:,} bytes of {whole:,}" if size < whole else ""


def _speechless(folder: Path, arguments: list[str]) -> str:
    """A model without a chat template completes texts; it cannot be asked questions."""
    if "--chat-template" in arguments or any(a.startswith("--chat-template=") for a in arguments):
        return ""
    if any(folder.glob("chat_template*")) or (folder / "tekken.json").exists():
        return ""
    try:
        config = msgspec.json.decode((folder / "tokenizer_config.json").read_bytes())
    except (OSError, *UNDECODABLE):
        return ""  # vLLM reports what it lacks
    if isinstance(config, dict) and config.get("chat_template"):
        return ""
    return (
        "its tokenizer has no chat template: it is a base model; take an instruct one, or name a "
        "template with llm.arguments=[--chat-template,FILE]"
    )
