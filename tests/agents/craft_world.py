"""A world of inventories: a program with ITEM and QUANTITY brings just that, by the rules' way."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from messages.bus import ServiceError
from messages.program import ProgramReport
from messages.world import (
    Closed,
    Episode,
    Looked,
    Opened,
    OpenSession,
    ProgramRan,
    RunProgram,
    SessionName,
    View,
)
from tests.agent_stack import RunGoal, ToyWorld, rulebook_world
from worlds.minecraft.card.planning import expected, shortfalls

STEPS = 10


class Inventories:
    """The sessions. ``fails(environment, item, try)`` says where a program brings nothing."""

    def __init__(self) -> None:
        self.fails: Callable[[int, str, int], bool] = lambda environment, item, number: False
        self.sessions: dict[str, list[dict[str, int]]] = {}
        self.requests: dict[str, OpenSession] = {}
        self.steps: dict[str, list[int]] = {}
        self.ran: list[tuple[str, str, list[int], bool]] = []  # session, item, rows, begins
        self._tries: dict[tuple[str, int, str], int] = {}

    def open(self, request: OpenSession) -> Opened:
        self.requests[request.session] = request
        self.sessions[request.session] = [dict(request.task.inventory) for _ in range(request.size)]
        self.steps[request.session] = [0] * request.size
        for program in request.prefix:
            self._run(request.session, program.source, [])
        none = np.zeros((request.size, 0))
        return Opened(
            fields=[],
            choices=[],
            features=none.astype(np.float32),
            mask=none.astype(np.bool_),
            prefix_steps=STEPS * request.size * len(request.prefix),
        )

    def look(self, request: SessionName) -> Looked:
        return Looked(episodes=self._episodes(request.session))

    def close(self, request: SessionName) -> Closed:
        episodes = self._episodes(request.session)
        del self.sessions[request.session]
        return Closed(episodes=episodes)

    def run(self, goal: Any) -> ProgramRan:
        request: RunProgram = goal.request
        item, rows = self._run(request.session, request.program.source, request.environments)
        self.ran.append((request.session, item, rows, request.begins))
        report = ProgramReport(
            program=request.program.name, status="finished", count=len(rows), steps=STEPS
        )
        return ProgramRan(
            steps=STEPS * len(rows), reports=[report], episodes=self._episodes(request.session)
        )

    def _run(self, session: str, source: str, rows: list[int]) -> tuple[str, list[int]]:
        self._known(session)
        item = re.findall(r'^ITEM = "(.*)"', source, re.MULTILINE)[0]
        gain = int(re.findall(r"^QUANTITY = (\d+)", source, re.MULTILINE)[0])
        running = [e.environment for e in self._episodes(session) if e.ended == "running"]
        rows = [row for row in rows or running if row in running]
        for row in rows:
            held = self.sessions[session][row]
            self.steps[session][row] += STEPS
            number = self._tries.get((session, row, item), 0)
            self._tries[session, row, item] = number + 1
            if shortfalls([(item, gain)], held) or self.fails(row, item, number):
                continue
            self.sessions[session][row] = expected([(item, gain)], held)
        return item, rows

    def _known(self, session: str) -> None:
        if session not in self.sessions:
            raise ServiceError(f"There is no session {session}.", code="unknown_session")

    def _episodes(self, session: str) -> list[Episode]:
        self._known(session)
        task = self.requests[session].task
        goal = task.success
        found: list[Episode] = []
        for row, held in enumerate(self.sessions[session]):
            gained = held.get(goal.name, 0) - task.inventory.get(goal.name, 0)
            success = gained >= goal.quantity
            late = self.steps[session][row] >= task.horizon
            found.append(
                Episode(
                    environment=row,
                    seed=row,
                    success=success,
                    steps=self.steps[session][row],
                    reward=0.0,
                    ended="success" if success else "horizon" if late else "running",
                    before=_seen(task.inventory),
                    after=_seen(held),
                )
            )
        return found


def _seen(inventory: dict[str, int]) -> View:
    return View(
        position=(0.0, 64.0, 0.0),
        yaw=0.0,
        pitch=0.0,
        life=20.0,
        food=20.0,
        inventory=dict(inventory),
        facing="air",
        around={},
    )


class CraftWorld(ToyWorld):
    """`Inventories` on real sockets, in the place of the toy world of one tree."""

    def __init__(self, run: Any) -> None:
        self.inventories = Inventories()
        super().__init__(run, rulebook_world)

    def open(self, request: OpenSession) -> Opened:
        self.opened.append(request)
        return self.inventories.open(request)

    def look(self, request: SessionName) -> Looked:
        return self.inventories.look(request)

    def close_session(self, request: SessionName) -> Closed:
        return self.inventories.close(request)

    def run_program(self, goal: RunGoal) -> ProgramRan:
        self.before_run(goal)
        return self.inventories.run(goal)
