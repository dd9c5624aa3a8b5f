"""The episodes of a run, as the env server has kept them: what each was for and how it ended."""

import re
from functools import lru_cache
from itertools import pairwise, product
from pathlib import Path
from typing import Literal

import msgspec

from messages.plan import PURSUE
from messages.world import Episode
from nodes.common.storage.episode_store import (
    ENDINGS,
    ENDS,
    EPISODES,
    FILE,
    PLAY,
    TRAINED,
    TURNS,
    StoredPlay,
    TrainingEpisodes,
    read_episode,
)
from nodes.common.storage.episode_store import read_play as read_row
from rlgpt.report import stores
from rlgpt.runs.run_folder import env_server_folders

Kind = Literal["tryout", "comparison", "evaluation", "validation", "performance", "other"]
"""``comparison``: the stages with a learned guard, or without it, which decides whether it is kept.
"""
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


_WITHIN = "(:of is null or play = :of or substr(play, 1, length(:of) + 1) = :of || '/')"
"""Whether a play is of the goal ``of``, or is it."""


class Purpose(msgspec.Struct, frozen=True, kw_only=True):
    """What a play was for, from its id, which is a goal's id and a word."""

    kind: Kind
    goal: str = ""  # id of the goal that led to it
    subtask: str = ""
    iteration: int | None = None
    sub_action: str = ""  # of a comparison its guard: `guard-flee`
    attempt: str = ""  # the tryout's number, or what was tried; of a comparison `with`, `without`


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


def batches(run: Path, of: str | None = None) -> list[Batch]:
    """The batches by play, in the order that the plays were begun in. ``of``: only those of this
    goal."""
    found: dict[str, Batch] = {}
    for row in rows(run, of):
        batch = Batch(play=row.play, purpose=row.purpose, rows=[])
        found.setdefault(row.play, batch).rows.append(row)
    return list(found.values())


def rows(run: Path, of: str | None = None) -> list[Row]:
    """Every episode but those of trainings. ``of``: only those of this goal, or this play."""
    query = f"select * from ({EPISODES}) where {_WITHIN} order by began, play, environment"
    found = (_row(*columns) for columns in stores.rows(_file(run), query, {"of": of}))
    return [row for row in found if row is not None]


def of_play(run: Path, play: str) -> list[Row]:
    """The episodes of one play."""
    query = f"select * from ({EPISODES}) where play = ?"
    found = (_row(*columns) for columns in stores.rows(_file(run), query, (play,)))
    return [row for row in found if row is not None]


def newest(
    run: Path, seed: int | None, ended: str | None, of: str | None, first: int, most: int
) -> tuple[int, int, list[Row]]:
    """The newest episodes of a seed, an ending, a goal: how many episodes there are, how many of
    them fit, and those from ``first`` on, at most ``most``, the newest play first. Where no episode
    has the seed, those whose seed ends with its digits: tryouts and evaluations count from a number
    of their own, 900000 and so on."""
    fits = " and ".join(
        (
            "(:seed is null or seed = :seed or (seed % :ends = :seed and :seed not in"
            f" (select seed from ({EPISODES}))))",
            "(:ended is null or ending = :ended)",
            _WITHIN,
        )
    )
    ends = 10 ** len(str(seed))
    values = {"seed": seed, "ends": ends, "ended": ended, "of": of, "first": first, "most": most}
    counted = f"select count(*), count(case when {fits} then 1 end) from ({EPISODES})"
    listed = (
        f"select * from ({EPISODES}) where {fits}"
        " order by began desc, play, environment limit :most offset :first"
    )
    ((every, fit),) = list(stores.rows(_file(run), counted, values)) or [(0, 0)]
    found = (_row(*columns) for columns in stores.rows(_file(run), listed, values))
    return every, fit, [row for row in found if row is not None]


def endings(run: Path) -> dict[str, list[tuple[Ending, str, int]]]:
    """The endings by play, in the order that the plays were begun in: how many episodes ended how,
    and why."""
    found: dict[str, list[tuple[Ending, str, int]]] = {}
    for play, ended, why, number in stores.rows(_file(run), ENDINGS):
        found.setdefault(play, []).append((ended, why, number))
    return found


def ends(run: Path) -> dict[str, dict[int, tuple[Ending, str]]]:
    """How each episode ended, and why, by play and environment."""
    found: dict[str, dict[int, tuple[Ending, str]]] = {}
    for play, environment, ended, why in stores.rows(_file(run), ENDS):
        found.setdefault(play, {})[environment] = (ended, why)
    return found


def trained(run: Path, of: str | None = None) -> list[TrainingEpisodes]:
    """The episodes of trainings, of guards the turns, counted, over all env servers. ``of``: as in
    `rows`."""
    counts: dict[str, list[int]] = {}
    for folder, counting in product(env_server_folders(run), (TRAINED, TURNS)):
        query = f"select * from ({counting}) where {_WITHIN}"
        for play, *counted in stores.rows(folder / FILE, query, {"of": of}):
            before = counts.get(play, [0] * len(counted))
            counts[play] = [a + b for a, b in zip(before, counted, strict=True)]
    return [
        TrainingEpisodes(play=play, episodes=n, successes=successes, deaths=deaths, steps=steps)
        for play, (n, successes, deaths, steps) in counts.items()
    ]


