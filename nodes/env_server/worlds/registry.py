"""Worlds by kind."""

import importlib.util
from typing import Any

from messages.world import Task
from nodes.env_server.worlds.world import World

KINDS = ("embedded", "minedojo")


class WorldError(RuntimeError):
    """A world that is not there, and what to do about it."""


def make_world(kind: str, size: int, task: Task, **options: Any) -> World:
    """A batch of ``size`` environments of ``task``. ``options`` are those of the world's class;
    ``task.world`` has a say over them.

    Raises:
        ValueError: an unknown kind, biome, item or option.
        WorldError: the kind needs something that is not installed here.
    """
    if kind == "embedded":
        # Compiled kernels take a second to load: only where they are wanted.
        from nodes.env_server.worlds.embedded import EmbeddedWorld

        chosen = {**options, **task.world}
        known = EmbeddedWorld.OPTIONS
        unknown = sorted(set(chosen) - set(known))
        if unknown:
            raise ValueError(
                f"the embedded world has no option {', '.join(unknown)}; it has {', '.join(known)}"
            )
        try:
            return EmbeddedWorld(size, task, **chosen)
        except TypeError as error:
            raise ValueError(f"an option of the embedded world will not do: {error}") from error
    if kind == "minedojo":
        if importlib.util.find_spec("minedojo") is None:
            raise WorldError(
                "the world 'minedojo' needs the real minedojo package, an optional part that lives"
                " in a Python environment of its own; docs/minedojo.md says how to set it up, and"
                " world=embedded works without it"
            )
        raise WorldError(
            "minedojo is installed, but this version has no adapter to it yet (docs/minedojo.md);"
            " use world=embedded"
        )
    raise ValueError(f"there is no world {kind!r}; there are {', '.join(KINDS)}")
