"""``rlgpt program run``: a coded action, played on seeds of a task without agents around it."""

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from messages.bounds import LARGEST
from messages.bus import BusError, RemoteError
from messages.bus.network.address import socket_path
from messages.program import CHECK, CheckProgram, Problem, Program, ProgramReport
from messages.world import (
    CLOSE,
    DEFAULT_GAME,
    MOST_ENVIRONMENTS,
    OPEN,
    RUN_PROGRAM,
    CloseSession,
    OpenSession,
    RunProgram,
    SeedRange,
)
from nodes.common.goals.goal_ids import slug
from nodes.common.running.ending_signals import interruptible
from nodes.common.running.exit_codes import FAILED, REFUSED
from nodes.common.running.standard_error import to_stderr
from nodes.config import ENV_SERVER
from rlgpt.composing.configuration import LARGEST_SEED, Stack, check, check_task, load, save
from rlgpt.composing.override_keys import changed_key
from rlgpt.composing.user_files import read_user_text
from rlgpt.inspecting.output import json_line
from rlgpt.refused import Refused
from rlgpt.report import played_episodes
from rlgpt.report.played_episodes import Row
from rlgpt.report.words import count, shortened
from rlgpt.runs import run_folder
from rlgpt.runs.typed import run_word
from rlgpt.single_runs.small_stack import SmallStack, small_stack
from rlgpt.terminal import plain_table, print_plain, print_table
from worlds import card
from worlds.foreign import foreign_problem
from worlds.program_lines import program_lines

_LAST_SEED = 1_000_000 * LARGEST_SEED  # a run's seed stands for a million of the worlds'

_LAUNCH = "harvest_log"  # a launch file, for the world and its options
_TAKEN = ("world", "task", "nodes.env_server", "hosts", "keys", "run")
"""What overrides may be about: all else is of nodes that do not run, or of goals."""
_INSTEAD = {"task": "--task T is the task", "seed": "--first S is the first seed"}


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """``first``: the first seed. ``steps``: that one run of the program may take; None: as many as
    an episode has."""

    task: str
    seeds: int = 20
    first: int = 0
    steps: int | None = None
    overrides: list[str] = []
    json: bool = False


class ProgramRun(msgspec.Struct, frozen=True, kw_only=True):
    """How a program did on its seeds."""

    program: str
    task: str
    run: str  # the run folder
    successes: int
    episodes: int
    steps: int  # primitive steps, all episodes together
    reports: list[ProgramReport]
    rows: list[Row]


def run_program(file: str, options: Options) -> int:
    """Check a program and play it. Returns 0 if it ran, with any result, and 2 if it may not run;
    raises Refused for a command that cannot be done."""
    source = read_user_text(Path(os.path.expanduser(file)))
    if not 1 <= options.seeds <= MOST_ENVIRONMENTS:
        raise Refused(f"--seeds {options.seeds}: 1 to {MOST_ENVIRONMENTS:,} can be played at once")
    if not 0 <= options.first <= _LAST_SEED:
        raise Refused(f"--first {options.first}: a seed of a world is 0 to {_LAST_SEED:,}")
    if options.steps is not None and not 1 <= options.steps <= LARGEST:
        raise Refused(f"--steps {options.steps}: 1 to {LARGEST:,}")
    stack, made = _composed(options, file, source)
    task = stack.task
    assert task is not None
    program = Program(
        name=slug(Path(file).stem), source=source, max_steps=options.steps or task.horizon
    )
    run = Path(stack.run)
    with (
        interruptible(),
        _kept_if_played(run, made, options),
        small_stack(run) as small,
        _refused_by_a_sentence(small),
    ):
        problems = small.bus.call(CHECK, CheckProgram(program=program)).problems
        if not problems:
            steps, reports = _play(small, program, options)
    if problems:
        _remove(made)  # nothing was played in it
        return _print_problems(file, problems, options.json)
    rows = played_episodes.rows(run)
    _print(
        ProgramRun(
            program=file,
            task=task.id,
            run=os.path.relpath(run),
            successes=sum(row.ended == "success" for row in rows),
            episodes=len(rows),
            steps=steps,
            reports=reports,
            rows=rows,
        ),
        source,
        options,
    )
    return 0


