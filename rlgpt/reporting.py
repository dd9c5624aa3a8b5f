"""``rlgpt report RUN``: write the report of a run anew from its folder."""

from rlgpt import run_folder
from rlgpt.report.files import rewrite


def report(wanted: str | None) -> int:
    """Rewrite the report of a run (a path, a name below ``runs/``, or the newest run) and print
    where the page is. Raises Refused."""
    _, page = rewrite(run_folder.find(wanted))
    print(page)
    return 0
