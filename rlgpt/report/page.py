"""report.html: one page about a run, from the goal to the numbers, readable offline.

Everything is rendered with autoescape by page.html.jinja; nothing here makes markup. Programs,
verdicts and plans are a language model's text and are treated as hostile: the page holds no
script, and its content security policy allows none.
"""

import time
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from messages.plan import GuardLine, Iteration, Subtask
from messages.program import Program
from messages.world import DEFAULT_GAME, Guard
from nodes.common.goals import guard_counts
from nodes.common.goals.goal_ids import slug
from nodes.common.parameters.kept_parameters import Taken
from rlgpt.profiling import MEANINGS, TITLES, Profile
from rlgpt.report import charts, coloured_source, curves, node_files, played_episodes, words
from rlgpt.report.account import Account
from rlgpt.report.changes import changes_of, taken_of
from rlgpt.report.goal_outcomes import outcome
from rlgpt.report.known_success import known_success
from rlgpt.report.required_rates import RequiredRates
from rlgpt.report.summary import Summary
from rlgpt.report.tokens import token_table


class Chapter(msgspec.Struct, frozen=True, kw_only=True):
    """One subtask and its turns of the outer loop."""

    name: str
    subtask: Subtask | None  # None: not in the plan's last version
    iterations: list[Iteration]
    bars: charts.Bars | None


class Training(msgspec.Struct, frozen=True, kw_only=True):
    """The learning curve of one policy."""

    title: str
    note: str
    line: charts.Line


def render(run: Path, report: Account, summary: Summary, spent: Profile) -> str:
    """The page of a run, as HTML. ``run`` may lack any of the nodes' files."""
    environment = Environment(
        loader=PackageLoader("rlgpt.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        count=words.count,
        duration=words.duration,
        condition=words.condition,
        clock=_clock,
        plain_value=_plain_value,
        source_lines=coloured_source.lines,
        shortened=words.shortened,
    )
    config = node_files.config(run)
    # What other goals of the run left has pages of its own: `rlgpt report --goal`.
    several = len(summary.goals) > 1
    of = (summary.goal or None) if several else None
    rates = RequiredRates(run, report.goal)
    return environment.get_template("page.html.jinja").render(
        report=report,
        game=report.task.game if report.task is not None else DEFAULT_GAME,
        summary=summary,
        limits=node_files.part(config, "limits"),
        world=node_files.part(config, "world"),
        rates=rates,
        success=known_success(report),
        chapters=_chapters(report, rates),
        trainings=_trainings(run, report, of),
        changes=changes_of(run),
        videos=node_files.videos(run, _videos(report)),
        asked=node_files.asked(run),
        tokens=token_table(run, of),
        batches=played_episodes.batches(run, of),
        trained=played_episodes.trained(run, of),
        endings=played_episodes.WORDS,
        in_words=played_episodes.in_words,
        trained_in_words=played_episodes.trained_in_words,
        several=several,
        outcome=outcome,
        spent=spent,
        time_trainings=[
            each for each in spent.trainings if of is None or each.policy.startswith(f"{of}/")
        ],
        part_titles=TITLES,
        part_meanings=MEANINGS,
        troubles=node_files.troubles(run),
        restarted={node: n for node, n in summary.restarts.items() if n},
        chart=charts,
        words=words,
        guard_of=_guard_of,
        condition_of=_condition_of,
        guarded=guard_counts.line_in_words,
        guard_words=guard_counts.in_words,
    )


def _visible(value: Any) -> Any:
    # What a macro of the template returns is markup already; all else is text.
    return value if isinstance(value, Markup) else words.plain(str(value))


def _clock(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))


def _plain_value(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _set_at(curve: curves.Curve, taken: list[Taken]) -> list[tuple[int, str]]:
    """What the training of a curve took while it went on, and from which sample on."""
    return [
        (each.samples, f"{each.name} {_plain_value(each.old)} to {_plain_value(each.new)}")
        for each in taken
        if curves.of_policy([curve], each.policy) is not None
    ]


def _videos(report: Account) -> list[str]:
    paths = [item.video for item in report.iterations if item.video]
    performed = report.performance
    return [*paths, performed.video] if performed and performed.video else paths


def _chapters(report: Account, rates: RequiredRates) -> list[Chapter]:
    planned = {subtask.name: subtask for subtask in report.subtasks}
    result: list[Chapter] = []
    for name in words.subtask_names(report.subtasks, report.iterations):
        turns = [item for item in report.iterations if item.subtask == name]
        if turns:
            result.append(
                Chapter(
                    name=name,
                    subtask=planned.get(name),
                    iterations=turns,
                    bars=charts.bars(turns, rates.of(name), report.task),
                )
            )
    return result


def _guard_of(iteration: Iteration, line: GuardLine) -> Guard | None:
    """What implements a guard, if anything does."""
    made = iteration.stages[0].guards if iteration.stages and line.made else []
    return next((guard for guard in made if guard.name == slug(line.proposal.name)), None)


def _condition_of(guard: Guard) -> Program:
    """A guard's condition, to be shown like a program."""
    return Program(name="when", source=guard.when, purpose=guard.purpose, max_steps=guard.max_steps)


def _trainings(run: Path, report: Account, of: str | None) -> list[Training]:
    """A learning curve for each trained policy, in the order they were first used; then those of
    policies that no iteration uses. ``of``: only of this goal."""
    read = curves.read(run / "learner" / "tensorboard", of)
    taken = taken_of(run)
    result: dict[str, Training] = {}
    for iteration in report.iterations:
        for stage in iteration.stages:
            curve = curves.of_policy(read, stage.policy.id) if stage.policy else None
            line = charts.line(curve.points, _set_at(curve, taken)) if curve else None
            if curve and line and curve.name not in result:
                title = f"Training of “{stage.sub_action.name}”, iteration {iteration.number}"
                note = "Success rate of the recent training episodes."
                result[curve.name] = Training(title=title, note=note, line=line)
    for curve in read:
        line = charts.line(curve.points, _set_at(curve, taken))
        if line and curve.name not in result:
            note = "Success rate of the recent training episodes; no iteration uses this policy."
            result[curve.name] = Training(title=f"Training, {curve.name}", note=note, line=line)
    return list(result.values())