def _composed(options: Options, file: str, source: str) -> tuple[Stack, list[Path]]:
    """A run folder with an env server alone, and what is made for it: the folder, or what comes
    into it where there was one, which is the user's."""
    from rlgpt.composing.own_world import compose_in_own_world  # Hydra: only where it is needed

    for override in options.overrides:
        _refuse_without_effect(override)
    data = compose_in_own_world(_LAUNCH, [f"task={options.task}", *options.overrides])
    data = {**data, "name": "program", "nodes": {"env_server": data["nodes"]["env_server"]}}
    stack = check({**data, "run": "runs"}, _LAUNCH)  # before anything is made for it
    check_task(stack, _LAUNCH)
    game = DEFAULT_GAME if stack.task is None else stack.task.game
    if problem := foreign_problem(source, card(game).language):
        raise Refused(f"{file}: {problem}")
    wanted = None if data.get("run") is None else str(data["run"])
    own = wanted is None or not run_folder.exists(wanted)
    run = run_folder.create("program", wanted)
    sockets = socket_path(run, ENV_SERVER, "srv").parent
    parts = [run / "config.yaml", run / ENV_SERVER, sockets]
    made = [run] if own else [part for part in parts if not part.exists()]
    try:
        save({**data, "run": str(run)}, run)
    except OSError:
        _remove(made)
        raise
    return load(run), made


def _refuse_without_effect(override: str) -> None:
    """Raises Refused for an override that would change nothing of what is played."""
    key = changed_key(override)
    if why := _INSTEAD.get(key):
        raise Refused(f"`{override}` has no effect on a program: {why}")
    if not any(f"{key}.".startswith(f"{taken}.") for taken in _TAKEN):
        raise Refused(
            f"`{override}` has no effect on a program, which is played without agents: set "
            "world, world.*, task.*, nodes.env_server.*, hosts.*, keys or run"
        )


@contextmanager
def _kept_if_played(run: Path, made: list[Path], options: Options) -> Iterator[None]:
    """Where it is stopped: print which episodes are kept; without any, remove what was made."""
    try:
        yield
    except KeyboardInterrupt:
        if played := len(played_episodes.rows(run)):
            listed = f"`rlgpt episode list {run_word(run)}` has them"
            to_stderr(f"stopped; {played} of {options.seeds} episodes had ended: {listed}")
        else:
            _remove(made)
            to_stderr("stopped before an episode had ended; nothing is kept")
        raise


def _remove(made: list[Path]) -> None:
    for path in made:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _play(small: SmallStack, program: Program, options: Options) -> tuple[int, list[ProgramReport]]:
    task = load(small.run).task
    assert task is not None
    session = f"program/{program.name}"
    small.bus.call(
        OPEN,
        OpenSession(
            session=session,
            task=task,
            size=options.seeds,
            seeds=SeedRange(first=options.first, count=options.seeds),
        ),
    )
    ran = small.bus.run_goal(
        RUN_PROGRAM,
        f"{session}/run",
        RunProgram(session=session, program=program),
        cancelled=lambda: small.ended() is not None,
    )
    small.bus.call(CLOSE, CloseSession(session=session))
    return ran.steps, ran.reports


@contextmanager
def _refused_by_a_sentence(small: SmallStack) -> Iterator[None]:
    try:
        yield
    except RemoteError as error:
        raise Refused(f"it cannot be played: {error.message}", code=FAILED) from None
    except BusError as error:
        raise Refused(f"it was not played to its end: {small.why(error)}", code=FAILED) from None


def _print_problems(file: str, problems: list[Problem], json: bool) -> int:
    if json:
        print(json_line({"program": file, "problems": problems}))
        return REFUSED
    for problem in problems:
        print_plain(f"{file}:{problem.line}: {problem.message}")
    some = "a problem" if len(problems) == 1 else f"{len(problems)} problems"
    raise Refused(f"{file} may not run: it has {some}; docs/programs.md has the language")


def _print(ran: ProgramRun, source: str, options: Options) -> None:
    if options.json:
        print(json_line(ran))
        return
    rate = ran.successes / ran.episodes if ran.episodes else 0.0
    print_plain(
        f"{ran.program}: {ran.task} in {ran.successes} of {ran.episodes} episodes ({rate:.2f}), "
        f"{count(ran.steps)} steps"
    )
    endings = Counter(
        played_episodes.WORDS[row.ended]
        + (f" of {row.why}" if row.ended == "death" and row.why else "")
        for row in ran.rows
    )
    print("episodes: " + ", ".join(f"{number} {words}" for words, number in endings.most_common()))
    table = plain_table("runs", "the program", "line", "")
    lines = program_lines(source)
    for report in ran.reports:
        at = lines[report.line - 1].strip() if 0 < report.line <= len(lines) else ""
        table.add_row(
            str(report.count),
            report.status.replace("_", " "),
            str(report.line or ""),
            shortened(f"{report.error}: {at}" if report.error else at, 100),
        )
    print_table(table)
    print(f"run folder {ran.run}; `rlgpt episode play {ran.run} SEED` films one of them")
