"""The agents as real processes, with a toy env server and a toy learner on real sockets."""

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import yaml

from messages.bus import Bus, GoalHandle, ServiceError
from messages.plan import Limits, PursueGoal, SubAction
from messages.program import CHECK, Checked, CheckProgram, Problem, ProgramReport
from messages.training import ACT, TRAIN, Act, Acted, Policy, Progress, Train, Trained, TrainingSpec
from messages.world import (
    CLOSE,
    LOOK,
    OPEN,
    RUN_PROGRAM,
    Activity,
    Closed,
    Condition,
    Episode,
    Looked,
    Opened,
    OpenSession,
    ProgramRan,
    RunProgram,
    SessionName,
    Task,
    View,
)
from nodes.common.goals.goal_ids import slug
from tests.bus_processes import PATIENCE, ROOT, notify_socket, wait_ready
from tests.weights import weights

LOG = Condition(kind="have", name="log")
TASK = Task(id="harvest_log", prompt="Harvest one log.", success=LOG)
FIND = SubAction(name="find a tree", method="code", success=Condition(kind="facing", name="wood"))
STEP_BY_STEP = {"kind": "rulebook", "rules": "paper_example.yaml"}
"""A log in steps, each of which may fail."""
STEPS = 10
"""Primitive steps that every program and policy of the toy world takes in each environment."""


RunGoal = GoalHandle[RunProgram, Activity]


