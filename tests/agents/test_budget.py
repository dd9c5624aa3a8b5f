"""A goal takes no more primitive steps than `limits.samples`, whatever its parts take of what they
may, and reports those that were taken."""

import random
import re
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from messages.bus import ServiceError
from messages.chat import ASK, Answered, Ask, ProgramAnswer
from messages.plan import (
    IMPLEMENT,
    PURSUE,
    GoalReport,
    Implement,
    Limits,
    PursueGoal,
    Stage,
    SubAction,
)
from messages.program import CHECK, Checked, Program, ProgramReport
from messages.training import ACT, TRAIN, Acted, Policy, Trained, TrainingSpec
from messages.verdict import JUDGE, Evidence, Verdict
from messages.world import (
    CLOSE,
    LOOK,
    OPEN,
    RUN_PROGRAM,
    Closed,
    Condition,
    Episode,
    Looked,
    Opened,
    OpenSession,
    ProgramRan,
    SessionName,
    Task,
    View,
)
from models.outcomes import outcome_in_words, succeeded, success_rate
from nodes.common.goals.budget import for_practice, least_again, longest_evaluation
from nodes.fast_agent.fast_agent import FastAgent
from nodes.llm.rulebook.rulebook_backend import RulebookBackend
from nodes.planner.planner import Planner
from nodes.slow_agent.slow_agent import SlowAgent
from nodes.testing import MockBus, start
from rlgpt.composing.composition import compose_launch
from rlgpt.table.definition import definitions, read
from worlds.minecraft.card.planning import PLANNING

EPISODES = 20
SEEN = View(
    position=(0.0, 64.0, 0.0), yaw=0.0, pitch=0.0, life=20.0, food=20.0, inventory={},
    facing="air", around={},
)  # fmt: skip


class Spender:
    """An env server and a learner that take any number of the steps that they may take, and at
    times all of them. ``luck``: how often a stage brings what it is for."""

    def __init__(self, draw: random.Random, luck: float) -> None:
        self.draw = draw
        self.luck = luck
        self.taken = 0  # primitive steps of all environments, prefixes counted
        self.sessions: dict[str, tuple[OpenSession, list[Episode]]] = {}
        self.opened: list[OpenSession] = []
        self.specs: dict[str, TrainingSpec] = {}

    def some(self, least: int, most: int) -> int:
        taken = self.draw.choice((least, most, self.draw.randint(least, most)))
        self.taken += taken
        return taken

    def open(self, request: OpenSession) -> Opened:
        self.opened.append(request)
        before = msgspec.structs.replace(SEEN, inventory=dict(request.task.inventory))
        episodes = [
            Episode(
                environment=row, seed=row, success=False, steps=0, reward=0.0, ended="running",
                before=before, after=before,
            )
            for row in range(request.size)
        ]  # fmt: skip
        self.sessions[request.session] = request, episodes
        none = np.zeros((request.size, 0))
        return Opened(
            fields=[],
            choices=[],
            features=none.astype(np.float32),
            mask=none.astype(np.bool_),
            prefix_steps=sum(
                self.some(0, program.max_steps)
                for program in request.prefix
                for _ in range(request.size)
            ),
        )

    def play(
        self, session: str, rows: list[int], most: int, brings: Condition
    ) -> tuple[int, list[int]]:
        """Primitive steps, and the rows in which they were ``most``."""
        request, episodes = self.sessions[session]
        before, late = self.taken, list[int]()
        for row in rows or range(request.size):
            episode = episodes[row]
            if episode.ended != "running":
                continue
            steps = self.some(1, min(most, request.task.horizon - episode.steps))
            seen, ended = episode.after, "running"
            if self.draw.random() < self.luck:
                seen = _with(seen, brings)
            elif steps == most:
                late.append(row)
            success = brings == request.task.success and seen != episode.after
            if success:
                ended = "success"
            elif episode.steps + steps >= request.task.horizon:
                ended = "horizon"
            elif self.draw.random() < 0.05:
                ended = "death"
            episodes[row] = msgspec.structs.replace(
                episode, steps=episode.steps + steps, after=seen, ended=ended, success=success
            )
        return self.taken - before, late

    def run(self, goal: Any) -> ProgramRan:
        request = goal.request
        source = request.program.source
        item = re.search(r'^ITEM = "(.*)"', source, re.MULTILINE)
        quantity = re.search(r"^QUANTITY = (\d+)", source, re.MULTILINE)
        brings = Condition(kind="facing", name="wood")
        if item:
            gain = int(quantity[1]) if quantity else 1
            brings = Condition(kind="have", name=item[1], quantity=gain)
        steps, _ = self.play(
            request.session, request.environments, request.program.max_steps, brings
        )
        report = ProgramReport(program="p", status="finished", count=1, steps=1)
        return ProgramRan(steps=steps, reports=[report], episodes=[])

    def act(self, goal: Any) -> Acted:
        interface = self.specs[goal.request.policy.id].interface
        steps, late = self.play(
            goal.request.session, goal.request.environments, interface.horizon, interface.success
        )
        return Acted(steps=steps, late=late)

    def train(self, goal: Any) -> Trained:
        spec: TrainingSpec = goal.request.spec
        self.specs[goal.id] = spec
        assert spec.most is not None
        assert spec.most > 0
        if self.draw.random() < 0.1:
            raise ServiceError("The samples are less than one decision may take.", code="budget")
        samples = self.some(0, min(spec.most, spec.budget))
        prefix = self.some(0, spec.most - samples)
        policy = Policy(id=goal.id, checkpoint="x/checkpoint.pt")
        return Trained(
            policy=policy, samples=samples, prefix_samples=prefix, success_rate=0.5, curve=[],
            reason="",
        )  # fmt: skip

    def look(self, request: SessionName) -> Looked:
        return Looked(episodes=self.sessions[request.session][1])

    def close(self, request: SessionName) -> Closed:
        return Closed(episodes=self.sessions.pop(request.session)[1])