_BESIDE = {"/tryout": "tryouts in training", "/demonstration": "demonstrations for training"}
"""What else a learner plays for a policy, by what stands behind the policy's id."""


def beside(play: str) -> str:
    """What a play of a learner was beside its training; "" for the training itself."""
    return next((words for ending, words in _BESIDE.items() if play.endswith(ending)), "")


def trained_in_words(play: str) -> str:
    """``training goal/0-log/iteration-2/dig/train``, ``tryouts in training ...``"""
    ending = next((each for each in _BESIDE if play.endswith(each)), "")
    return f"{beside(play) or 'training'} {play.removesuffix(ending)}"


def play(run: Path, id: str) -> StoredPlay | None:
    """A play with all that was done in it."""
    return next((read_row(row) for row in stores.rows(_file(run), PLAY, (id,))), None)


def counts(run: Path) -> dict[str, int]:
    """Episodes by what they were for."""
    found: dict[str, int] = {}
    for play, ended in endings(run).items():
        kind = purpose(play).kind
        found[kind] = found.get(kind, 0) + sum(number for _, _, number in ended)
    for each in trained(run):
        kind = "tryout" if each.play.endswith("/tryout") else "training"
        found[kind] = found.get(kind, 0) + each.episodes
    return found


_NUMBER = re.compile(r"^\d+-")
"""A subtask's place in the plan, before its name."""
_PERFORMED = re.compile(r"(perform|validate)(-\d+)?")


@lru_cache(maxsize=4096)
def purpose(play: str) -> Purpose:
    # Whatever stands before, as a goal may have any name, these are the last parts: see
    # docs/agents.md. Episodes that are played in portions have one more at the end.
    parts = play.split("/")
    if len(parts) > 1 and re.fullmatch(r"more-\d+", parts[-1]):
        parts.pop()
    goal, subtask, iteration = "", "", None
    for place, (before, part) in enumerate(pairwise(parts)):
        if match := re.fullmatch(r"iteration-(\d+)", part):
            # Practice after a performance has a part of its own below its subtask's.
            place -= place > 0 and re.fullmatch(r"again-\d+", before) is not None
            goal, subtask, iteration = "/".join(parts[:place]), parts[place], int(match[1])
    if trial := re.fullmatch(r"trial-(\w+)", parts[-1]):
        return Purpose(
            kind="tryout",
            goal=goal,
            subtask=subtask,
            iteration=iteration,
            sub_action=parts[-2] if len(parts) > 1 else "",
            attempt=trial[1],
        )
    if parts[-1] in ("with", "without") and len(parts) > 1 and parts[-2].startswith("guard-"):
        return Purpose(
            kind="comparison",
            goal=goal,
            subtask=subtask,
            iteration=iteration,
            sub_action=parts[-2],
            attempt=parts[-1],
        )
    if parts[-1] == "episodes" and len(parts) > 1 and _PERFORMED.fullmatch(parts[-2]):
        kind: Kind = "validation" if parts[-2].startswith("validate") else "performance"
        return Purpose(kind=kind, goal="/".join(parts[:-2]))
    if parts[-1] == "episodes":
        return Purpose(kind="evaluation", goal=goal, subtask=subtask, iteration=iteration)
    return Purpose(kind="other")


def in_words(purpose: Purpose, goals: bool = False) -> str:
    """``tryout 0 of harvest-log, iteration 2``. ``goals``: with its goal, where a run has several
    and the same words would stand for plays of all of them."""
    words: str = purpose.kind
    if purpose.kind == "tryout":
        number = purpose.attempt.isdigit()  # else what is tried: a program, a skill
        which = f"{purpose.attempt} of" if number else f"of the {purpose.attempt} for"
        words = f"tryout {which} {purpose.sub_action}"
    elif purpose.kind == "comparison":
        words = f"comparison {purpose.attempt} {purpose.sub_action}"
    elif purpose.subtask:
        words += f" of {_NUMBER.sub('', purpose.subtask)}"
    if purpose.iteration is not None:
        words += f", iteration {purpose.iteration}"
    return f"{words}, goal {purpose.goal}" if goals and purpose.goal else words


def several_goals(run: Path) -> bool:
    """Whether a run was given more than one."""
    return len(stores.goals(run, PURSUE)) > 1


def _file(run: Path) -> Path:
    """What is no training's is played on the first env server."""
    return run / "env_server" / FILE


def _row(
    play: str,
    environment: int,
    seed: int,
    ended: Ending,
    why: str,
    steps: int,
    began: float,
    encoded: bytes,
) -> Row | None:
    """None: it cannot be read."""
    episode = read_episode(encoded)
    if episode is None:
        return None
    return Row(
        play=play,
        purpose=purpose(play),
        environment=environment,
        seed=seed,
        ended=ended,
        why=why,
        steps=steps,
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
