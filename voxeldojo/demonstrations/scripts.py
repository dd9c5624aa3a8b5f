"""The script for each kind of task."""

from contextlib import suppress

import msgspec

from voxeldojo.demonstrations.fighting import is_dark, keep_watch, look_after, slay
from voxeldojo.demonstrations.gathering import wander
from voxeldojo.demonstrations.hand_work import DEEDS
from voxeldojo.demonstrations.obtaining import Obtaining
from voxeldojo.demonstrations.pickaxes import keep_a_pickaxe
from voxeldojo.demonstrations.player import Died, GaveUp, NoWay, OutOfSteps, Player
from voxeldojo.demonstrations.sheltering import DAY, MORNING, wall_in
from voxeldojo.demonstrations.tech_tree_uses import use_tech
from voxeldojo.obtainable.derivations import World
from voxeldojo.obtainable.oracle import targets_of, worlds_of
from voxeldojo.tasks import TaskSpec, task_kwargs

LIVES = 8
STARTS = 5  # of the script; after it gave up it starts again at another place


def play(player: Player, spec: TaskSpec) -> None:
    """Play until the environment reports success.

    Raises:
        Succeeded: it did.
        GaveUp: the script ended without success, or got stuck.
    """
    world = worlds_of(spec, engine=True)[0]
    starts = 0
    while player.deaths < LIVES:
        # The items of the start are lost with the first death.
        given = world if not player.deaths else msgspec.structs.replace(world, items=())
        try:
            if player.deaths and is_dark(player):
                keep_watch(player, MORNING)
            _play_once(player, spec, given)
        except Died:
            _rise(player)
        except (OutOfSteps, NoWay):
            raise
        except GaveUp:
            starts += 1
            if starts >= STARTS:
                raise
            _go_elsewhere(player)
    raise GaveUp(f"the player died {LIVES} times")


def _go_elsewhere(player: Player) -> None:
    with suppress(Died, GaveUp):
        wander(player)


def _rise(player: Player) -> None:
    """Wait until the player is alive again at its start; until then its old items are still in the
    inventory."""
    while float(player.body["life"]) <= 0.0:
        player.act()


def _play_once(player: Player, spec: TaskSpec, world: World) -> None:
    if spec.kind == "combat":
        while True:
            for target in targets_of(spec):
                slay(player, target.removeprefix("mob:"))
    obtaining = Obtaining(player, world, DEEDS)

    def between() -> None:
        look_after(player)
        keep_a_pickaxe(obtaining)

    player.between = between
    if spec.kind == "survival":
        wall_in(obtaining)
        while True:
            player.idle(DAY)
    kwargs = task_kwargs(spec, image_size=1)
    for target in targets_of(spec):
        # Harvest tasks count what is gained: items of the start do not count.
        count = kwargs["target_quantities"][target] if spec.kind == "harvest" else 1
        obtaining.obtain(target, player.have(target) + count if spec.kind == "harvest" else count)
        if spec.kind == "techtree":
            use_tech(obtaining, target)
    raise GaveUp("the script is over, and the task is not done")
