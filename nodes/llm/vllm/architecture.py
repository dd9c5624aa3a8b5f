"""Whether the vLLM of an environment serves what config.json names, by vLLM's own list of models.
Its file is read and not imported: that would take seconds."""

import ast
from pathlib import Path
from typing import Any

import msgspec

from messages.undecodable import UNDECODABLE

_PACKAGES = "lib/python3.*/site-packages"
_LIST = "vllm/model_executor/models/registry.py"
_OTHERS = "transformers/models/auto/modeling_auto.py"
_ANSWERING = "_TEXT_GENERATION_MODELS"
_ALSO = ("_MULTIMODAL_MODELS", "_TRANSFORMERS_SUPPORTED_MODELS", "_TRANSFORMERS_BACKEND_MODELS")
_WRITES = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
"""How the architectures end that write answers, and those that vLLM may take from transformers."""


def examine(folder: Path, arguments: list[str], program: Path | None) -> tuple[bool | None, str]:
    """Whether weights in ``folder`` can be served by ``program``, and in words what they are; None:
    it is not known. ``arguments``: those of `vllm serve`, which may name another architecture."""
    if any(each.startswith("--hf-overrides") for each in arguments):
        return None, "as --hf-overrides in llm.arguments has it; it was not checked"
    config: Any = {}
    try:
        config = msgspec.json.decode((folder / "config.json").read_bytes())
        named = [str(each) for each in config.get("architectures") or []]
    except (OSError, AttributeError, TypeError, *UNDECODABLE):
        named = []
    if not named:
        return False, (
            "config.json names none (`architectures`), so vLLM cannot tell how to serve the "
            "weights: get that file again from where they come from"
        )
    return _served(named, bool(config.get("auto_map")), program)


def refused(folder: Path, arguments: list[str], program: Path | None) -> str:
    """Why ``program`` cannot serve the weights in ``folder``, in words; "" where it can, or where
    there is no list of vLLM's models to look in."""
    well, words = examine(folder, arguments, program)
    return words if well is False and _known(program) is not None else ""


def _served(named: list[str], own_code: bool, program: Path | None) -> tuple[bool | None, str]:
    which = ", ".join(named)
    known = _known(program)
    if known is None:
        return None, f"{which}; it was not checked, as there is no list of vLLM's models here"
    if known.intersection(named):
        return True, which
    if own_code or _of_transformers(named, program):
        return None, f"{which} is not in vLLM's list, it may serve it all the same; not checked"
    return False, (
        f"{which} is not one that this vLLM serves: take weights of another model (docs/vllm.md "
        "names some), or a vLLM that serves it"
    )


def _known(program: Path | None) -> set[str] | None:
    """The architectures that answer, by vLLM's list; None where there is no such list."""
    text = _text(program, _LIST)
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return None
    lists = {
        target.id: each.value
        for each in body
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Dict)
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    if _ANSWERING not in lists:
        return None
    wanted = [lists[name] for name in (_ANSWERING, *_ALSO) if name in lists]
    keys = [key for each in wanted for key in each.keys if isinstance(key, ast.Constant)]
    return {str(key.value) for key in keys}


def _of_transformers(named: list[str], program: Path | None) -> bool:
    text = _text(program, _OTHERS)
    return any(each.endswith(_WRITES) and f'"{each}"' in text for each in named)


def _text(program: Path | None, name: str) -> str:
    """A file of the environment that ``program`` is in; "" where it is not there."""
    if program is None:
        return ""
    for packages in program.parent.parent.glob(_PACKAGES):
        try:
            return (packages / name).read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
    return ""
