"""What is played before the first session, so that every kernel and table is loaded by then."""

from messages.program import Program
from messages.world import JUDGED, Condition, Interface, RewardTerm, Task
from voxeldojo.actions import PRIMITIVES
from worlds.minecraft.card.features import FEATURES
from worlds.play import WarmUp

READS_EVERYTHING = """
def action(obs):
    seen = (obs.position, obs.yaw, obs.pitch, obs.life, obs.food, obs.inventory, obs.facing,
            obs.facing_distance, obs.rays, obs.craftable, obs.oxygen, obs.light, obs.held,
            obs.equipment, obs.nearby_table, obs.nearby_furnace, obs.block(0, -1, 0),
            obs.block(5, 0, 0), obs.block(2, 0, 0), obs.block(3, 0, 0))
    for name in ("wood", "nonsense"):
        try:
            found = (nearest(obs, name), nearest_mob(obs, "cow"), find(obs, name))
            craft(name)
        except ValueError:
            pass
    seen = (seen, obs.killed, obs.used, obs.facing_mob, obs.facing_mob_distance,
            look_out(obs, "cow"), look_out(obs, "wood"), far_rays(obs), route(obs, 3.0, 0.0, 0))
    obs = look_at(obs, 1.0, 0.0, 1.0)
    obs = walk_to(obs, 1, 1, 2)
    obs = dig_at(obs, 0, -1, 0, 2)
    obs = place_at(obs, "dirt", 1, 0, 0)
    raise ValueError(f"{obs.position} {seen}")
"""
REWARD = "def reward(before, after):\n    return after.life - before.life\n"


def warm_up() -> WarmUp:
    terms = [
        RewardTerm(kind="code", weight=1.0, source=REWARD),
        RewardTerm(kind="gain", weight=1.0, name="log"),
        *(
            RewardTerm(kind=kind, weight=1.0, name=name)
            for kind in ("approach", "facing")
            for name in ("wood", "cow")
        ),
    ]
    interface = Interface(
        observations=list(FEATURES),
        actions=[*PRIMITIVES, "craft:planks", "place:dirt"],
        macros=[Program(name="macro", source=READS_EVERYTHING, max_steps=8)],
        rewards=terms,
        success=Condition(kind="have", name="log"),
        horizon=50,
        targets=["wood", "cow"],
    )
    return WarmUp(
        task=Task(id="warm", prompt="", success=Condition(kind="have", name="dragon_egg")),
        interface=interface,
        conditions=(
            Condition(kind="near", name="wood"),
            Condition(kind="facing", name="cow"),
            Condition(kind="nearby", name="furnace"),
            Condition(kind="have", name="planks"),
            Condition(kind="killed", name="cow"),
            Condition(kind="used", name="stick"),
            Condition(kind="placed", name="dirt"),
            Condition(kind="worn", name="iron_helmet"),
            Condition(kind="lived", name="days"),
            Condition(kind="in_biome", name="forest"),
            Condition(kind="in_dimension", name="nether"),
            Condition(kind="height", name="above", quantity=200),
            Condition(kind="health", name="oxygen", quantity=300),
            Condition(kind=JUDGED, name="creative:0"),
        ),
        program=READS_EVERYTHING,
        reward=REWARD,
    )
