"""``rlgpt report RUN``: write the report of a run, as far as it has come, from its folder."""

from pathlib import Path

from rlgpt.refused import Refused
from rlgpt.report import stores
from rlgpt.report.writing import read_summary, write
from rlgpt.runs import run_folder


def report(wanted: str | None, goal: str | None = None) -> int:
    """Write the report of a run (a path, a name below ``runs/``, or the newest run) and print its
    state and where the page is. Raises Refused."""
    run = run_folder.find(wanted)
    stores.check_readable(run)
    try:
        _, page = write(run, goal=goal)
    except OSError as error:
        where = Path(error.filename or run)
        what = "written" if where.parent in (run, run.parent) else "read"  # a node's file
        raise Refused(f"{where} cannot be {what}: {error.strerror}") from None
    summary = read_summary(run)
    if summary is not None and summary.state is not None:
        print(f"{run.name}: {summary.state.text}")
    print(page)
    return 0
