"""The time of day and the weather, and how bright they make it, by Minecraft's World and
WorldProvider."""

import math

from voxeldojo.engine.chance import below
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.state import CLEAR, OVERWORLD, RAIN, THUNDER

DAY = 24000  # ticks
NIGHT = 11  # levels of sky light that are subtracted at midnight


@entry_kernel
def celestial_angle(time):
    """The sun's angle at a time of day in ticks: 0 overhead, 0.25 sunset, 0.5 midnight."""
    part = (time % DAY) / 24000.0 - 0.25
    if part < 0.0:
        part += 1.0
    round_ = 0.5 - 0.5 * math.cos(math.pi * part)
    return part + (round_ - part) / 3.0


@kernel
def daylight(player, threshold):
    """The share of daylight at this time and weather, 0..1."""
    light = 2.0 * math.cos(2.0 * math.pi * celestial_angle(player.time)) + threshold
    light = min(1.0, max(0.0, light))
    if player.weather >= RAIN:
        light *= 1.0 - 5.0 / 16.0
    if player.weather == THUNDER:
        light *= 1.0 - 5.0 / 16.0
    return light


@entry_kernel
def darkness(state, w):
    """Levels of sky light that time and weather subtract: 0 on a clear day, 11 at midnight. So it
    is in the other dimensions, too, where there is no sky light of which to take it."""
    return int((1.0 - daylight(state.players[w], 0.5)) * NIGHT)


@entry_kernel
def sun_brightness(state, w):
    """How bright the sky is, 0.2 at midnight and 1 on a clear day."""
    return 0.2 + 0.8 * daylight(state.players[w], 0.2)


@entry_kernel
def set_weather(player, weather):
    """Change to this weather, for a duration drawn as in the game."""
    player.weather = weather
    player.thundering = 1 if weather == THUNDER else 0
    player.weather_left = 12000 + below(player, 168000 if weather == CLEAR else 12000)
    if player.thundering == 1:
        player.thunder_left = 3600 + below(player, 12000)
    else:
        player.thunder_left = 12000 + below(player, 168000)


@kernel
def change_weather(player):
    """One tick of the timers of rain and of thunder, which only shows while it rains."""
    raining = player.weather != CLEAR
    player.weather_left -= 1
    if player.weather_left <= 0:
        raining = not raining
        player.weather_left = 12000 + below(player, 12000 if raining else 168000)
    player.thunder_left -= 1
    if player.thunder_left <= 0:
        player.thundering = 1 - player.thundering
        if player.thundering == 1:
            player.thunder_left = 3600 + below(player, 12000)
        else:
            player.thunder_left = 12000 + below(player, 168000)
    if not raining:
        player.weather = CLEAR
    else:
        player.weather = THUNDER if player.thundering == 1 else RAIN


@entry_kernel
def pass_time(state, w):
    """One tick of the clock and the weather, if the settings let them change."""
    player = state.players[w]
    setting = state.settings[w]
    if setting.time_passes == 1:
        player.time += 1
    if setting.weather_changes == 1 and player.dimension == OVERWORLD:
        change_weather(player)
