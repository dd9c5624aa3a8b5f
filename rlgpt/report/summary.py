"""summary.json: a run in numbers, for scripts that compare runs."""

import importlib.metadata
import platform
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from messages.plan import GoalReport, Iteration, Performed, Samples
from messages.world import Condition, GuardReport, Task
from rlgpt.profiling import PartTime, Profile
from rlgpt.report import node_files, played_episodes
from rlgpt.report.account import Account, GoalLine
from rlgpt.report.changes import Changed, changes_of
from rlgpt.report.goal_outcomes import with_outcomes
from rlgpt.report.run_state import State
from rlgpt.report.uncounted import uncounted
from rlgpt.report.words import decomposition, successes
from rlgpt.runs import launches
from rlgpt.runs.run_folder import env_server_folders

_DISTRIBUTIONS = (
    "rlgpt torch torchrl tensordict numpy numba gymnasium pyzmq msgspec hydra-core vllm minedojo"
)


class TaskSummary(msgspec.Struct, kw_only=True):
    id: str
    prompt: str
    success: Condition


class SampleSummary(msgspec.Struct, kw_only=True):
    """Primitive environment steps by what they were spent on."""

    training: int
    trial: int
    evaluation: int
    total: int


class IterationSummary(msgspec.Struct, kw_only=True):
    subtask: str
    number: int
    decomposition: str
    success_rate: float
    successes: int
    episodes: int
    cut: bool = False  # the samples were not enough for all episodes of its evaluation
    samples: SampleSummary
    seconds: float
    guards: list[GuardReport] = []  # in its tryouts and its evaluation


class QuestionSummary(msgspec.Struct, kw_only=True):
    """Questions to the language model. Tokens and seconds are also those of questions without an
    answer."""

    profile: str
    count: int  # with an answer
    unanswered: int = 0
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    edited: int = 0  # answers that a person gave in place of the model's


class Summary(msgspec.Struct, kw_only=True):
    format: int = 1  # raised when a field changes its meaning
    run: str  # name of the run folder
    launch: str
    seed: int | None
    state: State | None = None  # None: of a report that was written before there were any
    task: TaskSummary | None  # None: no goal was given
    goal: str = ""  # id of the goal that this is of, where one was sent
    success: bool
    reason: str
    # Of the performance; of a goal with one subtask, of the iteration that stands; 0 for a goal of
    # several that was never performed. Of a training alone, of its recent episodes.
    success_rate: float
    cut: bool = False  # it is of fewer episodes than wanted: the samples were not enough
    iterations: list[IterationSummary]
    validations: list[Performed] = []  # of a plan of several subtasks, before its performance
    performance: Performed | None = None  # of a plan of several subtasks
    samples: SampleSummary
    # By what they were for: a kind of `played_episodes`, or `training`.
    episodes: dict[str, int] = {}
    env_server_steps: int | None  # the env server's own count over the whole run
    jail: str = ""  # around coded actions: "on", or "off (why)"; empty if nothing was left of it
    programs_killed: int = 0  # runs of coded actions that were ended with their process
    questions: QuestionSummary
    goals: list[GoalLine] = []  # all that were set from outside of the nodes
    changes: list[Changed] = []  # parameters that were set while it ran
    wall_seconds: float  # of all its launches together
    time: list[PartTime] = []  # where that went; empty of runs that did not write it down
    restarts: dict[str, int]
    versions: dict[str, str]
    platform: str
    written: str  # local time, ISO 8601


