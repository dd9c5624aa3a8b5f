"""Which game an env server's world is of: its play, and worlds of it."""

from collections.abc import Sequence
from typing import Any

import worlds
from messages.world import OpenSession, Task
from worlds.common.feature_matrix import shows_pictures
from worlds.play import Play, Run, World


def play_of(kind: str, task: Task) -> Play:
    """The play of the task's game, which has worlds of this kind.

    Raises:
        ValueError: there is no such game or kind, or the kind is another game's.
    """
    play = worlds.play(task.game)
    if kind in play.kinds:
        return play
    kinds, missing = _kinds()
    for game, names in kinds.items():
        if kind in names:
            raise ValueError(
                f"the world {kind!r} is of the game {game}, and the task {task.id!r} of the game "
                f"{task.game}, which has {' and '.join(play.kinds)}: choose a task and a world of "
                "one game"
            )
    raise _unknown(kind, kinds, missing)


def first_kind(task: Task | None) -> str:
    """The kind of world that is meant where none is named.

    Raises:
        ValueError: there is no such game.
    """
    return worlds.play(task.game if task else next(iter(worlds.games()))).kinds[0]


def any_task(kind: str) -> Task:
    """Some task of the game that has worlds of this kind.

    Raises:
        ValueError: no game has.
    """
    for game in worlds.games():
        try:
            play = worlds.play(game)
        except worlds.GameError:
            continue  # it is reported below, if no other game has the kind
        if kind in play.kinds:
            return play.warm_up().task
    raise _unknown(kind, *_kinds())


def make_world(kind: str, size: int, task: Task, **options: Any) -> Any:
    """A batch of ``size`` environments of ``task``. ``options`` are those of the world's class;
    ``task.world`` overrides them.

    Raises:
        ValueError: an unknown kind, or one of another game; what the game does not have.
        WorldError: the kind needs something that is not installed here.
    """
    return play_of(kind, task).make_world(kind, size, task, **options)


def look_ahead(world: World, request: OpenSession, most: int) -> Run | None:
    """Let the world of a session have a thread that makes worlds: at most ``most`` of a training's
    next episodes, and a share of those that any session begins with. Returns what runs a function
    in that thread; None: there is none, as for ``most`` 0, or one episode of one environment."""
    training = request.autoreset and not request.once
    if not most or (request.size == 1 and not training):
        return None
    return world.look_ahead(min(most, request.size) if training else 0)


def draw_together(world: World, request: OpenSession, threads: int) -> Sequence[Run]:
    """Let the world of a session draw the pictures of a step by so many threads at once. Returns
    what runs a function in each of them but the caller's; none where there is one environment, or
    where the policies of a training see no pictures. Those of an evaluation are not known yet."""
    if request.size == 1 or (request.autoreset and not _sees_pictures(request)):
        return ()
    return world.share_among(min(threads, request.size))


def _sees_pictures(request: OpenSession) -> bool:
    owners = (request, *request.lead, *request.guarded, *request.guards)
    interfaces = (owner.interface for owner in owners if owner.interface is not None)
    return any(shows_pictures(interface) for interface in interfaces)


def _kinds() -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """The kinds of each game, and why games that are not here cannot be used."""
    kinds: dict[str, tuple[str, ...]] = {}
    missing: list[str] = []
    for game in worlds.games():
        try:
            kinds[game] = worlds.play(game).kinds
        except worlds.GameError as error:
            missing.append(str(error))
    return kinds, missing


def _unknown(kind: str, kinds: dict[str, tuple[str, ...]], missing: list[str]) -> ValueError:
    known = "; ".join(f"{', '.join(names)} ({game})" for game, names in kinds.items())
    return ValueError("; ".join([f"there is no world {kind!r}; there are {known}", *missing]))
