"""Whether a host of a cluster has a run: a file of the run folder, with the host's address."""

from pathlib import Path

from rlgpt.refused import Refused

AWAY = "away"
"""A file of the run folder while a host has it, or was lost with it."""


def is_away(run: Path) -> bool:
    """Whether a launch cannot be continued from what is here of it."""
    return (run / AWAY).exists()


def check_here(run: Path) -> None:
    """Raises Refused where a run cannot be continued from what is here of it."""
    if not is_away(run):
        return
    raise Refused(
        f"{run} was not brought back from the host of a cluster that had it (its file `{AWAY}` has "
        "which), so that parts of it are missing: `rlgpt table` begins such a cell again; to go on "
        f"with what is here all the same, delete {run / AWAY}"
    )
