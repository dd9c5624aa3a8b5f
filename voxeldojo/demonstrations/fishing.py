"""Fishing at the nearest water until the wanted item is caught."""

from voxeldojo.actions import USE
from voxeldojo.demonstrations.buckets import AIMS, fluid_in_sight, waters
from voxeldojo.demonstrations.footing import WATER
from voxeldojo.demonstrations.obtaining import Obtaining
from voxeldojo.demonstrations.player import GaveUp, Player
from voxeldojo.obtainable.derivations import Rule

CASTS = 1500  # the rarest item is one catch in hundreds
BITE = 700  # ticks within which a fish bites


def fish(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """Raises GaveUp: there is no water to fish in, or the casts did not bring the item."""
    player = obtaining.player
    _stand_at_water(player)
    for _ in range(CASTS):
        if player.have(rule.gives) >= count:
            return
        if not player.have("fishing_rod"):
            obtaining.obtain("fishing_rod")
            _stand_at_water(player)
        player.equip("fishing_rod")
        player.act(function=USE)
        if int(player.body["fishing"]) == 0:
            _stand_at_water(player)
            continue
        for _ in range(BITE // 3):
            if int(player.body["fishing"]) <= 0:
                break
            player.idle(3)
        player.equip("fishing_rod")
        player.act(function=USE)
    raise GaveUp(f"{CASTS} casts did not bring {count} {rule.gives}")


def _stand_at_water(player: Player) -> None:
    """Go to water and look at it."""
    for cell in waters(player):
        for dx, dz in AIMS:
            player.look_at(cell[0] + dx, cell[1] + 0.8, cell[2] + dz)
            if fluid_in_sight(player) in WATER:
                return
    raise GaveUp("there is no water to fish in")
