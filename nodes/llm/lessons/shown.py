"""Where the examples of ``llm.examples`` come from: a file, or the rulebook's lessons."""

import os
from pathlib import Path

from nodes.llm.examples.example_library import Library
from nodes.llm.lessons.lessons import to_show

RULEBOOK = "rulebook"
"""Instead of a file: the rulebook's answers, made when the node starts, the same ones each time."""
DEFAULT_COUNTS = {
    "PlanQuestion": 600,
    "DecomposeQuestion": 400,
    "ProgramQuestion": 400,
    "SpecQuestion": 100,
}


def library(examples: str) -> Library:
    """Raises ValueError where there is no such file, or it cannot be used; one sentence."""
    if examples == RULEBOOK:
        return Library(to_show(DEFAULT_COUNTS, seed=0))
    try:
        return Library.of_file(Path(os.path.expanduser(examples)).absolute())
    except ValueError as error:
        raise ValueError(
            f"llm.examples: {error}; `rlgpt llm examples FILE` makes such a file, and "
            f"llm.examples={RULEBOOK} needs none."
        ) from None
