"""``rlgpt skill``: lists, shows, plays and removes the skills of a library."""

import contextlib
import os
import subprocess
import time
from collections.abc import Generator
from datetime import datetime
from pathlib import Path

import msgspec

from messages.bus import Bus, BusError, RemoteError
from messages.empty import Empty
from messages.plan import EVALUATE, Evaluate, SubAction
from messages.system import describe
from nodes.exit_codes import FAILED
from nodes.process import child_environment, python
from nodes.skill_library import Library
from nodes.skills import LibraryError, Skill
from rlgpt import run_folder
from rlgpt.configuration import LARGEST_SEED, load, save
from rlgpt.inspecting import connected
from rlgpt.refused import Refused, near
from rlgpt.terminal import plain_table, print_table

DEFAULT = "runs/skills"
"""Beside the run folders, as the launch files have it."""

_NODES = ("env_server", "learner", "fast_agent")
_READY_WITHIN = 300.0  # seconds; the first start of a world compiles its kernels
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
            _condition(skill),
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
    rows = {
        "name": f"{skill.name} ({_kind(skill)}, {learned.method})",
        "purpose": learned.purpose,
        "brings about": _condition(skill),
        "starts with": _start(skill),
        "after": ", ".join(s.sub_action.name for s in learned.before) or "an episode's start",
        "task": f"{learned.task.id}: {learned.task.prompt}",
        "aim reached": f"in {counts.successes} of {counts.episodes} episodes",
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
        print(f"{label:14}{value}")
    if learned.program is not None:
        print(f"\n{learned.program.source.rstrip()}")
    elif learned.spec is not None:
        interface = learned.spec.interface
        print(f"{'observations':14}{', '.join(interface.observations)}")
        names = [*interface.actions, *(macro.name for macro in interface.macros)]
        print(f"{'actions':14}{', '.join(names)}")
        _check(skill)
    return 0


def remove(name: str, folder: str | None) -> int:
    """Forget a skill, and delete its files."""
    with _library(folder) as library:
        skill = _find(library, name)
        library.remove(skill.name)
    print(f"{skill.name} is removed from {library.folder}")
    return 0


def play(name: str, folder: str | None, episodes: int, seed: int) -> int:
    """Play a skill in fresh episodes of its task, after what ran before it when it was learned.
    Returns 0, or 1 if it never did what it is for."""
    with _library(folder) as library:
        skill = _find(library, name)
        _check(skill)
    if episodes < 1:
        raise Refused(f"--episodes {episodes}: at least one is needed")
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
    stack = load(run)
    with _nodes(run) as children, connected(run, stack) as bus:
        _wait_ready(bus, run, children)
        try:
            evaluated = bus.run_goal(
                EVALUATE,
                f"skill/{skill.name}",
                request,
                cancelled=lambda: _ended(children) is not None,
            )
        except RemoteError as error:
            raise Refused(f"{skill.name} cannot be played: {error.message}", code=FAILED) from None
        except BusError as error:
            ended = _ended(children)
            why = str(error) if ended is None else _last_word(run, ended)
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
        library = Library(Path(folder or DEFAULT), make=False)
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
    skill = library.find(name)
    if skill is None:
        known = [each.name for each in library.all()]
        there = f" (there are: {', '.join(known)})" if known else " (it is empty)"
        raise Refused(f"there is no skill `{name}` in {library.folder}{near(name, known)}{there}")
    return skill


def _check(skill: Skill) -> None:
    try:
        skill.check()
    except LibraryError as error:
        raise Refused(str(error)) from None


def _kind(skill: Skill) -> str:
    return "program" if skill.learned.program is not None else "policy"


def _condition(skill: Skill) -> str:
    condition = skill.learned.condition
    quantity = f" {condition.quantity}" if condition.kind == "have" else ""
    return f"{condition.kind}{quantity} {condition.name}"


def _start(skill: Skill) -> str:
    items = skill.learned.start.items()
    return ", ".join(f"{quantity} {item}" for item, quantity in items) or "nothing"


def _prepared(skill: Skill, library: Path, episodes: int, seed: int) -> Path:
    """A run folder with the nodes that play, as a launch would have made it."""
    from rlgpt.composition import compose_launch  # Hydra: only where it is needed

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
    save({**data, "name": "skill", "task": None, "nodes": nodes, "run": str(run)}, run)
    return run


Children = dict[str, "subprocess.Popen[bytes]"]


@contextlib.contextmanager
def _nodes(run: Path) -> Generator[Children]:
    """The nodes as children of ours; they end when we do. Nobody starts them again: a skill is
    played in a minute, and whoever asked for it is there to ask again."""
    stack = load(run)
    environment = child_environment()
    children: Children = {}
    try:
        for name in _NODES:
            (run / name).mkdir(exist_ok=True)
            with (run / name / "output.log").open("wb") as log:
                command = python(stack.module(name), "--run", str(run))
                children[name] = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        yield children
    finally:
        for child in children.values():
            child.terminate()
        for child in children.values():
            try:
                child.wait(20.0)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        run_folder.remove_short_sockets(run)


def _ended(children: Children) -> str | None:
    """The name of a node that has ended, if one has."""
    return next((name for name, child in children.items() if child.poll() is not None), None)


def _last_word(run: Path, name: str) -> str:
    """Why a node ended, as far as it said so."""
    log = run / name / "output.log"
    lines = log.read_text(errors="replace").splitlines()
    said = f" ({lines[-1].removeprefix(f'{name}: ')})" if lines else ""
    return f"{name} ended{said}; see {log}"


def _wait_ready(bus: Bus, run: Path, children: Children) -> None:
    deadline = time.monotonic() + _READY_WITHIN
    for name in _NODES:
        while True:
            try:
                bus.call(describe(name), Empty(), timeout=2.0)
                break
            except BusError:
                if (ended := _ended(children)) is not None:
                    raise Refused(_last_word(run, ended), code=FAILED) from None
                if time.monotonic() > deadline:
                    log = run / name / "output.log"
                    raise Refused(f"{name} does not get ready; see {log}", code=FAILED) from None
