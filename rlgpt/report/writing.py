"""Writes the report of a run into its folder, as far as the run has come."""

from pathlib import Path

import msgspec

from messages.plan import GoalReport
from messages.undecodable import UNDECODABLE
from nodes.common.storage.whole_files import write_whole
from rlgpt.profiling import profile
from rlgpt.report import page
from rlgpt.report.account import GOAL_REPORT, account
from rlgpt.report.summary import Summary, summarise
from rlgpt.runs import launches

_SUMMARY = "summary.json"
_PAGE = "report.html"


def write(
    run: Path, report: GoalReport | None = None, goal: str | None = None
) -> tuple[Path, Path]:
    """Write the report of a run, whether it goes on or has ended; returns the paths of summary.json
    and report.html.

    ``report`` is the launcher's, if it has one; ``goal`` names one of several goals. The
    run folder may lack what nodes leave there. Each file appears whole or not at all. Raises
    Refused for an unknown goal.
    """
    known = account(run, goal, report)
    spent = profile(run)
    summary = _as_before(run, summarise(run, known, spent))
    write_whole(run / _SUMMARY, msgspec.json.format(msgspec.json.encode(summary)))
    write_whole(run / _PAGE, page.render(run, known, summary, spent).encode("utf-8"))
    if known.whole is not None:  # last: where it is, the others are of a goal that is over
        write_whole(run / GOAL_REPORT, _text(known.whole))
    return run / _SUMMARY, run / _PAGE


def written_before(run: Path, report: GoalReport) -> bool:
    """Whether an earlier launch of the run came to this very report and wrote it."""
    try:
        return (run / GOAL_REPORT).read_bytes() == _text(report)
    except OSError:
        return False


def read_summary(run: Path) -> Summary | None:
    """The summary that was written last; None: there is none that can be read."""
    try:
        return msgspec.json.decode((run / _SUMMARY).read_bytes(), type=Summary)
    except (OSError, *UNDECODABLE):
        return None


def _as_before(run: Path, summary: Summary) -> Summary:
    """What only the run itself knew stays as it was at its end; if nothing has changed, so does the
    time of writing."""
    old = read_summary(run)
    if old is None or old.state not in (None, summary.state):
        return summary
    kept = msgspec.structs.replace(summary, versions=old.versions, platform=old.platform)
    if not launches.read(run):  # of a run before there was such a file
        kept.wall_seconds, kept.restarts = old.wall_seconds, old.restarts
    unchanged = msgspec.structs.replace(kept, written=old.written) == old
    return old if unchanged else kept


def _text(report: GoalReport) -> bytes:
    return msgspec.json.format(msgspec.json.encode(report))
