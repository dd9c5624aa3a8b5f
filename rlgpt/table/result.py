"""A finished cell: one JSON file in the results folder, written whole when its launch has ended."""

import importlib.metadata
import time
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from messages.bounds import Amount, NotNegative
from messages.plan import GoalReport
from messages.undecodable import UNDECODABLE
from messages.world import DEFAULT_GAME
from nodes.common.goals.budget import evaluation_episodes
from nodes.common.running.exit_codes import FAILED
from nodes.common.running.plain_text import plain_line
from nodes.common.storage.whole_files import write_whole
from rlgpt.refused import Refused
from rlgpt.report.acceptance import Acceptance, acceptance
from rlgpt.report.node_files import config, part
from rlgpt.report.summary import SampleSummary, Summary, chosen_iteration
from rlgpt.report.tokens import TokenTable, token_table
from rlgpt.report.words import decomposition, successes
from rlgpt.table import scored
from rlgpt.table.cells import Cell, is_of_llm, name_of
from rlgpt.table.scored import Scored

FORMAT = 1
"""The format of a cell's file; raised when a field changes its meaning."""
ROUNDING = 1e-6
"""How far a rate may be from what its counts make of it."""
DEAD_LOOP = "Dead loop"
"""How the slow agent's reason begins when it stopped in a dead loop."""


class CellIteration(msgspec.Struct, frozen=True, kw_only=True):
    """One iteration of the outer loop, evaluated on seeds that nothing was tried or trained on."""

    subtask: str
    number: int
    decomposition: str
    success_rate: float
    successes: int
    episodes: int  # 0: nothing could run
    cut: bool = False  # the samples were not enough for all episodes
    further: bool = False  # it trained a policy further
    samples: int


class CellTokens(msgspec.Struct, frozen=True, kw_only=True):
    """What the language model read and wrote."""

    prompt: int
    answer: int
    agents: dict[str, int]  # agent -> prompt and answer together
    iterations: dict[str, int]  # iteration, or `plan` -> prompt and answer together


class CellResult(msgspec.Struct, frozen=True, kw_only=True):
    """Counts are primitive environment steps; a coded action of k steps counts k."""

    format: int = FORMAT
    task: str
    method: str
    llm: str
    seed: int
    world: str
    fingerprint: str | None = None  # of the embedded world; None: not noted, or another world
    game: str = DEFAULT_GAME
    success_rate: float  # of the whole goal, on unseen seeds
    successes: int
    episodes: int
    cut: bool = False  # the samples were not enough for all episodes: there are fewer than wanted
    performed: bool  # False: the goal produced nothing playable, and counts as failed
    reached: bool
    stopped: str  # why, in the planner's words
    plan: list[str]  # its subtasks
    stops: dict[str, str]  # subtask -> why its outer loop stopped
    dead_loop: bool  # one of them stopped in a dead loop
    chosen: dict[str, int] = {}  # subtask -> number of the iteration chosen for it
    iterations: list[CellIteration]
    milestones: dict[str, NotNegative]  # item of the plan -> episodes that had it
    scored: Scored | None = None  # None: the game has no score
    fresh_seeds: bool = False  # what was performed decided nothing; False: cells before 2026-11-29
    samples: SampleSummary
    tokens: CellTokens | None  # None: nothing was counted, as by the rulebook
    questions: Acceptance | None = None  # None: not counted, as in the older cells
    wall_s: Amount
    restarts: NotNegative
    limits: dict[str, Any]
    overrides: list[str]
    commit: str | None  # None: not from a checkout; `-dirty` where files had been changed
    version: str
    run: str  # the run folder, as it was called
    written: str  # local time, ISO 8601


def read(cell: Cell, results: Path) -> CellResult | None:
    """What there is of ``cell``, None where it has no file. Raises Refused if that is broken or is
    another cell's."""
    path = cell.file(results)
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(
            f"{path} cannot be read ({error.strerror}); choose another folder with --results DIR"
        ) from None
    try:
        result = msgspec.json.decode(text, type=CellResult)
    except UNDECODABLE as error:
        raise _broken(path, str(error)) from None
    if result.format != FORMAT:
        raise _broken(path, f"its format is {result.format}, and this version reads {FORMAT}")
    if not 0 <= result.successes <= result.episodes or result.episodes == 0:
        raise _broken(path, f"{result.successes} successes of {result.episodes}")
    if abs(result.success_rate - result.successes / result.episodes) > ROUNDING:
        counts = f"{result.successes} of {result.episodes}"
        raise _broken(path, f"its success_rate is {result.success_rate}, its successes {counts}")
    for item, count in result.milestones.items():
        if count > result.episodes:
            raise _broken(path, f"{item} in {count} of {result.episodes} episodes")
    name = name_of(result.task, result.method, result.llm, result.seed)
    if name != cell.name:
        raise Refused(
            f"{path} is the cell {name}, not {cell.name}: move it, or --again runs this one again"
        )
    return result


def _broken(path: Path, why: str) -> Refused:
    return Refused(f"{path} is no finished cell ({why}): remove it, and the table runs it again")


