"""``rlgpt skill``: lists, shows, plays and removes the skills of a library."""

import contextlib
import os
from collections.abc import Generator
from datetime import datetime
from pathlib import Path

import msgspec

from messages.bus import BusError, RemoteError
from messages.plan import EVALUATE, Evaluate, SubAction
from messages.world import MOST_ENVIRONMENTS
from nodes.common.running.ending_signals import interruptible
from nodes.common.running.exit_codes import FAILED
from nodes.common.running.plain_text import plain_line
from nodes.common.skills.skill_library import Library
from nodes.common.skills.skills import LibraryError, Skill
from rlgpt.composing.configuration import LARGEST_SEED, save
from rlgpt.refused import Refused, did_you_mean
from rlgpt.runs import run_folder
from rlgpt.single_runs.small_stack import small_stack
from rlgpt.terminal import plain_table, print_plain, print_table

DEFAULT = "runs/skills"
"""Beside the run folders, as the launch files have it."""

_NODES = ("env_server", "learner", "fast_agent")
_ANY = "harvest_log"  # a launch file, for the world and the learner of a skill's run


def listed(folder: str | None) -> int:
    """Print every skill, one a line."""
    with _library(folder) as library:
        skills = library.all()
    table = plain_table("name", "kind", "brings about", "starts with", "rate", "used", "samples")
    for skill in skills:
        counts = skill.counts
        table.add_row(
            skill.name,
            _kind(skill),
            _condition(skill) if skill.learned.guard is None else "-",
            _start(skill),
            f"{counts.rate:.2f} ({counts.successes}/{counts.episodes})",
            f"{counts.used_successes}/{counts.used_episodes}",
            f"{counts.samples:,}",
        )
    print_table(table if skills else f"no skills in {library.folder}")
    return 0


def show(name: str, folder: str | None) -> int:
    """Print all that is known of a skill, and its source or its training spec."""
    with _library(folder) as library:
        skill = _find(library, name)
    learned, counts = skill.learned, skill.counts
    source = learned.provenance
    unit = "episodes" if learned.guard is None else "turns"
    rows = {
        "name": f"{skill.name} ({_kind(skill)}, {learned.method})",
        "purpose": learned.purpose,
        "brings about" if learned.guard is None else "interrupts": _condition(skill),
        "starts with": _start(skill),
        "after": ", ".join(s.sub_action.name for s in learned.before) or "an episode's start",
        "task": f"{learned.task.id}: {learned.task.prompt}",
        "aim reached": f"in {counts.successes} of {counts.episodes} {unit}",
        "evaluations": f"{counts.used_successes} of {counts.used_episodes} episodes",
        "samples": f"{counts.samples:,}",
        "run": source.run,
        "goal": source.goal,
        "commit": source.commit or "not known",
        "model": source.model or "not known",
        "world": source.world or "not known",
        "created": datetime.fromtimestamp(skill.created).isoformat(" ", "seconds"),
        "files": skill.folder,
    }
    for label, value in rows.items():
        print_plain(f"{label:14}{plain_line(str(value))}")
    if learned.guard is not None:
        program = learned.guard.program
        print_plain(f"\n{learned.guard.when.rstrip()}")
        print_plain(f"\n{program.source.rstrip()}" if program is not None else "")
    elif learned.program is not None:
        print_plain(f"\n{learned.program.source.rstrip()}")
    elif learned.spec is not None:
        interface = learned.spec.interface
        print_plain(f"{'observations':14}{', '.join(interface.observations)}")
        names = [*interface.actions, *(macro.name for macro in interface.macros)]
        print_plain(f"{'actions':14}{', '.join(names)}")
        _check(skill)
    return 0


def remove(name: str, folder: str | None) -> int:
    """Forget a skill, and delete its files."""
    with _library(folder) as library:
        # Not read: a row that is broken can be removed, too.
        if name not in (known := library.names()):
            raise _unknown(name, known, library.folder)
        deleted = library.remove(name)
    without = "" if deleted else "; it had no files there"
    print_plain(f"{name} is removed from {library.folder}{without}")
    return 0


