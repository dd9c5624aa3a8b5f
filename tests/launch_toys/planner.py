"""A planner that reports its goal as reached after ``seconds``."""

import time

from messages.bus import GoalHandle, ServiceError
from messages.plan import (
    PLAN,
    PURSUE,
    GoalReport,
    Iteration,
    Line,
    PlanStatus,
    PursueGoal,
    Samples,
    SubAction,
    Subtask,
)
from messages.verdict import Verdict
from nodes.node import Node


class Planner(Node):
    name = "planner"

    class Parameters(Node.Parameters, kw_only=True, forbid_unknown_fields=True):
        seconds: float = 0.0
        refuse: bool = False
        invalid: bool = False  # rejects the goal as one that there cannot be
        until: str = ""  # a file in the run folder, that is waited for
        debug: bool = False  # calls for the debugger
        mistake: bool = False  # fails until the run folder has a file called `fixed`

    def setup(self) -> None:
        self.advertise(PLAN)
        self.serve_action(PURSUE, self.pursue)

    def pursue(self, goal: GoalHandle[PursueGoal, PlanStatus]) -> GoalReport:
        task = goal.request.task
        subtask = Subtask(name=task.id, success=task.success)
        status = PlanStatus(goal=task.prompt, subtasks=[subtask], current=0)
        self.publish(PLAN, status)
        if self.parameters.refuse:
            raise ServiceError("there is no way to that goal")
        if self.parameters.invalid:
            raise ServiceError(f"no condition was made of {task.prompt!r}", code="invalid")
        if self.parameters.mistake and not (self.run / "fixed").exists():
            raise KeyError("plan")
        if self.parameters.debug:
            breakpoint()
        while self.parameters.until and not (self.run / self.parameters.until).exists():
            time.sleep(0.01)
        deadline = time.monotonic() + self.parameters.seconds
        while time.monotonic() < deadline:
            goal.check()
            goal.feedback(status)
            time.sleep(0.01)
        with (self.folder / "pursued").open("a") as pursued:
            pursued.write(f"{goal.id}\n")
        action = SubAction(name="find a tree", method="code", success=task.success)
        verdict = Verdict(success=True, success_rate=1.0, reason="it was found")
        iteration = Iteration(
            subtask=subtask.name,
            number=0,
            lines=[Line(sub_action=action, attempts=1, verdict=verdict)],
            stages=[],
            success_rate=0.95,
            episodes=20,
            samples=Samples(training=1200),
            seconds=1.0,
        )
        return GoalReport(
            task=task,
            subtasks=[subtask],
            iterations=[iteration],
            success=True,
            reason="95 % of 20 episodes",
            chosen={subtask.name: 0},
        )


if __name__ == "__main__":
    Planner.main()