def write(path: Path, result: CellResult) -> None:
    """Keep a finished cell; the file is there whole or not at all. Raises Refused."""
    write_file(path, msgspec.json.format(msgspec.json.encode(result)) + b"\n")


def write_file(path: Path, content: bytes) -> None:
    """Write a file of the results folder whole. Raises Refused."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except OSError as error:
        raise Refused(f"cannot write {path} ({error.strerror})", code=FAILED) from None


def with_plain_texts(result: CellResult) -> CellResult:
    """The same to be shown: an invisible character of any text is spelled out, as an escape is a
    command to a terminal, a line end a row of its own, and most of them no XML."""
    return msgspec.convert(_plain(msgspec.to_builtins(result)), CellResult)


def _plain(value: Any) -> Any:
    match value:
        case str():
            return plain_line(value)
        case list():
            return [_plain(each) for each in cast("list[Any]", value)]
        case dict():
            items = cast("dict[str, Any]", value).items()
            return {plain_line(key): _plain(each) for key, each in items}
    return value


def differences(cell: Cell, result: CellResult) -> str:
    """How the launch of ``result`` differs, in words; empty if it is this cell."""
    keys = sorted({*cell.limits, *result.limits})
    words = [
        f"limits.{key} was {result.limits.get(key)} and is {cell.limits.get(key)}"
        for key in keys
        if cell.limits.get(key) != result.limits.get(key)
    ]
    now, then = ([o for o in each.overrides if not is_of_llm(o)] for each in (cell, result))
    words += [f"{override} is new" for override in now if override not in then]
    words += [f"{override} is not there" for override in then if override not in now]
    return ", ".join(words)


def gather(cell: Cell, run: Path, commit: str | None, fingerprint: str | None) -> CellResult:
    """The result of a launch that has ended, from its run folder. ``commit`` and ``fingerprint``:
    of the checkout and its world when it began. Raises Refused where there is no report."""
    try:
        report = msgspec.json.decode((run / "goal_report.json").read_bytes(), type=GoalReport)
        summary = msgspec.json.decode((run / "summary.json").read_bytes(), type=Summary)
    except (OSError, *UNDECODABLE) as error:
        raise Refused(f"{run} lacks the report of its run ({error})", code=FAILED) from None
    outcome = goal_outcome(report, evaluation_episodes(config(run)))
    world = str(part(config(run), "world").get("kind", ""))
    return CellResult(
        task=cell.task,
        method=cell.method,
        llm=cell.llm,
        seed=cell.seed,
        world=world,
        game=report.task.game,
        fingerprint=fingerprint,
        success_rate=outcome.successes / outcome.episodes,
        successes=outcome.successes,
        episodes=outcome.episodes,
        cut=outcome.cut,
        performed=outcome.performed,
        reached=report.success,
        stopped=report.reason,
        plan=[subtask.name for subtask in report.subtasks],
        stops=report.stopped,
        dead_loop=any(reason.startswith(DEAD_LOOP) for reason in report.stopped.values()),
        chosen=report.chosen,
        iterations=[
            CellIteration(
                subtask=each.subtask,
                number=each.number,
                decomposition=decomposition(each),
                success_rate=each.success_rate,
                successes=successes(each),
                episodes=each.episodes,
                cut=each.cut,
                further=each.further,
                samples=each.samples.total,
            )
            for each in report.iterations
        ],
        milestones=report.performance.milestones if report.performance else {},
        scored=scored.gather(run, report),
        fresh_seeds=True,
        samples=summary.samples,
        tokens=_tokens(token_table(run)),
        questions=acceptance(run),
        wall_s=round(summary.wall_seconds, 1),
        restarts=sum(summary.restarts.values()),
        limits=cell.limits,
        overrides=cell.overrides,
        commit=commit,
        version=importlib.metadata.version("rlgpt"),
        run=run.name,
        written=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    )


class GoalOutcome(NamedTuple):
    """How often a whole goal was reached."""

    successes: int
    episodes: int
    performed: bool  # was it played at all?
    cut: bool  # were some of its episodes not?


def goal_outcome(report: GoalReport, wanted: int) -> GoalOutcome:
    """A goal that produced nothing playable failed in every one of the ``wanted`` episodes that it
    was to be played in."""
    if (performed := report.performance) is not None and performed.episodes:
        done = sum(each.success for each in performed.episodes)
        return GoalOutcome(done, len(performed.episodes), True, performed.cut)
    chosen = chosen_iteration(report)
    if len(report.subtasks) == 1 and chosen is not None:
        return GoalOutcome(successes(chosen), chosen.episodes, True, chosen.cut)
    return GoalOutcome(0, wanted, False, False)


def _tokens(table: TokenTable | None) -> CellTokens | None:
    if table is None:
        return None
    sums = [row[-1] for _, row in table.rows]
    return CellTokens(
        prompt=sum(each.prompt for each in sums),
        answer=sum(each.answer for each in sums),
        agents={
            agent: sum(row[i].prompt + row[i].answer for _, row in table.rows)
            for i, agent in enumerate(table.agents)
        },
        iterations={name: row[-1].prompt + row[-1].answer for name, row in table.rows},
    )
