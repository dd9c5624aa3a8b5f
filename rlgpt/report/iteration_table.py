"""The table that a launch prints at its end: one row per iteration of the outer loop."""

from rich.table import Table
from rich.text import Text

from messages.plan import GoalReport, Iteration, Performed
from messages.world import Task
from rlgpt.report.words import (
    count,
    decomposition,
    evaluated_in_words,
    explaining_line,
    plain,
)


def iteration_table(report: GoalReport) -> Table:
    """Decomposition, verdict, success rate over unseen episodes and samples of each iteration."""
    several = len({iteration.subtask for iteration in report.iterations}) > 1
    several |= report.performance is not None
    # The title is task text: Text, so that brackets in it are no markup.
    table = Table(title=Text(plain(report.task.prompt)), title_justify="left", show_lines=several)
    table.add_column("#", justify="right")
    if several:
        table.add_column("subtask", overflow="fold")
    # What a language model wrote may be one long word: it is folded, nothing is cut off.
    table.add_column("decomposition", ratio=3, overflow="fold")
    table.add_column("verdict", ratio=3, overflow="fold")
    table.add_column("success", justify="right", no_wrap=True)
    table.add_column("samples", justify="right", no_wrap=True)
    for iteration in report.iterations:
        row = [Text(str(iteration.number))]
        if several:
            row.append(Text(plain(iteration.subtask)))
        row += [
            Text(plain(decomposition(iteration))),
            _verdict(iteration),
            Text(_rate(iteration, report.task)),
            Text(count(iteration.samples.total)),
        ]
        table.add_row(*row)
    for performed in report.validations:
        _add_performance(table, performed, "the whole goal, on validation seeds")
    if report.performance is not None:
        _add_performance(table, report.performance, "the whole goal")
    return table


def _add_performance(table: Table, performed: Performed, what: str) -> None:
    count_of = len(performed.episodes)
    successes = sum(episode.success for episode in performed.episodes)
    reached = ", ".join(f"{item} {count}" for item, count in performed.milestones.items())
    table.add_section()
    table.add_row(
        Text(""),
        Text(what),
        Text("performed from its own start, planned again after every subtask"),
        Text(plain(f"had in {count_of} episodes: {reached}")),
        Text(f"{performed.success_rate:.2f} ({successes}/{count_of}{', cut' * performed.cut})"),
        Text(count(performed.steps)),
    )


def _rate(iteration: Iteration, task: Task) -> str:
    if not iteration.episodes:
        return "not evaluated"
    cut = ", cut" if iteration.cut else ""
    return f"{iteration.success_rate:.2f} ({evaluated_in_words(iteration, task, '{}/{}')}{cut})"


def _verdict(iteration: Iteration) -> Text:
    line = explaining_line(iteration)
    if line is None:
        return Text("nothing was implemented", style="red")
    if line.verdict.success:
        return Text(_in_one_line(line.verdict.reason), style="green")
    return Text(_in_one_line(f"{line.sub_action.name}: {line.verdict.reason}"), style="red")


def _in_one_line(text: str) -> str:
    return " ".join(plain(text).split())
