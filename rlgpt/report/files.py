"""Writes the report of a run into its folder, and an old one anew."""

from pathlib import Path

import msgspec

from messages.plan import GoalReport
from nodes.files import write_whole
from rlgpt.refused import Refused
from rlgpt.report import page
from rlgpt.report.summary import Summary, summarise

_GOAL_REPORT = "goal_report.json"
_SUMMARY = "summary.json"
_PAGE = "report.html"


def write(
    run: Path, report: GoalReport, restarts: dict[str, int], wall_seconds: float
) -> tuple[Path, Path]:
    """Write the report of a run that has ended; returns the paths of summary.json and report.html.

    ``restarts`` counts by node. The run folder may lack what nodes leave there. Each file appears
    whole or not at all.
    """
    write_whole(run / _GOAL_REPORT, _text(report))
    return _write(run, report, summarise(run, report, restarts, wall_seconds))


def written_before(run: Path, report: GoalReport) -> bool:
    """Whether an earlier life of the run came to this very report and wrote it."""
    try:
        msgspec.json.decode((run / _SUMMARY).read_bytes(), type=Summary)
        return (run / _GOAL_REPORT).read_bytes() == _text(report)
    except (OSError, msgspec.DecodeError):
        return False


def rewrite(run: Path) -> tuple[Path, Path]:
    """Write the report of an old run anew from its folder; raises Refused if it cannot.

    What only its launch knew (restarts, wall time, versions, platform) is taken from its old
    summary.
    """
    try:
        report = msgspec.json.decode((run / _GOAL_REPORT).read_bytes(), type=GoalReport)
    except FileNotFoundError:
        raise Refused(
            f"{run} has no {_GOAL_REPORT}: it is not the folder of a run that has ended; "
            "name one that has."
        ) from None
    except (OSError, msgspec.DecodeError) as error:
        raise Refused(
            f"{run / _GOAL_REPORT} cannot be read ({error}): launch the run again."
        ) from None
    try:
        old = msgspec.json.decode((run / _SUMMARY).read_bytes(), type=Summary)
    except (OSError, msgspec.DecodeError) as error:
        raise Refused(
            f"{run / _SUMMARY}, which holds the wall time and the restarts, cannot be read "
            f"({error}): launch the run again."
        ) from None
    summary = summarise(run, report, old.restarts, old.wall_seconds)
    summary = msgspec.structs.replace(
        summary, versions=old.versions, platform=old.platform, written=old.written
    )
    return _write(run, report, summary)


def _text(report: GoalReport) -> bytes:
    return msgspec.json.format(msgspec.json.encode(report))


def _write(run: Path, report: GoalReport, summary: Summary) -> tuple[Path, Path]:
    write_whole(run / _SUMMARY, msgspec.json.format(msgspec.json.encode(summary)))
    write_whole(run / _PAGE, page.render(run, report, summary).encode("utf-8"))
    return run / _SUMMARY, run / _PAGE
