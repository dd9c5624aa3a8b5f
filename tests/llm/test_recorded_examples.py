"""What a run that reached its goal teaches: the answers of what stands, and no others."""

import json
from pathlib import Path

import msgspec
import pytest

from messages.chat import (
    DecomposeAnswer,
    DecomposeQuestion,
    GuardAnswer,
    GuardQuestion,
    PlanAnswer,
    PlanQuestion,
    ProgramAnswer,
    ProgramQuestion,
    SpecAnswer,
    SpecQuestion,
)
from messages.plan import (
    GoalReport,
    GuardProposal,
    Iteration,
    Line,
    Method,
    Samples,
    Stage,
    SubAction,
    Subtask,
)
from messages.program import Program
from messages.training import Policy, TrainingSpec
from messages.verdict import Verdict
from messages.world import Condition, Guard, Interface, RewardTerm, SeedRange, Task
from nodes.llm.getting.refusals import Refused
from nodes.llm.training.recorded_examples import recorded
from tests.llm.run_folder import run_of

SAND = Condition(kind="have", name="sand", quantity=1)
DIRT = Condition(kind="have", name="dirt", quantity=1)
TASK = Task(id="sand", prompt="Get sand.", success=SAND)
SUBTASK = Subtask(name="harvest 1 sand", success=SAND)
PLACE = "goal/0-harvest-1-sand"
REWARDS = [RewardTerm(kind="success", weight=1.0)]
SPEC = SpecAnswer(
    observations=["compass"], actions=["attack"], rewards=REWARDS, horizon=100, budget=5000
)
WHEN = "def when(obs):\n    return obs.health < 5\n"
FLEES = "def action(obs):\n    turn(180)\n"
FLEE = GuardProposal(name="flee", when="it is hurt")


def program(name: str) -> str:
    return f"def action(obs):\n    # {name}\n    attack()\n"


def sub_action(name: str, method: Method = "code", success: Condition = SAND) -> SubAction:
    return SubAction(name=name, method=method, success=success)


def stage(step: SubAction, source: str, guards: list[Guard] | None = None) -> Stage:
    made = Program(name="x", source=source)
    return Stage(sub_action=step, program=made, guards=guards or [])


def iteration(number: int, stages: list[Stage], rate: float) -> Iteration:
    verdict = Verdict(success=rate == 1, success_rate=rate, reason="")
    return Iteration(
        subtask=SUBTASK.name,
        number=number,
        lines=[Line(sub_action=s.sub_action, attempts=1, verdict=verdict) for s in stages],
        stages=stages,
        success_rate=rate,
        episodes=10,
        samples=Samples(),
        seconds=1.0,
    )


def report(iterations: list[Iteration], stands: int) -> GoalReport:
    return GoalReport(
        task=TASK,
        subtasks=[SUBTASK],
        iterations=iterations,
        success=True,
        reason="",
        chosen={SUBTASK.name: stands},
    )


Asked = tuple[str, msgspec.Struct, str]


def asked(id: str, question: msgspec.Struct, answer: msgspec.Struct) -> Asked:
    return id, question, msgspec.json.encode(answer).decode()


def planned() -> Asked:
    answer = PlanAnswer(thoughts="1 sand", subtasks=[SUBTASK])
    return asked("goal/plan-0", PlanQuestion(task=TASK), answer)


def decomposed(number: int, steps: list[SubAction], thoughts: str) -> Asked:
    question = DecomposeQuestion(task=TASK, subtask=SUBTASK)
    answer = DecomposeAnswer(thoughts=thoughts, sub_actions=steps)
    return asked(f"{PLACE}/iteration-{number}/decompose-0", question, answer)


def wrote(number: int, step: SubAction, name: str, source: str) -> Asked:
    question = ProgramQuestion(task=TASK, sub_action=step)
    return asked(f"{PLACE}/iteration-{number}/{name}", question, ProgramAnswer(source=source))


def taught(run: Path) -> list[str]:
    """What stands in the answers that are taught: sources, thoughts or the horizon of a spec."""
    found = [json.loads(each.answer) for each in recorded(run)]
    return [str(each.get("source") or each.get("horizon") or each["thoughts"]) for each in found]


def test_only_the_answers_of_the_iteration_that_stands_are_taught(tmp_path: Path):
    """Iteration 1 takes over a stage of iteration 0, and its last repair was worse than the program
    before it; iteration 0 fell short, and 2 came after it and was worse again."""
    find, dig = sub_action("find dirt", success=DIRT), sub_action("dig sand")
    wide, tall = program("wide"), program("tall")
    deep = program("deep") + "\n\ndef of_a_skill():\n    noop()\n"
    iterations = [
        iteration(0, [stage(find, wide), stage(dig, program("weak"))], 0.3),
        iteration(1, [stage(find, wide), stage(dig, deep)], 1.0),
        iteration(2, [stage(dig, tall)], 0.5),
    ]
    run = run_of(
        tmp_path / "run",
        report(iterations, stands=1),
        [
            planned(),
            decomposed(0, [find, dig], "first"),
            wrote(0, find, "find-dirt/program-0", program("blind")),
            wrote(0, find, "find-dirt/program-1", wide),
            wrote(0, dig, "dig-sand/program-0", program("weak")),
            decomposed(1, [find, dig], "second"),
            wrote(1, dig, "dig-sand/program-0", program("deep")),
            wrote(1, dig, "dig-sand/program-1", program("worse")),
            decomposed(2, [dig], "third"),
            wrote(2, dig, "dig-sand/program-0", tall),
        ],
    )
    assert taught(run) == ["1 sand", wide, "second", program("deep")]


