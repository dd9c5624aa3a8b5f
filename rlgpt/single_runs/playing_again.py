"""``rlgpt episode play RUN SEED``: an episode of a run, once more, filmed.

The env server has stored what was done in it: the programs, and each choice of a policy. So no
agent and no learner is needed, and no random number is drawn: an env server of this command opens
the same world with the same seed, and is sent the same programs and choices.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np

from messages.bus import BusError, RemoteError
from messages.world import (
    CLOSE,
    INTERFACE,
    OPEN,
    RUN_PROGRAM,
    STEP,
    Closed,
    CloseSession,
    Episode,
    Interface,
    RunProgram,
    SeedRange,
    Step,
    TakeInterface,
)
from nodes.common.goals.goal_ids import file_name
from nodes.common.running.ending_signals import interruptible
from nodes.common.running.exit_codes import FAILED
from nodes.common.storage.episode_store import PlayPart, StoredPlay
from nodes.common.storage.whole_files import whole_file
from rlgpt.composing.configuration import read, save
from rlgpt.refused import Refused
from rlgpt.report import played_episodes, stores
from rlgpt.report.words import shortened
from rlgpt.runs import run_folder
from rlgpt.runs.episode import ending, selected
from rlgpt.runs.typed import run_word
from rlgpt.single_runs.small_stack import SmallStack, small_stack

_SESSION = "again"
_FRAMES = 1_000_000  # of the film: all of them
_SOLE = ["compass"]  # what is seen changes nothing once the choices are known


def play_again(wanted: str | None, seed: int, of: str | None, out: str | None) -> int:
    """Film an episode again. Returns 0 where it went as it was recorded, 1 where it did not."""
    run = run_folder.find(wanted)
    row = _row(run, seed, of)
    play = played_episodes.play(run, row.play)
    if play is None:
        raise Refused(f"what was done in {row.play} cannot be read; play another with --of GOAL")
    film = _film(run, row, out)
    place = row.environment
    print(f"playing {played_episodes.in_words(row.purpose)}, seed {seed} ({row.play})", flush=True)
    with interruptible(), _own_run(run) as own, small_stack(own, kept=False) as small:
        try:
            closed = _played(small, play, place, seed)
        except RemoteError as error:
            raise Refused(f"it cannot be played again: {error.message}", code=FAILED) from None
        except BusError as error:
            raise Refused(f"it was not played to its end: {small.why(error)}", FAILED) from None
        if closed.video is not None:
            copy_film(own / closed.video, film)
    (again,) = closed.episodes
    if closed.video is not None:
        print(f"film    {os.path.relpath(film)}")
    elif again.steps:
        raise Refused("the film could not be written; is the disk full?", code=FAILED)
    else:
        print("there is no film: the player did nothing in this episode")
    return _compare(row, again, _kind(run))


def _row(run: Path, seed: int, of: str | None) -> played_episodes.Row:
    """The newest episode with a seed."""
    stores.check_readable(run)
    rows = selected(run, of)
    found = [row for row in rows if row.seed == seed]
    if found:
        return found[-1]
    if not rows:
        raise Refused(f"no episode of {run.name} has been kept: there is nothing to play again")
    seeds = sorted({row.seed for row in rows})
    known = ", ".join(map(str, seeds[:8])) + (", ..." if len(seeds) > 8 else "")
    raise Refused(
        f"no episode of {run.name} was played on seed {seed}; there are: {known} (`rlgpt episode "
        f"list {run_word(run)}` has them; those of trainings cannot be played again)"
    )


def _film(run: Path, row: played_episodes.Row, out: str | None) -> Path:
    """Where the film goes; a folder for it is made first: a long episode is not for nothing."""
    film = run / "films" / f"{file_name(row.play)}-{row.seed}.mp4"
    if out is not None:
        film = Path(os.path.expanduser(out)).absolute()
        if film.exists() and film.suffix != ".mp4":
            raise Refused(f"{out} exists and is no film; name a file, --out FILE.mp4")
    if film.is_dir():
        raise Refused(f"{film} is a folder; name a file, --out FILE.mp4")
    try:
        film.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(f"{film} cannot be written: {error.strerror}; try --out FILE.mp4") from None
    if not os.access(film.parent, os.W_OK):
        raise Refused(f"{film.parent} cannot be written to; try --out FILE.mp4")
    return film


@contextmanager
def _own_run(run: Path) -> Iterator[Path]:
    """A run folder for one env server, with the world of ``run``. It is removed afterwards."""
    data = read(run)
    node = data.get("nodes", {}).get("env_server")
    if not isinstance(node, dict):
        raise Refused(f"{run.name} has no env server in its config.yaml")
    try:
        own = Path(tempfile.mkdtemp(prefix="rlgpt-again-"))
    except OSError as error:  # no folder for it, which the error names, or no room
        raise Refused(f"{error.strerror}: set TMPDIR to a folder with room for a film") from None
    try:
        # What MineCLIP saw and paid changes nothing once the choices are known.
        parameters = {
            **(node.get("parameters") or {}), "longest_film": _FRAMES, "mineclip": None,
        }  # fmt: skip
        kept = {key: data[key] for key in ("seed", "task", "world", "limits") if key in data}
        nodes = {"env_server": {**node, "after": [], "parameters": parameters}}
        save({**kept, "name": "again", "run": str(own), "nodes": nodes}, own)
        yield own
    finally:
        shutil.rmtree(own, ignore_errors=True)


def _played(small: SmallStack, play: StoredPlay, place: int, seed: int) -> Closed:
    """The episode of environment ``place`` of a play, alone in a session."""
    opened = msgspec.structs.replace(
        play.opened,
        session=_SESSION,
        play="",
        size=1,
        seeds=SeedRange(first=seed, count=1),
        interface=None,
        record=True,
        pictures=None,
    )
    small.bus.call(OPEN, opened)
    for number, part in enumerate(play.parts):
        if part.environments and place not in part.environments:
            continue
        if part.program is not None:
            small.bus.run_goal(
                RUN_PROGRAM,
                f"{_SESSION}/{number}",
                RunProgram(
                    session=_SESSION,
                    program=part.program,
                    begins=part.begins,
                    guards=part.guards,
                ),
                cancelled=lambda: small.ended() is not None,
            )
        elif part.interface is not None:
            _choose(small, part, part.interface, play.opened.size, place)
    return small.bus.call(CLOSE, CloseSession(session=_SESSION))


def _choose(small: SmallStack, part: PlayPart, interface: Interface, size: int, place: int) -> None:
    """A policy's stage: its choices, as far as they go or until it is over."""
    alone = msgspec.structs.replace(interface, observations=_SOLE, rewards=[])
    take = TakeInterface(session=_SESSION, interface=alone, begins=part.begins, guards=part.guards)
    small.bus.call(INTERFACE, take)
    chosen = np.frombuffer(part.choices, "<u2").reshape(-1, size)[:, place]
    for choice in chosen.astype(np.int64):
        stepped = small.bus.call(STEP, Step(session=_SESSION, choices=np.array([choice])))
        if not stepped.steps[0] or stepped.terminated[0] or stepped.truncated[0]:
            return


