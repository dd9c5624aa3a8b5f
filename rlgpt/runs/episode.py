"""``rlgpt episode``: the episodes of a run."""

from pathlib import Path

from rlgpt.inspecting.output import json_line
from rlgpt.refused import Refused
from rlgpt.report import played_episodes, stores
from rlgpt.report.words import plain, shortened
from rlgpt.runs import run_folder
from rlgpt.runs.typed import run_word
from rlgpt.terminal import plain_table, print_table


def list_episodes(wanted: str | None, of: str | None, ended: str | None, json: bool) -> int:
    """Print every episode of a run but those of its trainings, which are counted."""
    run = run_folder.find(wanted)
    stores.check_readable(run)
    found = selected(run, of)
    if ended is not None:
        found = [row for row in found if row.ended == ended]
    trained = played_episodes.trained(run, of)
    if json:
        print(json_line({"episodes": found, "trainings": trained}))
        return 0
    table = plain_table("seed", "for", "ended", "steps", "changed", "play")
    for row in found:
        table.add_row(
            str(row.seed),
            plain(played_episodes.in_words(row.purpose)),
            ending(row),
            str(row.steps),
            changed(row),
            plain(row.play),
        )
    print_table(table if found else f"no episode of {run.name} has been kept")
    for each in trained:
        print(
            f"{plain(played_episodes.trained_in_words(each.play))}: {each.episodes:,} episodes, "
            f"{each.successes:,} succeeded, {each.deaths:,} died, {each.steps:,} steps"
        )
    return 0


def selected(run: Path, of: str | None) -> list[played_episodes.Row]:
    """The episodes of a run; with ``of`` those of a goal: of its plays, and of the goals that it
    led to. Raises Refused for a goal that none belongs to."""
    rows = played_episodes.rows(run)
    if of is None:
        return rows
    found = [row for row in rows if row.play == of or row.play.startswith(f"{of}/")]
    if rows and not found:
        plays = f"`rlgpt episode list {run_word(run)}` has the plays"
        raise Refused(f"no episode was played for `{of}`; {plays}")
    return found


def ending(row: played_episodes.Row) -> str:
    words = played_episodes.WORDS[row.ended]
    return f"{words}: {shortened(row.why, 60)}" if row.why else words


def changed(row: played_episodes.Row) -> str:
    return ", ".join(f"{number:+d} {item}" for item, number in row.changed.items())
