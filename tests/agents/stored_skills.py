"""What a skill library stores, for several files of tests."""

import msgspec

from messages.program import Program
from messages.training import TrainingSpec
from messages.world import Condition, Interface, SeedRange
from nodes.common.skills.skills import Counts, Learned, Provenance
from tests.agent_stack import LOG, TASK

WOOD = Condition(kind="facing", name="wood")
WALK = "def action(obs):\n    obs = forward()\n    return obs\n"


def learned(source: str = WALK, **changes: object) -> Learned:
    made = Learned(
        purpose="walk up to a tree",
        method="code",
        condition=WOOD,
        start={},
        before=[],
        task=TASK,
        provenance=Provenance(run="/runs/a", goal="demo/find", commit="abc", model="rulebook"),
        program=Program(name="find", source=source),
    )
    return msgspec.structs.replace(made, **changes)


def policy() -> Learned:
    spec = TrainingSpec(
        name="dig",
        task=TASK,
        interface=Interface(observations=["rays"], actions=["attack"], success=LOG, horizon=50),
        seeds=SeedRange(first=0, count=9),
        budget=1000,
    )
    return learned(program=None, spec=spec, method="rl", condition=LOG, purpose="dig")


TEN = Counts(successes=9, episodes=10, samples=100)