def play(name: str, folder: str | None, episodes: int, seed: int) -> int:
    """Play a skill in new episodes of its task, after the stages that ran before it when it was
    learned. Returns 0, or 1 if it never reached its aim."""
    with _library(folder) as library:
        skill = _find(library, name)
        _check(skill)
    if skill.learned.guard is not None:
        raise Refused(
            f"{name} is a guard, which plays only beside what it interrupts; `rlgpt skill show "
            f"{name}` prints it"
        )
    if not 1 <= episodes <= MOST_ENVIRONMENTS:
        raise Refused(f"--episodes {episodes}: 1 to {MOST_ENVIRONMENTS:,} can be played at once")
    if not 0 <= seed <= LARGEST_SEED:
        raise Refused(f"--seed {seed}: a seed is 0 to {LARGEST_SEED:,}")
    run = _prepared(skill, library.folder, episodes, seed)
    learned = skill.learned
    action = SubAction(name=skill.name, method=learned.method, success=learned.condition)
    request = Evaluate(
        # The task ends with what the skill is for, so that its episodes' success is the skill's.
        task=msgspec.structs.replace(learned.task, success=learned.condition),
        stages=[*learned.before, skill.stage(action)],
        record=False,
    )
    where = os.path.relpath(run)
    print(f"playing {skill.name} in {episodes} episodes; run folder {where}", flush=True)
    with interruptible(), small_stack(run) as small:
        try:
            evaluated = small.bus.run_goal(
                EVALUATE,
                f"skill/{skill.name}",
                request,
                cancelled=lambda: small.ended() is not None,
            )
        except RemoteError as error:
            raise Refused(f"{skill.name} cannot be played: {error.message}", code=FAILED) from None
        except BusError as error:
            why = small.why(error)
            raise Refused(f"{skill.name} was not played to its end: {why}", code=FAILED) from None
    successes = sum(episode.success for episode in evaluated.episodes)
    print(
        f"{skill.name}: {successes} of {len(evaluated.episodes)} episodes "
        f"({evaluated.success_rate:.2f}), {evaluated.steps:,} primitive steps"
    )
    return 0 if successes else 1


# ---- inside


@contextlib.contextmanager
def _library(folder: str | None) -> Generator[Library]:
    try:
        library = Library(Path(os.path.expanduser(folder or DEFAULT)), make=False)
    except LibraryError as error:
        hint = "" if folder else "; --library FOLDER names another"
        raise Refused(f"{error}{hint}") from None
    try:
        yield library
    except LibraryError as error:
        raise Refused(str(error)) from None
    finally:
        library.close()


def _find(library: Library, name: str) -> Skill:
    known = library.names()
    skill = library.find(name)
    if skill is None:
        raise _unknown(name, known, library.folder)
    return skill


def _unknown(name: str, known: list[str], folder: Path) -> Refused:
    there = f" (there are: {', '.join(known)})" if known else " (it is empty)"
    return Refused(f"there is no skill `{name}` in {folder}{did_you_mean(name, known)}{there}")


def _check(skill: Skill) -> None:
    try:
        skill.check()
    except LibraryError as error:
        raise Refused(str(error)) from None


def _kind(skill: Skill) -> str:
    if skill.learned.guard is not None:
        return "guard"
    return "program" if skill.learned.program is not None else "policy"


def _condition(skill: Skill) -> str:
    condition = skill.learned.condition
    shown = condition.kind == "have" or condition.quantity > 1
    quantity = f" {condition.quantity}" if shown else ""
    return f"{condition.kind}{quantity} {condition.name}"


def _start(skill: Skill) -> str:
    items = skill.learned.start.items()
    return ", ".join(f"{quantity} {item}" for item, quantity in items) or "nothing"


def _prepared(skill: Skill, library: Path, episodes: int, seed: int) -> Path:
    """A run folder with the nodes that play, as a launch would have made it."""
    from rlgpt.composing.composition import compose_launch  # Hydra: only where it is needed

    overrides = [f"seed={seed}"]
    if skill.learned.provenance.world:
        overrides.append(f"world={skill.learned.provenance.world}")
    data = compose_launch(_ANY, overrides)
    run = run_folder.create(f"skill-{skill.name}", None)
    nodes = {name: {**data["nodes"][name], "after": []} for name in _NODES}
    nodes["fast_agent"]["parameters"] = {
        "evaluation_episodes": episodes,
        "skills": str(library),
    }
    try:
        save({**data, "name": "skill", "task": None, "nodes": nodes, "run": str(run)}, run)
    except OSError:
        run_folder.remove(run, run_folder.latest())
        raise
    return run