def test_the_spec_that_was_trained_or_the_program_that_was_kept_is_taught(
    tmp_path: Path,
):
    """The policy of iteration 0 was trained by the repaired spec; in iteration 1 the program that
    was tried before did better than the policy."""
    learn, again = sub_action("dig sand", "rl"), sub_action("dig sand deeper", "rl")
    interface = Interface(
        observations=SPEC.observations, actions=SPEC.actions, rewards=REWARDS, success=SAND,
        horizon=200,
    )  # fmt: skip
    spec = TrainingSpec(
        name="dig", task=TASK, interface=interface, seeds=SeedRange(first=0, count=1), budget=9
    )
    learned = Stage(sub_action=learn, policy=Policy(id="p", checkpoint="p"), spec=spec)
    question = SpecQuestion(
        task=TASK, sub_action=learn, observations=["compass"], actions=["attack"]
    )
    lines = [
        decomposed(0, [learn], "first"),
        asked(f"{PLACE}/iteration-0/dig-sand/spec-0", question, SPEC),
        asked(
            f"{PLACE}/iteration-0/dig-sand/spec-1",
            question,
            msgspec.structs.replace(SPEC, horizon=200),
        ),
        wrote(0, learn, "other/program-0", program("rival")),
        decomposed(1, [again], "second"),
        asked(f"{PLACE}/iteration-1/dig-sand-deeper/spec-0", question, SPEC),
    ]
    iterations = [
        iteration(0, [learned], 1.0),
        iteration(1, [stage(again, program("rival"))], 1.0),
    ]
    first = run_of(tmp_path / "first", report(iterations, stands=0), lines)
    assert taught(first) == ["first", "200"]
    second = run_of(tmp_path / "second", report(iterations, stands=1), lines)
    assert taught(second) == [program("rival"), "second"]
    # Trained further in iteration 2, for which nothing was asked.
    further = msgspec.structs.replace(iteration(2, [learned], 1.0), further=True)
    third = run_of(tmp_path / "third", report([*iterations, further], stands=2), lines)
    assert taught(third) == ["first", "200"]


def test_guards_that_interrupt_what_stands_are_taught(tmp_path: Path):
    dig = sub_action("dig sand")
    guard = Guard(name="flee", when=WHEN, program=Program(name="flee", source=FLEES))
    stages = [stage(dig, program("deep"), [guard])]
    question = GuardQuestion(task=TASK, proposal=FLEE)
    before = GuardAnswer(when="def when(obs):\n    return False\n", source=FLEES)
    run = run_of(
        tmp_path / "run",
        report([iteration(0, stages, 1.0)], stands=0),
        [
            asked(f"{PLACE}/iteration-0/guard-flee/guard-0", question, before),
            asked(
                f"{PLACE}/iteration-0/guard-flee/guard-1",
                question,
                GuardAnswer(when=WHEN, source=FLEES),
            ),
            decomposed(0, [dig], "first"),
            wrote(0, dig, "dig-sand/program-0", program("deep")),
        ],
    )
    whens = [json.loads(each.answer).get("when") for each in recorded(run)]
    assert whens == [WHEN, None, None]


def test_a_plan_that_was_not_carried_out_is_not_taught(tmp_path: Path):
    """It was planned again from a step on: the new end of the plan is what was carried out."""
    dirt = Subtask(name="dirt", success=Condition(kind="have", name="dirt", quantity=1))
    rest = asked(
        "goal/again-1/plan-0",
        PlanQuestion(task=TASK),
        PlanAnswer(thoughts="new end", subtasks=[SUBTASK]),
    )
    old = msgspec.structs.replace(SUBTASK, success=DIRT)
    first = asked("goal/plan-0", PlanQuestion(task=TASK), PlanAnswer(subtasks=[dirt, old, SUBTASK]))
    done = msgspec.structs.replace(report([], 0), subtasks=[dirt, SUBTASK])
    assert taught(run_of(tmp_path / "run", done, [first, rest])) == ["new end"]


def test_what_was_put_right_is_taught_as_it_was_carried_out(tmp_path: Path):
    """What goes on after the goal was left out of both answers, and had not led to it."""
    dig, more = sub_action("dig sand"), sub_action("dig dirt", success=DIRT)
    goes_on = PlanAnswer(subtasks=[SUBTASK, Subtask(name="harvest 1 dirt", success=DIRT)])
    run = run_of(
        tmp_path / "run",
        report([iteration(0, [stage(dig, program("digs"))], 1.0)], stands=0),
        [
            asked("goal/plan-0", PlanQuestion(task=TASK), goes_on),
            decomposed(0, [dig, more], "first"),
            wrote(0, dig, "dig-sand/program-0", program("digs")),
        ],
    )
    plan, decomposition, _ = recorded(run)
    assert msgspec.json.decode(plan.answer, type=PlanAnswer).subtasks == [SUBTASK]
    read = msgspec.json.decode(decomposition.answer, type=DecomposeAnswer)
    assert (read.thoughts, read.sub_actions) == ("first", [dig])


def test_the_answers_of_another_goal_of_the_run_are_not_taught(tmp_path: Path):
    id, question, answer = planned()
    other = (id.replace("goal/", "other/"), question, answer)
    run = run_of(tmp_path / "run", report([], 0), [other])
    assert recorded(run) == []


def test_a_run_without_a_report_is_refused_with_the_command_that_writes_it(tmp_path: Path):
    run = run_of(tmp_path / "run", report([], 0), [planned()])
    (run / "goal_report.json").unlink()
    with pytest.raises(Refused, match=r"goal_report\.json, which cannot be read .*rlgpt report"):
        recorded(run)
