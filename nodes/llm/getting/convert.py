"""A GGUF file as a folder of safetensors, tokenizer and chat template: a program for the Python of
the vLLM environment, which has the libraries for it.

    python convert.py MODEL.gguf FOLDER '{"tied": true}'

The last line that it prints is JSON: ``{"parameters": ...}``, or ``{"refused": "why"}``.
"""

import json
import sys
from pathlib import Path
from typing import Any


class Unfit(Exception):
    """Why the file is not converted."""


def convert(gguf: Path, folder: Path, tied: bool | None) -> dict[str, Any]:
    """``tied``: whether the model has one matrix for embeddings and output; None: as in the file.

    Raises:
        Unfit: in one sentence.
    """
    _check_architecture(gguf)
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    read = {"gguf_file": gguf.name, "local_files_only": True}
    tokenizer = AutoTokenizer.from_pretrained(str(gguf.parent), **read)
    if not (tokenizer.chat_template or "").strip():
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
    return {"parameters": model.num_parameters()}


def _check_architecture(gguf: Path) -> None:
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


def _text(fields: dict[str, Any], name: str) -> str:
    return str(fields[name].contents()) if name in fields else ""


def main() -> int:
    wanted = json.loads(sys.argv[3])
    try:
        result = convert(Path(sys.argv[1]), Path(sys.argv[2]), wanted["tied"])
    except Unfit as error:
        result = {"refused": str(error)}
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
