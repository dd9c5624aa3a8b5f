"""Questions to the rulebook, as its tests put them."""

from messages.plan import (
    Subtask,
)
from messages.verdict import Evidence
from messages.world import Condition, Episode, Task, View

LOG = Condition(kind="have", name="log")
TREE = Condition(kind="facing", name="wood")


def task(goal: Condition = LOG) -> Task:
    return Task(id="test", prompt="get it", success=goal)


def subtask(goal: Condition = LOG) -> Subtask:
    return Subtask(name="get it", success=goal)


def view(facing: str = "air", logs: int = 0) -> View:
    return View(
        position=(0.0, 64.0, 0.0),
        yaw=0.0,
        pitch=0.0,
        life=20.0,
        food=20.0,
        inventory={"log": logs} if logs else {},
        facing=facing,
        around={},
    )


def evidence(**changes: object) -> Evidence:
    episode = Episode(
        environment=0,
        seed=1,
        success=False,
        steps=9,
        reward=0.0,
        ended="running",
        before=view(),
        after=view(),
    )
    fields = {
        "id": "q",
        "sub_action": "harvest log",
        "description": "",
        "method": "code",
        "success": LOG,
        "required_rate": 0.9,
        "episodes": [episode] * 10,
        **changes,
    }
    return Evidence(**fields)  # pyright: ignore[reportArgumentType]
