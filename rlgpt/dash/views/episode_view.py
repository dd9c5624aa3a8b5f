"""The episodes of a run: a list that can be searched, and what was done in one of them."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from nodes.common.storage.episode_store import PlayPart, read_episode
from rlgpt.dash.views.program_view import program_id
from rlgpt.report import played_episodes, stores

_LISTED = 10
"""Trainings that are listed one by one."""
_TOLD = "select told from episodes where play = ? and environment = ?"


def listing(
    run: Path, seed: int | None, ended: str | None, of: str | None, first: int, most: int
) -> dict[str, Any]:
    """Episodes, the newest play first; ``found`` is how many fit. ``trainings``: those of the goal
    ``of``, each where they are few; ``trained``: all of them counted together."""
    every, fit, rows = played_episodes.newest(run, seed, ended, of, first, most)
    goals = played_episodes.several_goals(run)
    trained = played_episodes.trained(run, of)
    alone = [each for each in trained if not played_episodes.beside(each.play)]
    return {
        "found": fit,
        "all": every,
        "rows": [_listed(row, goals) for row in rows],
        "trainings": [
            {**msgspec.to_builtins(each), "words": played_episodes.trained_in_words(each.play)}
            for each in (trained if len(alone) <= _LISTED else [])
        ],
        "trained": {
            "trainings": len(alone),
            "episodes": sum(each.episodes for each in alone),
            "successes": sum(each.successes for each in alone),
            "deaths": sum(each.deaths for each in alone),
            "steps": sum(each.steps for each in alone),
        },
    }


def _listed(row: played_episodes.Row, goals: bool) -> dict[str, Any]:
    return {
        "play": row.play,
        "words": played_episodes.in_words(row.purpose, goals),
        "kind": row.purpose.kind,
        "environment": row.environment,
        "seed": row.seed,
        "ended": row.ended,
        "why": row.why,
        "steps": row.steps,
        "started": row.started,
        "changed": row.changed,
    }


def one(run: Path, play: str, environment: int) -> dict[str, Any] | None:
    """An episode with what was done in it, in order; None if there is no such episode."""
    found = (r for r in played_episodes.of_play(run, play) if r.environment == environment)
    row = next(found, None)
    table = run / "env_server" / played_episodes.FILE
    told = next(stores.rows(table, _TOLD, (play, environment)), None)
    episode = None if told is None else read_episode(told[0])
    if row is None or episode is None:
        return None
    whole = played_episodes.play(run, play)
    parts = [] if whole is None else whole.parts
    size = 1 if whole is None else whole.opened.size
    prefix = [] if whole is None else whole.opened.prefix
    done: list[dict[str, Any]] = [
        {"what": "program", "name": each.name, "program": program_id(each.source), "before": True}
        for each in prefix
    ]
    done += [
        _part(part, size, environment)
        for part in parts
        if not part.environments or environment in part.environments
    ]
    return {
        **_listed(row, played_episodes.several_goals(run)),
        "before": episode.before,
        "after": episode.after,
        "reward": episode.reward,
        "spent": episode.spent,
        "task": None if whole is None else whole.opened.task.id,
        "parts": done,
    }


def _part(part: PlayPart, size: int, environment: int) -> dict[str, Any]:
    guards = [guard.name for guard in part.guards]
    if part.program is not None:
        return {
            "what": "program",
            "name": part.program.name,
            "program": program_id(part.program.source),
            "guards": guards,
        }
    if part.interface is None:
        return {"what": "nothing", "name": "", "guards": guards}
    names = [*part.interface.actions, *(macro.name for macro in part.interface.macros)]
    chosen = np.frombuffer(part.choices, "<u2").reshape(-1, size)[:, environment]
    counts = np.bincount(chosen, minlength=len(names))
    return {
        "what": "policy",
        "name": "a policy",
        "macros": {m.name: program_id(m.source) for m in part.interface.macros},
        "decisions": len(chosen),
        "choices": {
            names[i] if i < len(names) else f"choice {i}": int(counts[i])
            for i in np.argsort(-counts, kind="stable").tolist()
            if counts[i]
        },
        "guards": guards,
    }


def rows_with_seed(run: Path, seed: int, play: str) -> list[played_episodes.Row]:
    return [row for row in played_episodes.of_play(run, play) if row.seed == seed]
