"""A GGUF file as a folder of safetensors, tokenizer and chat template: a program for the Python of
the vLLM environment, which has the libraries for it.

    python convert.py MODEL.gguf FOLDER '{"tied": true, "accepted": ["gemma"]}'

The last line that it prints is JSON: ``{"licence": ...}``, or ``{"refused": "why"}``.
"""

import json
import sys
from pathlib import Path
from typing import Any

_OPEN = {"apache-2.0", "mit", "bsd-2-clause", "bsd-3-clause", "cc0-1.0", "unlicense"}
"""Licences that need no agreement first."""


class Unfit(Exception):
    """Why the file is not converted."""


def convert(gguf: Path, folder: Path, tied: bool | None, accepted: list[str]) -> dict[str, Any]:
    """``tied``: whether the model has one matrix for embeddings and output; None: as in the file.

    Raises:
        Unfit: in one sentence.
    """
    licence = _checked(gguf, accepted)
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    read = {"gguf_file": gguf.name, "local_files_only": True}
    tokenizer = AutoTokenizer.from_pretrained(str(gguf.parent), **read)
    if not tokenizer.chat_template:
        raise Unfit("its tokenizer has no chat template: it is a base model, take an instruct one")
    model = AutoModelForCausalLM.from_pretrained(str(gguf.parent), dtype=torch.bfloat16, **read)
    # It was quantised and is not any more; while its configuration has it, nothing is saved.
    model.hf_quantizer = None
    model.is_quantized = False
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    if tied and not model.config.tie_word_embeddings:
        # The file has the matrix twice, and the output's finer: that one serves as both.
        model.get_input_embeddings().weight = model.get_output_embeddings().weight
        model.config.tie_word_embeddings = True
        model.tie_weights()
    model.save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return {"licence": licence, "parameters": model.num_parameters()}


def _checked(gguf: Path, accepted: list[str]) -> str:
    """The licence that the file states, if it may be converted."""
    from gguf import GGUFReader
    from transformers.integrations import GGUF_CONFIG_MAPPING

    try:
        fields = GGUFReader(str(gguf)).fields
    except (ValueError, IndexError, OSError) as error:
        raise Unfit(f"it is no whole GGUF file ({error})") from None
    architecture = _text(fields, "general.architecture")
    if architecture not in GGUF_CONFIG_MAPPING:
        known = ", ".join(sorted(GGUF_CONFIG_MAPPING))
        raise Unfit(f"its architecture is {architecture or 'not stated'}, none of {known}")
    if not _text(fields, "tokenizer.chat_template"):
        raise Unfit("its tokenizer has no chat template: it is a base model, take an instruct one")
    licence = _text(fields, "general.license")
    if licence and licence.lower() not in {*_OPEN, *(name.lower() for name in accepted)}:
        raise Unfit(
            f"its licence is {licence}: read it, and if you agree add --accept-licence {licence}"
        )
    return licence


def _text(fields: dict[str, Any], name: str) -> str:
    return str(fields[name].contents()) if name in fields else ""


def main() -> int:
    wanted = json.loads(sys.argv[3])
    try:
        result = convert(
            Path(sys.argv[1]), Path(sys.argv[2]), wanted["tied"], wanted.get("accepted", [])
        )
    except Unfit as error:
        result = {"refused": str(error)}
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
