"""What is printed is wrapped to the terminal's width, and never cut."""

import io
import re

import msgspec
import pytest
from rich.console import Console

from messages.plan import GoalReport, Iteration, Line, Samples, SubAction, Subtask
from messages.verdict import Verdict
from messages.world import Condition, Task
from rlgpt import terminal
from rlgpt.launching.launch_progress import LaunchView
from rlgpt.report.iteration_table import iteration_table

LOG = Condition(kind="have", name="log")
WORDS = [f"word{number}" for number in range(60)]
VERDICT = f"{' '.join(WORDS)} {'x' * 150}"


def report() -> GoalReport:
    action = SubAction(name="find a tree", method="code", success=LOG)
    verdict = Verdict(success=False, success_rate=0.0, reason=VERDICT)
    iteration = Iteration(
        subtask="log",
        number=0,
        lines=[Line(sub_action=action, attempts=1, verdict=verdict)],
        stages=[],
        success_rate=0.5,
        episodes=20,
        samples=Samples(training=12345),
        seconds=1.0,
    )
    task = Task(id="log", prompt="Harvest a log.", success=LOG)
    return GoalReport(
        task=task,
        subtasks=[Subtask(name="log", success=LOG)],
        iterations=[iteration],
        success=False,
        reason="no",
    )


def printed(width: int, terminal: bool) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, width=width, force_terminal=terminal, color_system=None), out


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_verdict_in_a_table_is_wrapped_and_not_cut(width: int, is_terminal: bool) -> None:
    console, out = printed(width, is_terminal)
    console.print(iteration_table(report()))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    cells = [re.split("[│┃]", line) for line in lines]
    column = [row[3] for row in cells if len(row) > 4]
    assert "".join("".join(column).split()) == f"verdictfindatree:{VERDICT}".replace(" ", "")
    assert "…" not in out.getvalue()
    assert "12.3k" in out.getvalue()


def test_events_are_wrapped_with_a_hanging_indent() -> None:
    console, out = printed(80, True)
    LaunchView(console).report(f"planner: [b]{VERDICT}")
    first, *others = [line.rstrip() for line in out.getvalue().splitlines()]
    assert re.match(r" +0\.\d s  planner: \[b\]word0 ", first)
    assert len(others) > 5
    assert all(line.startswith(" " * 11) and line[11] != " " for line in others)
    assert "".join(others).count("x") == 150


def test_an_iteration_without_an_evaluation_has_no_rate() -> None:
    console, out = printed(80, False)
    view, (iteration,) = LaunchView(console), report().iterations
    view.on_iteration(iteration)
    view.on_iteration(msgspec.structs.replace(iteration, number=1, success_rate=0.0, episodes=0))
    assert "find a tree: code: 50% of 20 episodes\n" in out.getvalue()
    assert "find a tree: code: not evaluated\n" in out.getvalue()


def test_events_are_one_line_each_when_piped() -> None:
    console, out = printed(80, False)
    LaunchView(console).report(f"planner: [b]{VERDICT}")
    assert out.getvalue().count("\n") == 1
    assert out.getvalue().endswith(f"planner: [b]{VERDICT}\n")


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_table_is_wrapped_in_a_terminal_and_as_wide_as_needed_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    console, out = printed(80, is_terminal)

    def made(width: int) -> Console:
        console.width = 80 if is_terminal else width
        return console

    monkeypatch.setattr(terminal, "console", made)
    table = terminal.plain_table("node", "value")
    table.add_row("critic", VERDICT)
    table.add_row("learner", "short")
    terminal.print_table(table)
    printed_lines = out.getvalue().splitlines()
    lines = [line.rstrip() for line in printed_lines]
    assert is_terminal or lines == printed_lines, "no line is filled up with spaces"
    joined = "".join(line[9:] for line in lines[1:-1])
    assert joined.replace(" ", "") == VERDICT.replace(" ", "")
    assert lines[-1].split() == ["learner", "short"]
    assert (len(lines) == 3) is not is_terminal


def test_a_table_is_printed_as_rich_would_print_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Rich takes a second for a thousand rows, and a run has tens of thousands of episodes."""
    table = terminal.plain_table("seed", "", "木の名前", "why")
    table.add_row("900000", "", "dig [b]木[/b]", "a\nb")
    table.add_row("1", "x", "\u0301e", "")
    table.add_row("", "", "", "\x1b[31mred")
    console, out = printed(200, False)
    console.print(table, markup=False)
    theirs = [line.rstrip() for line in out.getvalue().splitlines()]
    terminal.print_table(table)
    assert capsys.readouterr().out.splitlines() == theirs


def test_a_table_of_very_many_rows_has_a_line_for_each_also_in_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    console, out = printed(40, True)
    monkeypatch.setattr(terminal, "console", lambda width: console)
    table = terminal.plain_table("seed", "play")
    for seed in range(600):
        table.add_row(str(seed), "x" * 60)
    terminal.print_table(table)
    lines = out.getvalue().splitlines()
    assert len(lines) == 601
    assert lines[600] == f"599   {'x' * 60}"
