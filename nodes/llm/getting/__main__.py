"""Gets a model's weights, or converts a GGUF file of the user's.

    python -m nodes.llm.getting NAME_OR_FILE [--into DIR] [--accept-licence LICENCE]

`rlgpt llm get` calls it.
"""

import argparse
import os
import sys
from pathlib import Path

from nodes.common.running.ending_signals import interrupted_once
from nodes.common.running.standard_error import to_stderr
from nodes.llm.getting.get import get
from nodes.llm.getting.refusals import Refused
from nodes.llm.vllm.model_files import weights_folder


def _into(folder: str | None) -> Path:
    if folder == "":
        raise Refused("--into is empty: name a folder for weights")
    return weights_folder() if folder is None else Path(os.path.expanduser(folder)).absolute()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("what")
    parser.add_argument("--into", default=None)
    parser.add_argument("--accept-licence", action="append", default=[])
    given = parser.parse_args()
    interrupted_once()
    try:
        get(given.what, _into(given.into), given.accept_licence)
    except Refused as error:
        to_stderr(str(error))
        return error.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