def _with(seen: View, brings: Condition) -> View:
    if brings.kind == "facing":
        return msgspec.structs.replace(seen, facing=brings.name)
    had = seen.inventory.get(brings.name, 0)
    return msgspec.structs.replace(
        seen, inventory={**seen.inventory, brings.name: had + brings.quantity}
    )


def judged(evidence: Evidence) -> Verdict:
    rate = success_rate(evidence)
    return Verdict(
        success=succeeded(evidence, rate),
        success_rate=rate,
        reason=outcome_in_words(evidence),
        episodes=len(evidence.episodes),
    )


def pursue(
    folder: Path, world: Spender, task: Task, limits: Limits, **fast_agent: Any
) -> GoalReport:
    rulebook, bus = RulebookBackend("paper_example.yaml"), MockBus()

    def answer(request: Ask) -> Answered:
        answered = rulebook.complete(request.question, [], {}).text
        return Answered(id=request.id, answer=answered, model="rulebook")

    bus.answer(ASK, answer)
    bus.answer(CHECK, lambda request: Checked(problems=[]))
    bus.answer(JUDGE, judged)
    for name, handler in ((OPEN, world.open), (LOOK, world.look), (CLOSE, world.close)):
        bus.answer(name, handler)  # pyright: ignore[reportArgumentType]
    for name, handler in ((RUN_PROGRAM, world.run), (ACT, world.act), (TRAIN, world.train)):
        bus.answer_action(name, handler)  # pyright: ignore[reportArgumentType]
    values = {"evaluation_episodes": EPISODES, "trial_episodes": 4, **fast_agent}
    config = {"nodes": {"fast_agent": {"parameters": values}}}
    for kind in (FastAgent, SlowAgent, Planner):
        parameters = values if kind is FastAgent else {}
        node = start(kind, bus, folder, **parameters)
        node.config = config
    return bus.run_goal(PURSUE, "goal", PursueGoal(task=task, limits=limits))


