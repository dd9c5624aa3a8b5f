"""Runs a line of chat: finds the command, runs it, and reports why it failed."""

from collections.abc import Callable
from functools import partial

from voxeldojo.game.commands.blocks import fill, setblock
from voxeldojo.game.commands.carried_items import clear, give, replaceitem
from voxeldojo.game.commands.clock_and_weather import difficulty, gamerule, time, weather
from voxeldojo.game.commands.entities import effect, kill, spawnpoint, summon, tp, xp
from voxeldojo.game.commands.execute import execute
from voxeldojo.game.commands.selectors import player_of
from voxeldojo.game.commands.source import NotDone, Source, TooMuch
from voxeldojo.game.commands.spreading import spreadplayers
from voxeldojo.game.single_world import SingleWorld

LONGEST = 256  # letters of a line of chat, as in the game
SHOWN = 80


def perform(game: SingleWorld, text: str) -> str:
    """Run a command, with or without its slash. Returns why it failed, "" if it did not."""
    words = text.removeprefix("/").split()
    if not words or words[0] not in COMMANDS:
        return f"`{text[:SHOWN]}` is none of {', '.join(COMMANDS)}"
    player = player_of(game)
    try:
        if len(text) > LONGEST:
            raise NotDone(f"a command has {LONGEST} letters at most")
        obey(game, Source(player, player.place), words)
    except NotDone as reason:
        return f"`{text[:SHOWN]}` was not done: {reason}"
    except TooMuch:
        return f"`{text[:SHOWN]}` was stopped: it takes too many commands, tries or blocks"
    return ""


def obey(game: SingleWorld, source: Source, words: list[str]) -> None:
    """Raises NotDone: there is no such command, or it cannot be done."""
    handler = COMMANDS.get(words[0].removeprefix("/"))
    if handler is None:
        raise NotDone(f"there is no command {words[0][:40]}")
    source.spend(1)
    handler(game, source, words[1:])


COMMANDS: dict[str, Callable[[SingleWorld, Source, list[str]], None]] = {
    "summon": summon,
    "kill": kill,
    "time": time,
    "weather": weather,
    "replaceitem": replaceitem,
    "tp": tp,
    "clear": clear,
    "setblock": setblock,
    "spreadplayers": spreadplayers,
    "execute": partial(execute, obey),
    "give": give,
    "fill": fill,
    "xp": xp,
    "spawnpoint": spawnpoint,
    "gamerule": gamerule,
    "effect": effect,
    "difficulty": difficulty,
}
