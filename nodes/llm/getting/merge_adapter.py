"""Merges an adapter into its base: a program for the Python of the vLLM environment.

    python merge_adapter.py SETTINGS.json

On a CPU an adapter costs most of the speed of an answer; merged it costs nothing.
"""

import json
import sys
from pathlib import Path

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer


def main() -> int:
    settings = json.loads(Path(sys.argv[1]).read_bytes())
    model = AutoModelForCausalLM.from_pretrained(
        settings["base"], dtype=torch.bfloat16, local_files_only=True
    )
    adapted = PeftModel.from_pretrained(model, settings["adapter"], autocast_adapter_dtype=False)
    adapted.merge_and_unload().save_pretrained(settings["into"])
    tokenizer = AutoTokenizer.from_pretrained(settings["base"], local_files_only=True)
    tokenizer.save_pretrained(settings["into"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
