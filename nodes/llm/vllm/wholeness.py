"""Whether a folder of weights is whole, and has what a conversation needs, before vLLM spends a
minute on finding out."""

from pathlib import Path
from typing import Any

import msgspec

from messages.undecodable import UNDECODABLE
from nodes.llm import manifest
from nodes.llm.getting.known_models import name_of
from nodes.llm.vllm.safetensors_header import cut

_GET_AGAIN = "get that file again from where the weights come from"
_TOKENIZERS = (
    *("tokenizer.json", "*.model", "tokenizer.model.*", "tekken.json", "vocab.*", "*.tiktoken"),
    "*.gguf",  # it has its own
)
_NAME_ONE = "name a template with llm.arguments=[--chat-template,FILE]"
_NO_TEMPLATE = (
    "it has no chat template (no tokenizer_config.json, no chat_template.jinja): get those files "
    f"from where the weights come from, or {_NAME_ONE}"
)


def problem(folder: Path, arguments: list[str], thorough: bool = False) -> str:
    """What is wrong with a folder of weights and what to do, in words; "" where nothing is.
    ``arguments`` are those of `vllm serve`, which may bring a tokenizer or a chat template along;
    ``thorough``: also the digests of the large files are compared."""
    return (
        _changed(folder, thorough)
        or _undecodable(folder / "config.json")
        or _half(folder)
        or _pickled(folder, arguments)
        or _without_tokenizer(folder, arguments)
        or _without_chat_template(folder, arguments)
    )


def _changed(folder: Path, thorough: bool) -> str:
    """What is not as the command recorded it that made the folder."""
    try:
        recorded = manifest.read(folder)
        wrong = manifest.missing(folder, recorded, thorough) if recorded is not None else ""
    except ValueError as error:
        return f"{error}: delete the folder and make it again"
    if recorded is None or not wrong:
        return ""
    known = None if recorded.trained else name_of(recorded.model)
    again = f"get it again with `rlgpt llm get {known}`" if known else "make it again"
    return f"{wrong}, by {manifest.NAME}: delete the folder and {again}"


def _undecodable(path: Path) -> str:
    """Of a file of JSON that has an object."""
    try:
        msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, *UNDECODABLE) as error:
        return f"{path.name} cannot be read ({error}): {_GET_AGAIN}"
    return ""


class _Index(msgspec.Struct):
    weight_map: dict[str, str]


def _half(folder: Path) -> str:
    """Shards that are not there, and files that are shorter than their own headers state."""
    index = folder / "model.safetensors.index.json"
    try:
        shards = set(msgspec.json.decode(index.read_bytes(), type=_Index).weight_map.values())
    except FileNotFoundError:
        shards: set[str] = set()
    except (OSError, *UNDECODABLE) as error:
        return f"{index.name} cannot be read ({error}): {_GET_AGAIN}"
    if absent := sorted(name for name in shards if not (folder / name).is_file()):
        return (
            f"{', '.join(absent)} of {len(shards)} files missing: get what is missing from where "
            "the others come from"
        )
    for path in sorted(folder.glob("*.safetensors")):
        if wrong := cut(path):
            return f"{path.name} {wrong}: {_GET_AGAIN}"
    return ""


def _pickled(folder: Path, arguments: list[str]) -> str:
    """Weights that are only there as pickles, which are programs: this project loads none, and
    whether such a file is whole is not known before it is loaded."""
    if _given("--load-format", arguments) or any(folder.glob("*.safetensors")):
        return ""
    found = sorted(each.name for each in folder.glob("pytorch_model*.bin"))
    if not found:
        return ""
    return (
        f"its weights are pickles ({found[0]}), which are not loaded: get the *.safetensors of the "
        "same model, or convert them"
    )


def _without_tokenizer(folder: Path, arguments: list[str]) -> str:
    """Weights without a tokenizer, or with one that cannot be read. A folder without weights is
    for tests (`--load-format dummy`)."""
    if _given("--tokenizer", arguments) or not any(folder.glob("*.safetensors")):
        return ""
    tokenizer = folder / "tokenizer.json"
    if tokenizer.exists():
        return _undecodable(tokenizer)
    if any(next(folder.glob(name), None) for name in _TOKENIZERS):
        return ""
    return (
        "it has no tokenizer (tokenizer.json, or tokenizer.model and the like): get those files "
        "from where the weights come from"
    )


def _given(option: str, arguments: list[str]) -> bool:
    return any(each == option or each.startswith(f"{option}=") for each in arguments)


def _without_chat_template(folder: Path, arguments: list[str]) -> str:
    """A model without a chat template completes texts; it cannot be asked questions."""
    if _given("--chat-template", arguments) or _given("--tokenizer", arguments):
        return ""
    # It is taken before that of the tokenizer's configuration, even where it is empty.
    if beside := sorted(path for path in folder.glob("chat_template*") if path.is_file()):
        return _blank(beside)
    if (folder / "tekken.json").exists():
        return ""
    path = folder / "tokenizer_config.json"
    if not path.exists():
        # Tokenizers of other kinds may have their own; what they lack, vLLM reports.
        return _NO_TEMPLATE if (folder / "tokenizer.json").exists() else ""
    if wrong := _undecodable(path):
        return wrong
    template = msgspec.json.decode(path.read_bytes(), type=dict[str, Any]).get("chat_template")
    if template and not (isinstance(template, str) and template.isspace()):
        return ""
    return (
        "its tokenizer has no chat template: it is a base model; take an instruct one, or "
        f"{_NAME_ONE}"
    )


def _blank(templates: list[Path]) -> str:
    """Of files with nothing in them, of which a model would be sent nothing either."""
    for path in templates:
        try:
            if not path.read_bytes().strip():
                return f"{path.name} is empty: {_GET_AGAIN}, or {_NAME_ONE}"
        except OSError as error:
            return f"{path.name} cannot be read ({error.strerror}): {_GET_AGAIN}"
    return ""
