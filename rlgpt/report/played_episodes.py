"""The episodes of a run, as the env server has kept them: what each was for and how it ended."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Literal

import msgspec

from messages.world import Episode
from nodes.episode_store import EPISODES, FILE, PLAY, PLAYS, TRAINED, Kept, Play, Trained
from nodes.episode_store import read_kept as read_rows
from nodes.episode_store import read_play as read_row
from rlgpt.report import stores
from rlgpt.run_folder import env_server_folders

Kind = Literal["tryout", "evaluation", "performance", "other"]
Ending = Literal["success", "death", "horizon", "stopped", "cut_off"]
"""``stopped``: the last program or policy was over, and the episode was not. ``cut_off``: the play
was, by a kill or a cancellation."""

WORDS: dict[Ending, str] = {
    "success": "success",
    "death": "died",
    "horizon": "horizon",
    "stopped": "stopped",
    "cut_off": "cut off",
}


class Purpose(msgspec.Struct, frozen=True, kw_only=True):
    """What a play was for, from its id, which is a goal's id and a word."""

    kind: Kind
    subtask: str = ""
    iteration: int | None = None
    sub_action: str = ""
    attempt: str = ""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One episode."""

    play: str
    purpose: Purpose
    environment: int  # its place in the batch
    seed: int
    ended: Ending
    why: str  # what the player died of, how the last program ended
    steps: int
    started: float  # seconds since the epoch, of its play
    position: tuple[float, float, float]  # metres, at its end
    life: float
    changed: dict[str, int]  # item -> how many more, or less, than at its start


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """The episodes of one play."""

    play: str
    purpose: Purpose
    rows: list[Row]

    @property
    def successes(self) -> int:
        return sum(row.ended == "success" for row in self.rows)


def batches(run: Path) -> list[Batch]:
    """By play, in the order that the plays were begun in."""
    found: dict[str, Batch] = {}
    for row in rows(run):
        batch = Batch(play=row.play, purpose=row.purpose, rows=[])
        found.setdefault(row.play, batch).rows.append(row)
    return list(found.values())


def rows(run: Path) -> list[Row]:
    """Every episode but those of trainings."""
    plays = {play: (began, bool(whole)) for play, began, whole in stores.rows(_file(run), PLAYS)}
    kept = read_rows(list(stores.rows(_file(run), EPISODES)))
    return [_row(each, *plays[each.play]) for each in kept if each.play in plays]


def trained(run: Path) -> list[Trained]:
    """The episodes of trainings, counted, over all env servers."""
    counts: dict[str, list[int]] = {}
    for folder in env_server_folders(run):
        for play, *counted in stores.rows(folder / FILE, TRAINED):
            before = counts.get(play, [0] * len(counted))
            counts[play] = [a + b for a, b in zip(before, counted, strict=True)]
    return [
        Trained(play=play, episodes=n, successes=successes, deaths=deaths, steps=steps)
        for play, (n, successes, deaths, steps) in counts.items()
    ]


def play(run: Path, id: str) -> Play | None:
    """A play with all that was done in it."""
    return next((read_row(row) for row in stores.rows(_file(run), PLAY, (id,))), None)


def counts(run: Path) -> dict[str, int]:
    """Episodes by what they were for."""
    found: dict[str, int] = {}
    for row in rows(run):
        found[row.purpose.kind] = found.get(row.purpose.kind, 0) + 1
    if training := sum(each.episodes for each in trained(run)):
        found["training"] = training
    return found


_PERFORMED = re.compile(r"perform(-\d+)?")


def purpose(play: str) -> Purpose:
    # Practice after a performance has a part of its own below its subtask's.
    parts = [part for part in play.split("/") if not re.fullmatch(r"again-\d+", part)]
    # Whatever stands before, these are the last parts: see docs/agents.md.
    subtask, iteration = "", None
    for before, part in pairwise(parts):
        if match := re.fullmatch(r"iteration-(\d+)", part):
            subtask, iteration = before, int(match[1])
    if trial := re.fullmatch(r"trial-(\w+)", parts[-1]):
        return Purpose(
            kind="tryout",
            subtask=subtask,
            iteration=iteration,
            sub_action=parts[-2] if len(parts) > 1 else "",
            attempt=trial[1],
        )
    if parts[-1] == "episodes" and any(_PERFORMED.fullmatch(part) for part in parts):
        return Purpose(kind="performance")
    if parts[-1] == "episodes":
        return Purpose(kind="evaluation", subtask=subtask, iteration=iteration)
    return Purpose(kind="other")


def in_words(purpose: Purpose) -> str:
    """``tryout 0 of harvest-log, iteration 2``"""
    words: str = purpose.kind
    if purpose.kind == "tryout":
        words = f"tryout {purpose.attempt} of {purpose.sub_action}"
    elif purpose.subtask:
        words += f" of {purpose.subtask}"
    return words if purpose.iteration is None else f"{words}, iteration {purpose.iteration}"


def _file(run: Path) -> Path:
    """What is no training's is played on the first env server."""
    return run / "env_server" / FILE


def _row(kept: Kept, began: float, whole: bool) -> Row:
    episode = kept.episode
    ended: Ending = "stopped" if kept.why else "cut_off"
    if episode.ended != "running":
        ended = episode.ended
    elif whole and not kept.why:
        ended = "stopped"
    return Row(
        play=kept.play,
        purpose=purpose(kept.play),
        environment=episode.environment,
        seed=episode.seed,
        ended=ended,
        why=kept.why,
        steps=episode.steps,
        started=began,
        position=episode.after.position,
        life=episode.after.life,
        changed=changed(episode),
    )


def changed(episode: Episode) -> dict[str, int]:
    """Item -> how many more, or less, than when the episode began."""
    had, has = episode.before.inventory, episode.after.inventory
    more = {item: has.get(item, 0) - had.get(item, 0) for item in [*had, *has]}
    return {item: number for item, number in more.items() if number}
