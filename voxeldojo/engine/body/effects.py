"""Timed effects on the player, one number each: ticks left * 8 + strength.

Effects are numbered as the bits of ``player.effects``. These do nothing yet, and nothing gives
them, as potions cannot be drunk: SPEED, SLOWNESS, HASTE, FATIGUE, STRENGTH, WEAKNESS, JUMP,
BLINDNESS, NAUSEA and LEVITATION.
"""

from voxeldojo.engine.compiling.kernels import entry_kernel, kernel

REGENERATION, POISON, WITHER, HUNGER, ABSORPTION, RESISTANCE = 0, 1, 2, 3, 4, 5
FIRE_RESISTANCE, SPEED, SLOWNESS, HASTE, FATIGUE, STRENGTH = 6, 7, 8, 9, 10, 11
WEAKNESS, JUMP, NIGHT_VISION, WATER_BREATHING, BLINDNESS, NAUSEA, LEVITATION = (
    12,
    13,
    14,
    15,
    16,
    17,
    18,
)


@kernel
def has_effect(player, effect):
    return (player.effects >> effect) & 1 == 1


@kernel
def strength_of(state, w, effect):
    """The amplifier of an effect, 0 for its first degree; -1 if the player does not have it."""
    if not has_effect(state.players[w], effect):
        return -1
    return state.effects[w, effect] & 7


@entry_kernel
def give_effect(state, w, effect, ticks, strength):
    """Start an effect. A weaker or shorter one than the present one changes nothing."""
    player = state.players[w]
    held = state.effects[w, effect]
    if has_effect(player, effect) and (
        held & 7 > strength or (held & 7 == strength and held >> 3 >= ticks)
    ):
        return
    state.effects[w, effect] = ticks * 8 + strength
    player.effects |= 1 << effect
    if effect == ABSORPTION:
        player.absorption = 4.0 * (strength + 1)


@entry_kernel
def clear_effects(state, w):
    """End all effects, as milk and death do."""
    state.players[w].effects = 0
    state.players[w].absorption = 0.0