def copy_film(film: Path, to: Path) -> None:
    """Copy a film, which is mostly on another disk, in place of an older one. Raises Refused."""
    try:
        with film.open("rb") as played, whole_file(to) as kept:
            shutil.copyfileobj(played, kept)
    except OSError as error:
        raise Refused(f"{to} cannot be written: {error.strerror}", code=FAILED) from None


def _kind(run: Path) -> str:
    world = read(run).get("world")
    return str(world.get("kind", "")) if isinstance(world, dict) else ""


def _compare(row: played_episodes.Row, again: Episode, world: str) -> int:
    """Print whether the episode is as recorded."""
    if row.ended == "cut_off":
        print(f"the recorded episode was cut off after {row.steps} steps; this one as far as known")
        return 0
    differs = [name for name, same in _same(row, again).items() if not same]
    if not differs:
        print(f"as recorded: {ending(row)}, after {row.steps} steps")
        return 0
    now = "stopped" if again.ended == "running" else again.ended
    print(
        f"it differs from the recording ({', '.join(differs)}): {played_episodes.WORDS[now]} after "
        f"{again.steps} steps, recorded: {shortened(ending(row), 80)} after {row.steps}. "
        + (
            "Minecraft itself does not repeat an episode."
            if world == "minedojo"
            else "Was the world or the language changed since? See `rlgpt world fingerprint`."
        )
    )
    return FAILED


def _same(row: played_episodes.Row, again: Episode) -> dict[str, bool]:
    ended = "stopped" if again.ended == "running" else again.ended
    return {
        "ending": ended == row.ended,
        "steps": again.steps == row.steps,
        "position": again.after.position == row.position,
        "life": again.after.life == row.life,
        "inventory": played_episodes.changed(again) == row.changed,
    }
