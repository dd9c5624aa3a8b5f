"""``rlgpt report RUN``: write the report of a run anew from its folder."""

from rlgpt import run_folder
from rlgpt.refused import Refused
from rlgpt.report.files import rewrite


def report(wanted: str | None) -> int:
    """Rewrite the report of a run (a path, a name below ``runs/``, or the newest run) and print
    where the page is. Raises Refused."""
    run = run_folder.find(wanted)
    try:
        _, page = rewrite(run)
    except OSError as error:
        where = error.filename or run
        raise Refused(f"{where} cannot be written: {error.strerror}") from None
    print(page)
    return 0
