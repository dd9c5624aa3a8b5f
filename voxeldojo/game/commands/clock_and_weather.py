"""Commands about the clock, the weather and the rules."""

from voxeldojo.engine.body.clock import set_weather
from voxeldojo.engine.state import CLEAR, RAIN, THUNDER
from voxeldojo.game.commands.meanings import count
from voxeldojo.game.commands.source import NotDone, Source
from voxeldojo.game.single_world import SingleWorld

TIMES = {"day": 1000, "night": 13000}
WEATHERS = {"clear": CLEAR, "rain": RAIN, "thunder": THUNDER}
GAMERULES = {
    "doDaylightCycle": "time_passes",
    "doMobSpawning": "mobs_spawn",
    "doWeatherCycle": "weather_changes",
}


def time(game: SingleWorld, _: Source, words: list[str]) -> None:
    if len(words) != 2 or words[0] not in ("set", "add"):
        raise NotDone("it needs set or add, and a time")
    ticks = TIMES.get(words[1]) if words[0] == "set" else None
    if ticks is None:
        if not words[1].isdecimal() or len(words[1]) > 9:
            raise NotDone(f"{words[1]} is no time")
        ticks = int(words[1])
    game.player["time"] = ticks if words[0] == "set" else game.time + ticks


def weather(game: SingleWorld, _: Source, words: list[str]) -> None:
    if not words or words[0] not in ("normal", *WEATHERS):
        raise NotDone("it needs clear, rain or thunder")
    if words[0] != "normal":
        set_weather(game.player, WEATHERS[words[0]])
        if len(words) > 1:
            game.player["weather_left"] = 20 * count(words[1])


def difficulty(_: SingleWorld, __: Source, words: list[str]) -> None:
    if words[:1] not in (["normal"], ["n"], ["2"]):
        raise NotDone("this world is of normal difficulty")


def gamerule(game: SingleWorld, _: Source, words: list[str]) -> None:
    if len(words) != 2 or words[0] not in GAMERULES or words[1] not in ("true", "false"):
        raise NotDone(f"it needs one of {', '.join(GAMERULES)}, and true or false")
    game.world.state.settings[0][GAMERULES[words[0]]] = words[1] == "true"
