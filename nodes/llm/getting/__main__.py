"""Gets a model's weights, or converts a GGUF file of the user's.

    python -m nodes.llm.getting NAME_OR_FILE [--into DIR] [--accept-licence LICENCE]

`rlgpt llm get` calls it.
"""

import argparse
import sys
from pathlib import Path

from nodes.llm.getting.get import get
from nodes.llm.getting.refusals import Refused
from nodes.llm.vllm.model_files import weights_folder


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("what")
    parser.add_argument("--into", type=Path, default=None)
    parser.add_argument("--accept-licence", action="append", default=[])
    given = parser.parse_args()
    into = (given.into or weights_folder()).expanduser().absolute()
    try:
        get(given.what, into, given.accept_licence)
    except Refused as error:
        print(f"rlgpt: {error}", file=sys.stderr)
        return error.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