class AgentProcess:
    """``python -m nodes.<name>``, started and ready."""

    def __init__(self, name: str, run: Path, *arguments: str, **environment: str) -> None:
        self._command = [sys.executable, "-m", f"nodes.{name}", "--run", str(run), *arguments]
        self._environment = {**os.environ, **environment}
        self._run = run
        self.code = ROOT  # the tree that it runs from
        self.start()

    def start(self) -> None:
        with notify_socket(self._run) as (address, receiver):
            self.popen = subprocess.Popen(
                self._command,
                cwd=self.code,
                env={**self._environment, "NOTIFY_SOCKET": address},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            wait_ready(receiver, self.popen)

    def kill(self) -> None:
        self.popen.kill()
        self.popen.wait(PATIENCE)

    def stop(self) -> int:
        self.popen.terminate()
        return self.popen.wait(PATIENCE)


class ToyWorld:
    """An env server and a learner in one, where what comes of a program is said by a function.

    ``outcome(source)`` says what a program brings about: "facing", "have" or "". A policy brings
    "have" about if it has macros. ``before_run(goal)`` is called before each run of a program.
    """

    def __init__(self, run: Path, outcome: Callable[[str], str]) -> None:
        self.run = run
        self.outcome = outcome
        self.before_run: Callable[[RunGoal], None] = lambda goal: None
        self.sessions: dict[str, list[str]] = {}  # what each environment has reached
        self._seeds: dict[str, int] = {}  # the first one of each session
        self.played: list[tuple[str, str]] = []  # (session, program or policy), in order
        self.opened: list[OpenSession] = []
        self.trained: dict[str, Train] = {}
        self._stop = threading.Event()
        self.env_server, self.learner = Bus(run, node="env_server"), Bus(run, node="learner")
        self.env_server.serve(CHECK, self.check)
        self.env_server.serve(OPEN, self.open)
        self.env_server.serve(LOOK, self.look)
        self.env_server.serve(CLOSE, self.close_session)
        self.env_server.serve_action(RUN_PROGRAM, self.run_program)
        self.learner.serve_action(TRAIN, self.train)
        self.learner.serve_action(ACT, self.act)
        self._threads = [
            threading.Thread(target=bus.spin, args=(self._stop,), daemon=True)
            for bus in (self.env_server, self.learner)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for bus in (self.env_server, self.learner):
            bus.wake()
        for thread in self._threads:
            thread.join(PATIENCE)
        for bus in (self.env_server, self.learner):
            bus.close()

    def check(self, request: CheckProgram) -> Checked:
        wrong = "import" in request.program.source
        return Checked(problems=[Problem(line=1, message="no imports")] if wrong else [])

    def open(self, request: OpenSession) -> Opened:
        self.opened.append(request)
        self.sessions[request.session] = [""] * request.size
        self._seeds[request.session] = request.seeds.first
        for program in request.prefix:
            self._reach(request.session, self.outcome(program.source))
        return Opened(
            fields=[],
            choices=[],
            features=np.zeros((request.size, 0), np.float32),
            mask=np.zeros((request.size, 0), np.bool_),
            prefix_steps=STEPS * request.size * len(request.prefix),
        )

    def _reach(self, session: str, reached: str) -> int:
        """Returns the primitive steps that it took."""
        if session not in self.sessions:
            raise ServiceError(f"There is no session {session}.", code="unknown_session")
        states = self.sessions[session]
        # A log is only dug where the crosshair is on wood.
        new = reached if reached != "have" or states[0] == "facing" else ""
        self.sessions[session] = [new or state for state in states]
        return STEPS * len(states)

    def _episodes(self, session: str) -> list[Episode]:
        return [
            Episode(
                environment=number,
                seed=self._seeds[session] + number,
                success=state == "have",
                steps=STEPS,
                reward=0.0,
                ended="success" if state == "have" else "running",
                before=seen(""),
                after=seen(state),
            )
            for number, state in enumerate(self.sessions[session])
        ]

    def look(self, request: SessionName) -> Looked:
        return Looked(episodes=self._episodes(request.session))

    def close_session(self, request: SessionName) -> Closed:
        if request.session not in self.sessions:
            raise ServiceError(f"There is no session {request.session}.", code="unknown_session")
        episodes = self._episodes(request.session)
        del self.sessions[request.session]
        return Closed(episodes=episodes, video=None)

    def run_program(self, goal: RunGoal) -> ProgramRan:
        request: RunProgram = goal.request
        self.before_run(goal)
        steps = self._reach(request.session, self.outcome(request.program.source))
        self.played.append((request.session, request.program.name))
        report = ProgramReport(
            program=request.program.name, status="finished", count=1, steps=STEPS
        )
        return ProgramRan(steps=steps, reports=[report], episodes=self._episodes(request.session))

    def train(self, goal: Any) -> Trained:
        request: Train = goal.request
        self.trained[goal.id] = request
        folder = self.run / "learner" / slug(goal.id)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "checkpoint.pt").write_bytes(weights(goal.id))
        checkpoint = str(folder.relative_to(self.run) / "checkpoint.pt")
        goal.feedback(
            Progress(
                policy=goal.id,
                samples=500,
                prefix_samples=10,
                decisions=100,
                budget=request.spec.budget,
                success_rate=0.5,
                mean_return=1.0,
                entropy=0.1,
                kl=0.01,
                steps_per_second=1e3,
            )
        )
        return Trained(
            policy=Policy(id=goal.id, checkpoint=checkpoint),
            samples=1000,
            prefix_samples=100,
            success_rate=0.9,
            curve=[],
            reason="The budget is spent.",
        )

    def act(self, goal: Any) -> Acted:
        request: Act = goal.request
        if (trained := self.trained.get(request.policy.id)) is not None:
            spec = trained.spec
        else:  # of the skill library
            folder = Path(request.policy.checkpoint).parent
            spec = msgspec.json.decode((folder / "spec.json").read_bytes(), type=TrainingSpec)
        macros = spec.interface.macros
        steps = self._reach(request.session, "have" if macros else "")
        self.played.append((request.session, request.policy.id))
        # Each time it had its whole horizon, and then the task's is over.
        times = self.played.count((request.session, request.policy.id))
        rows = request.environments or range(len(self.sessions[request.session]))
        late = not macros and times * spec.interface.horizon < spec.task.horizon
        return Acted(steps=steps, late=list(rows) if late else [])


def seen(state: str) -> View:
    """What is seen when this much is reached."""
    return View(
        position=(0.0, 64.0, 0.0),
        yaw=0.0,
        pitch=0.0,
        life=20.0,
        food=20.0,
        inventory={"log": 1} if state == "have" else {},
        facing="wood" if state else "grass block",
        around={},
    )


def ended_with_a_log(worked: int, episodes: int, steps: int) -> list[Episode]:
    """Episodes as evidence shows them, of which the first ``worked`` ended with a log."""
    return [
        Episode(
            environment=number,
            seed=number,
            success=False,
            steps=steps,
            reward=0.0,
            ended="running",
            before=seen(""),
            after=seen("have" if number < worked else ""),
        )
        for number in range(episodes)
    ]


def rulebook_world(source: str) -> str:
    """Walking up to a tree works, digging by code does not."""
    return "facing" if "nearest(" in source else ""


class Stack:
    """All five agents and the toy world in a run folder."""

    def __init__(
        self,
        run: Path,
        outcome: Callable[[str], str] = rulebook_world,
        llm: dict[str, Any] | None = None,
        world: Callable[[Path], ToyWorld] | None = None,
        critic: dict[str, Any] | None = None,
        nodes: dict[str, dict[str, Any]] | None = None,
        **fast_agent: Any,
    ) -> None:
        self.run = run
        fast_agent = {"trial_episodes": 2, "evaluation_episodes": 3, **fast_agent}
        config = {
            "name": "test",
            "seed": 3,
            "learner": {"gamma": 0.97},
            "nodes": {
                "fast_agent": {"parameters": fast_agent},
                "llm": {"parameters": {"profile": llm or STEP_BY_STEP}},
                **{name: {"parameters": values} for name, values in (nodes or {}).items()},
            },
        }
        (run / "config.yaml").write_text(yaml.safe_dump(config))
        self.world = ToyWorld(run, outcome) if world is None else world(run)
        self.agents: dict[str, AgentProcess] = {}
        self.bus = Bus(run)
        try:
            # Side by side: most of a start is imports.
            with ThreadPoolExecutor() as pool:
                names = ("llm", "critic", "fast_agent", "slow_agent", "planner")
                starts = {name: pool.submit(AgentProcess, name, run) for name in names}
            for name, start in starts.items():
                if start.exception() is None:
                    self.agents[name] = start.result()
            for start in starts.values():
                start.result()
        except BaseException:
            self.close()
            raise

    def goal(self, iterations: int = 4) -> PursueGoal:
        return PursueGoal(task=TASK, limits=Limits(iterations=iterations))

    def close(self) -> None:
        self.bus.close()
        for agent in self.agents.values():
            with contextlib.suppress(ProcessLookupError):
                agent.kill()
        self.world.stop()


@contextlib.contextmanager
def stack(run: Path, **options: Any) -> Iterator[Stack]:
    """The stack while it is needed."""
    agents = Stack(run, **options)
    try:
        yield agents
    finally:
        agents.close()
