"""Sessions over a world of one dimension (tests/fake_world.py), for several files of tests."""

from typing import Any

import numpy as np

from messages.program import Program
from messages.world import (
    Condition,
    Interface,
    OpenSession,
    SeedRange,
    Stepped,
    Task,
)
from nodes.env_server.session import Session
from tests.fake_world import FakeWorld

LOG = Condition(kind="have", name="log")
NEAR = Condition(kind="near", name="wood")
FACING = Condition(kind="facing", name="wood")
WALK = Program(
    name="walk",
    source="def action(obs):\n    while obs.facing != 'wood':\n        obs = forward()\n",
    max_steps=50,
)
CHOP = Program(
    name="chop", source="def action(obs):\n    for _ in range(5):\n        attack()\n", max_steps=20
)
FAULTY = Program(
    name="faulty",
    source=(
        "def action(obs):\n    obs = attack()\n"
        "    if obs.facing == 'wood':\n        1 / 0\n    use()\n"
    ),
)


def task(**changes: Any) -> Task:
    return Task(**{"id": "log", "prompt": "a log", "success": LOG, "horizon": 100, **changes})


def interface(**changes: Any) -> Interface:
    return Interface(
        **{
            "observations": ["compass", "facing", "previous_choice", "time"],
            "actions": ["noop", "forward", "attack", "turn_right", "sneak"],
            "macros": [WALK, CHOP],
            "rewards": [],
            "success": LOG,
            "horizon": 40,
            "targets": ["wood"],
            **changes,
        }
    )


NOOP, FORWARD, ATTACK, TURN, SNEAK, WALKS, CHOPS = range(7)


def session(size: int = 4, **changes: Any) -> tuple[Session, FakeWorld]:
    world = FakeWorld(size)
    request = OpenSession(
        **{
            "session": "test",
            "task": task(),
            "size": size,
            "seeds": SeedRange(first=0, count=100),
            "interface": interface(),
            **changes,
        }
    )
    return Session(request, world), world


def choose(opened: Session, *choices: int) -> Stepped:
    return opened.step(np.array(choices, np.int64))