@cache
def versions() -> dict[str, str]:
    """Python's version and those of the distributions that matter, read without importing them."""
    result = {"python": platform.python_version()}
    for name in _DISTRIBUTIONS.split():
        try:
            result[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # an optional part that is not installed
    return result


def summarise(
    run: Path,
    report: Account,
    spent: Profile | None = None,
    questions: Sequence[node_files.Asked] | None = None,
) -> Summary:
    """The summary of a run as it stands, from its account, that of its time (``spent``, if it is
    wanted) and what the nodes left. ``questions``: those of its transcript, where they are known;
    None: they are read."""
    config = node_files.config(run)
    if questions is None:
        questions = node_files.asked(run)
    iterations = [_iteration(iteration) for iteration in report.iterations]
    jail = node_files.jail(run)
    performed = report.performance
    seed = config.get("seed")
    return Summary(
        run=run.resolve().name,
        launch=str(config.get("name", "")),
        seed=seed if isinstance(seed, int) else None,
        state=report.state,
        task=_task(report.task),
        goal=report.goal,
        success=report.success,
        reason=report.reason,
        success_rate=success_rate(report),
        cut=_cut(report),
        iterations=iterations,
        validations=report.validations,
        performance=performed,
        samples=samples(run, report),
        episodes=played_episodes.counts(run),
        env_server_steps=env_server_steps(run),
        jail=jail.jail,
        programs_killed=jail.killed,
        questions=QuestionSummary(
            profile=profile(config),
            count=sum(row.count for row in questions),
            unanswered=sum(row.unanswered for row in questions),
            prompt_tokens=sum(row.prompt_tokens for row in questions),
            completion_tokens=sum(row.completion_tokens for row in questions),
            seconds=sum(row.seconds for row in questions),
            edited=sum(row.edited for row in questions),
        ),
        goals=with_outcomes(run, report.goals),
        changes=changes_of(run),
        wall_seconds=launches.seconds(run, time.time()),
        time=[] if spent is None else spent.parts,
        restarts=_restarts(run, config),
        versions=versions(),
        platform=f"{platform.platform()} {platform.machine()} ({sys.implementation.name})",
        written=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    )


def profile(config: dict[str, Any]) -> str:
    """The name of the language-model profile."""
    values = node_files.part(config, "llm")
    return str(values.get("name") or values.get("kind") or "")


def _task(task: Task | None) -> TaskSummary | None:
    if task is None:
        return None
    return TaskSummary(id=task.id, prompt=task.prompt, success=task.success)


def _restarts(run: Path, config: dict[str, Any]) -> dict[str, int]:
    return dict.fromkeys(node_files.part(config, "nodes"), 0) | launches.restarts(run)


def chosen_iteration(report: Account | GoalReport) -> Iteration | None:
    """The iteration that was chosen for the subtask that was pursued last; None: none was, or it is
    not known which."""
    if not report.iterations:
        return None
    subtask = report.iterations[-1].subtask
    chosen = (subtask, report.chosen.get(subtask))
    return next((i for i in reversed(report.iterations) if (i.subtask, i.number) == chosen), None)


def samples(run: Path, report: Account) -> SampleSummary:
    """The samples of its iterations, its validations and its performance together, and of trainings
    that belong to no iteration that is over."""
    each = [iteration.samples for iteration in report.iterations]
    each.append(Samples(training=uncounted(run, report.trainings)))
    if (alone := report.trained) is not None:
        each.append(Samples(training=alone.samples + alone.prefix_samples))
    performed = sum(each.steps for each in report.validations)
    performed += report.performance.steps if report.performance else 0
    return SampleSummary(
        training=sum(item.training for item in each),
        trial=sum(item.trial for item in each),
        evaluation=performed + sum(item.evaluation for item in each),
        total=performed + sum(item.total for item in each),
    )


def success_rate(report: Account) -> float:
    """What `Summary.success_rate` is."""
    if report.trained is not None:
        return report.trained.success_rate
    if report.performance is not None:
        return report.performance.success_rate
    if len(report.subtasks) > 1:
        return 0.0
    chosen = chosen_iteration(report)
    return chosen.success_rate if chosen is not None else 0.0


def _cut(report: Account) -> bool:
    """Whether what the rate is of lacks episodes."""
    if report.performance is not None or len(report.subtasks) > 1:
        return report.performance is not None and report.performance.cut
    chosen = chosen_iteration(report)
    return chosen is not None and chosen.cut


def _iteration(iteration: Iteration) -> IterationSummary:
    samples = iteration.samples
    return IterationSummary(
        subtask=iteration.subtask,
        number=iteration.number,
        decomposition=decomposition(iteration),
        success_rate=iteration.success_rate,
        successes=successes(iteration),
        episodes=iteration.episodes,
        cut=iteration.cut,
        samples=SampleSummary(
            training=samples.training,
            trial=samples.trial,
            evaluation=samples.evaluation,
            total=samples.total,
        ),
        seconds=iteration.seconds,
        guards=[line.report for line in iteration.guards if line.report is not None],
    )


def env_server_steps(run: Path) -> int | None:
    """The steps of all env servers together; None where none has counted."""
    counts: list[int] = []
    for folder in env_server_folders(run):
        with suppress(OSError, ValueError):
            counts.append(int((folder / "steps").read_text()))
    return sum(counts) if counts else None
