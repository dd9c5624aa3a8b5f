"""The cause of a player's death, in words."""

from voxeldojo.engine.body import hurt
from voxeldojo.rules.mobs import mob_names

CAUSES = {
    hurt.FALL: "a fall",
    hurt.MOB: "a blow",
    hurt.SHOT: "a shot",
    hurt.EXPLOSION: "an explosion",
    hurt.FIRE: "fire",
    hurt.LAVA: "lava",
    hurt.DROWNING: "drowning",
    hurt.STARVATION: "starvation",
    hurt.SUFFOCATION: "suffocation in a wall",
    hurt.CACTUS: "a cactus",
    hurt.VOID: "the void",
    hurt.MAGIC: "magic",
    hurt.BURNING: "burning",
    hurt.WITHERING: "withering",
    hurt.MAGMA: "magma",
}


def cause_of(cause: int, attacker: int) -> str:
    """``a blow of a zombie``; "" if nothing has harmed the player."""
    words = CAUSES.get(cause, "")
    if words and 0 < attacker < len(mob_names):
        words += f" of a {mob_names[attacker].replace('_', ' ')}"
    return words