@pytest.mark.parametrize("seed", range(80))
def test_a_goal_takes_no_more_than_its_samples_and_ends_with_an_evaluation(
    tmp_path: Path, seed: int
):
    draw = random.Random(seed)
    horizon = draw.choice((30, 300, 2000))
    item = draw.choice(("log", "planks", "stick", "wooden_pickaxe"))
    task = Task(id=item, prompt=item, success=Condition(kind="have", name=item), horizon=horizon)
    samples = int(horizon * 2 ** draw.uniform(1, 9))
    limits = Limits(samples=samples, iterations=draw.randint(1, 5))
    world = Spender(draw, luck=draw.choice((0.0, 0.2, 0.6, 0.95, 1.0)))
    steps = draw.choice((horizon // 3, horizon, 5 * horizon))
    report = pursue(tmp_path, world, task, limits, program_steps=steps, prefix_steps=steps)

    counted = sum(each.samples.total for each in report.iterations)
    counted += report.performance.steps if report.performance else 0
    counted += sum(each.steps for each in report.validations)
    assert counted == world.taken <= samples
    assert not world.sessions
    if not report.iterations:
        assert "samples" in report.reason
    for subtask in {each.subtask for each in report.iterations}:
        turns = [each for each in report.iterations if each.subtask == subtask]
        whole = [each for each in turns if each.stages and len(each.stages) == len(each.lines)]
        assert all(each.episodes > 0 for each in whole if all(_ran(line) for line in each.lines))
    for each in report.iterations:
        assert each.cut == (0 < each.episodes < EPISODES) or not each.episodes
        assert each.success_rate < limits.success_rate or not each.cut or not report.success
    if report.performance is not None:
        assert report.performance.cut == (len(report.performance.episodes) < EPISODES)
        assert not (report.success and report.performance.cut)

    for number, each in enumerate(report.iterations):
        # Only what there was too little for from the start is cut, and nothing goes on after that.
        earlier = [e for e in report.iterations[:number] if e.subtask == each.subtask]
        assert not (earlier and each.cut)
        assert not any(e.cut for e in earlier)


def _ran(line: Any) -> bool:
    return line.attempts > 0


def test_with_enough_samples_nothing_is_cut(tmp_path: Path):
    task = Task(id="l", prompt="l", success=Condition(kind="have", name="log"), horizon=100)
    world = Spender(random.Random(1), luck=0.3)
    report = pursue(tmp_path, world, task, Limits(samples=1_000_000))
    assert len(report.iterations) == 4
    assert {request.size for request in world.opened} == {4, EPISODES}
    assert not any(each.cut for each in report.iterations)
    assert [each.episodes for each in report.iterations] == [EPISODES] * 4
    tryouts = [request.seeds for request in world.opened if "/trial-" in request.session]
    starts = {seeds.first + row for seeds in tryouts for row in range(4)}
    assert len(starts) == 4 * len(tryouts)


@pytest.mark.parametrize("seed", range(12))
def test_with_the_samples_of_a_table_no_evaluation_is_cut_though_all_take_the_most(
    tmp_path: Path, seed: int
):
    """Every program, training and episode takes all that it may."""
    draw = random.Random(seed)
    table = read(("minedojo10", "ablation-iterations", "diamond")[seed % 3])
    item = ("stick", "stick", "diamond")[seed % 3]
    task = told_task(item)
    world = Spender(draw, luck=draw.choice((0.3, 0.9)))
    world.some = lambda least, most: _all(world, most)
    limits = Limits(samples=table.samples[item])
    report = pursue(
        tmp_path, world, task, limits, evaluation_episodes=30, trial_episodes=20,
        program_steps=task.horizon,
    )  # fmt: skip
    assert world.taken <= limits.samples
    evaluated = [each for each in report.iterations if each.episodes]
    assert evaluated
    assert not any(each.cut for each in report.iterations)
    assert {each.episodes for each in evaluated} == {30}
    if report.performance is not None:
        assert len(report.performance.episodes) == 30


# A table by score has one episode on unseen seeds after each training, and states its own; of ids
# it is worked out (tests/reports/test_table_tasks.py).
@pytest.mark.parametrize(
    "name", sorted(n for n in definitions() if read(n).by != "score" and read(n).learn is None)
)
def test_the_samples_of_a_table_are_for_its_evaluations_and_for_learning(
    name: str,
):
    table = read(name)
    to_learn = 3_000_000 if name == "diamond" else 1_000_000
    for item in table.tasks:
        task = told_task(item)
        plan = PLANNING.plan_for(task.success, task.inventory)
        whole = longest_evaluation(task, {})
        assert table.samples[item] == to_learn + (len(plan) + 1) * whole
        share = for_practice(table.samples[item], task, {}) // len(plan)
        assert share >= least_again(task, {})
        assert for_practice(share, task, {}) == share - whole


@pytest.mark.parametrize(
    ("samples", "practice"),
    [
        (100_000, 70_000),  # 30 episodes of 1,000 steps are kept
        (12_000, 3_000),  # those would take more than the rest: a quarter is left
        (3_000, 1_000),  # and one episode of a tryout at least
        (2_000, 1_000),
        (900, 900),
    ],
)
def test_what_may_be_practised_leaves_an_evaluation_and_is_an_episode_at_least(
    samples: int, practice: int
):
    task = Task(id="l", prompt="l", success=Condition(kind="have", name="log"), horizon=1_000)
    assert for_practice(samples, task, {}) == practice


def test_a_further_iteration_has_samples_to_evaluate_and_to_practise():
    log = Condition(kind="have", name="log")
    for horizon in (1, 10, 1_000):
        task = Task(id="l", prompt="l", success=log, horizon=horizon)
        whole, again = longest_evaluation(task, {}), least_again(task, {})
        assert again - for_practice(again, task, {}) == whole
        assert for_practice(again, task, {}) >= horizon
        assert (again - 1) - for_practice(again - 1, task, {}) < whole


def told_task(name: str) -> Task:
    return msgspec.convert(compose_launch("cell", [f"task={name}"])["task"], Task)


def test_a_tryout_is_cut_to_what_fits_with_what_runs_before_it(tmp_path: Path):
    """Three episodes of 100 steps after 200 in a reset fit into 999 in any case, a fourth not."""
    world, bus = Spender(random.Random(0), luck=0.0), MockBus("fast_agent")
    world.some = lambda least, most: _all(world, most)
    find = SubAction(name="find", method="code", success=Condition(kind="facing", name="wood"))
    success = Condition(kind="have", name="log")
    task = Task(id="l", prompt="l", success=success, horizon=100)
    program = Program(name="p", source='ITEM = "log"\n', max_steps=500)
    walk = msgspec.structs.replace(program, max_steps=200)
    bus.answer(OPEN, world.open)
    bus.answer(CLOSE, world.close)
    bus.answer_action(RUN_PROGRAM, world.run)
    bus.answer(CHECK, lambda request: Checked(problems=[]))
    bus.answer(JUDGE, judged)
    answer = msgspec.json.encode(ProgramAnswer(source=program.source)).decode()
    bus.answer(ASK, lambda request: Answered(id=request.id, answer=answer, model="test"))
    start(FastAgent, bus, tmp_path, repairs=0)
    for samples, episodes in ((999, 3), (299, 0)):
        world.taken = 0
        goal = Implement(
            task=task,
            sub_action=SubAction(name="dig", method="code", success=success),
            before=[Stage(sub_action=find, program=walk)],
            history=[],
            samples=samples,
        )
        implemented = bus.run_goal(IMPLEMENT, f"demo/{samples}", goal)
        assert implemented.samples.trial == world.taken == episodes * 300
        said = implemented.line.verdict.reason
        if episodes:
            assert said == (
                "It worked in 0 of 3 episodes; 3 reached the horizon. Of fewer than 5 nothing "
                "counts as success."
            )
        else:
            assert said == (
                "The samples are spent: an episode may take 300, and 299 are left for it."
            )


def _all(world: Spender, most: int) -> int:
    world.taken += most
    return most
