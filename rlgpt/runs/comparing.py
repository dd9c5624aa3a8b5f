"""``rlgpt compare A B``: runs side by side."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from nodes.config import flatten
from rlgpt.inspecting.output import json_line
from rlgpt.refused import Refused
from rlgpt.report import node_files
from rlgpt.report.account import Account, account
from rlgpt.report.known_success import KnownSuccess, known_success, rate_in_words
from rlgpt.report.summary import Summary, summarise
from rlgpt.report.words import count, duration, plain, shortened
from rlgpt.runs import run_folder
from rlgpt.terminal import plain_table, print_table

_OWN = ("run",)  # keys of a config that no two runs share


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """Runs in the order they were named in. Of each setting and subtask there is a value for each
    run; None: it has none."""

    runs: list[Summary]
    success: list[KnownSuccess]
    settings: dict[str, list[Any]]  # those that differ
    subtasks: dict[str, list[float | None]]  # success rate of the iteration that stands


def compare(wanted: list[str], json: bool) -> int:
    """Print the settings that differ between runs, and their results."""
    if len(wanted) < 2:
        raise Refused("a comparison needs two runs or more: rlgpt compare A B")
    folders = [run_folder.find(each) for each in wanted]
    if len(set(folders)) < len(folders):
        raise Refused("a run was named twice; name different ones")
    compared = compared_runs(folders)
    if json:
        print(json_line(compared))
        return 0
    table = plain_table("", *(summary.run for summary in compared.runs))
    for label, values in _lines(compared):
        table.add_row(label, *values)
    print_table(table)
    return 0


def compared_runs(folders: list[Path]) -> Compared:
    """The comparison of run folders, in their order."""
    accounts = [account(folder) for folder in folders]
    return Compared(
        runs=[summarise(run, each) for run, each in zip(folders, accounts, strict=True)],
        success=[known_success(each) for each in accounts],
        settings=_settings(folders),
        subtasks=_subtasks(accounts),
    )


def _settings(folders: list[Path]) -> dict[str, list[Any]]:
    configs = [flatten(node_files.config(folder)) for folder in folders]
    keys = list(dict.fromkeys(key for config in configs for key in config))
    values = {key: [config.get(key) for config in configs] for key in keys}
    differing = {
        key: each
        for key, each in values.items()
        if key not in _OWN and any(value != each[0] for value in each)
    }
    return _without_copies(differing)


def _without_copies(settings: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Without what a node's parameters repeat of a block of the launch file, as those of the
    learner repeat ``learner``."""

    def last(key: str) -> str:
        return key.rpartition(".")[2]

    blocks = [(last(key), each) for key, each in settings.items() if not key.startswith("nodes.")]
    return {
        key: each
        for key, each in settings.items()
        if not key.startswith("nodes.") or (last(key), each) not in blocks
    }


def _subtasks(accounts: list[Account]) -> dict[str, list[float | None]]:
    names = dict.fromkeys(i.subtask for each in accounts for i in each.iterations)
    return {name: [_rate(each, name) for each in accounts] for name in names}


def _rate(account: Account, subtask: str) -> float | None:
    """Of the iteration that stands for it; of one that is not over, the newest."""
    turns = [each for each in account.iterations if each.subtask == subtask and each.episodes]
    standing = [each for each in turns if each.number == account.chosen.get(subtask)]
    return next((each.success_rate for each in [*standing, *reversed(turns)]), None)


def _lines(compared: Compared) -> list[tuple[str, list[str]]]:
    runs = compared.runs

    def line(label: str, value: Callable[[Summary], str]) -> tuple[str, list[str]]:
        return label, [value(run) for run in runs]

    lines = [
        line("state", lambda run: run.state.kind.replace("_", " ") if run.state else "-"),
        line("goal", lambda run: shortened(plain(run.task.id), 40) if run.task else "-"),
        ("success", [rate_in_words(each.rate, each.whole) for each in compared.success]),
    ]
    for name, rates in compared.subtasks.items():
        shown = ["-" if rate is None else f"{rate:.2f}" for rate in rates]
        lines.append((f"  {shortened(name, 40)}", shown))
    lines += [
        line("iterations", lambda run: str(len(run.iterations))),
        line("samples", lambda run: count(run.samples.total)),
        line("  training", lambda run: count(run.samples.training)),
        line("  trial", lambda run: count(run.samples.trial)),
        line("  evaluation", lambda run: count(run.samples.evaluation)),
        line("episodes", lambda run: f"{sum(run.episodes.values()):,}"),
        line("questions", lambda run: str(run.questions.count)),
        line("prompt tokens", lambda run: f"{run.questions.prompt_tokens:,}"),
        line("answer tokens", lambda run: f"{run.questions.completion_tokens:,}"),
        line("wall time", lambda run: duration(run.wall_seconds)),
        line("restarts", lambda run: str(sum(run.restarts.values()))),
    ]
    for key, values in compared.settings.items():
        lines.append((key, [_value(value) for value in values]))
    return lines


def _value(value: Any) -> str:
    return "-" if value is None else shortened(msgspec.json.encode(value).decode(), 50)
