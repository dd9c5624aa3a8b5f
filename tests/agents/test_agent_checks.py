"""What the agents check by themselves: specs, conditions, when a loop ends, prompts."""

import itertools
import re
from pathlib import Path

import msgspec
import pytest

from messages.bus import RemoteError, ServiceError
from messages.chat import (
    ANSWERS,
    ASK,
    Answered,
    Ask,
    DecomposeQuestion,
    JudgeQuestion,
    LookQuestion,
    PictureNote,
    PlanAnswer,
    PlanQuestion,
    ProgramAttempt,
    ProgramQuestion,
    SpecAnswer,
    SpecQuestion,
)
from messages.plan import Iteration, Limits, Line, Samples, Stage, SubAction, Subtask
from messages.program import Problem, Program, ProgramReport
from messages.verdict import Evidence, Verdict
from messages.world import Condition, Episode, RewardTerm, Task, View
from models.outcomes import holds, outcome_in_words, success_rate
from nodes.common.checks.spec_check import spec_problems
from nodes.common.goals.goal_ids import slug
from nodes.common.questions.asking import NoAnswer, ask, render
from nodes.fast_agent.playing import seeds
from nodes.learner.checkpoints.policies import policy_folder
from nodes.planner.planner import Planner
from nodes.slow_agent.stopping import chosen, spent, stop_reason
from nodes.testing import MockBus, start

NODES = Path(__file__).parents[2] / "nodes"
LOG = Condition(kind="have", name="log")
TASK = Task(id="test", prompt="Harvest a log.", success=LOG)


def test_a_name_as_long_as_a_paragraph_still_makes_a_valid_folder_name(tmp_path: Path):
    long = "go to the nearest tree, look at its trunk, and dig it from below until it is gone " * 9
    tree, stone = slug(long + "tree"), slug(long + "stone")
    assert tree != stone
    assert slug("Find a tree!") == "find-a-tree"
    # The deepest id that there is: of a policy that plays on in a tryout.
    deepest = f"goal/12-{tree}/iteration-11/{tree}/trial-skill/play-11/12-{tree}-again"
    policy_folder(tmp_path, deepest).mkdir()
    assert [path.is_dir() for path in tmp_path.iterdir()] == [True]


def spec_answer(**changes: object) -> SpecAnswer:
    fields = {
        "observations": ["rays"],
        "actions": ["attack"],
        "rewards": [RewardTerm(kind="success", weight=1.0)],
        "horizon": 100,
        "budget": 1000,
        **changes,
    }
    return msgspec.convert(msgspec.to_builtins(fields), type=SpecAnswer)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"observations": ["smell"]}, "no observation called 'smell'"),
        ({"actions": []}, "no action"),
        ({"actions": ["craft:bedrock"]}, "Action 'craft:bedrock': there is no 'bedrock' to craft"),
        ({"actions": ["attack:log"]}, "no action called 'attack:log'"),
        ({"actions": ["craft"]}, "no action called 'craft'"),
        ({"horizon": 0}, "horizon"),
        ({"budget": 10**9}, "budget"),
        ({"rewards": [{"kind": "gain", "weight": 1.0}]}, "needs a name"),
        ({"rewards": []}, "no reward"),
        ({"rewards": [{"kind": "success", "weight": 0}]}, "nothing can be learned"),
        ({"rewards": [{"kind": "step", "weight": 1e39}]}, "at most 1e+06"),
        ({"rewards": [{"kind": "gain", "weight": 1.0, "name": "logg"}]}, "did you mean log"),
        ({"rewards": [{"kind": "facing", "weight": 1.0, "name": "tree"}]}, "no block or mob"),
        ({"targets": ["a tree"]}, "no block or mob called 'a tree'"),
        ({"horizon": 10**22}, "at most"),
        ({"memory": "gru", "memory_size": 0}, "memory_size of 1 to 512"),
        ({"memory": "gru", "memory_size": 10**6}, "memory_size of 1 to 512"),
        ({"macros": [{"name": "long", "source": "", "max_steps": 10**22}]}, "at most"),
        ({"macros": [{"name": "attack", "source": ""}]}, "is taken"),
        ({"macros": [{"name": "two words", "source": ""}]}, "no identifier"),
    ],
)
def test_mistakes_in_a_spec_are_reported(changes: dict[str, object], said: str):
    known = {"observations": ["rays"], "actions": ["attack"]}
    assert spec_problems(spec_answer(), **known, macros_allowed=True, most_samples=10**6) == []
    problems = spec_problems(
        spec_answer(**changes), **known, macros_allowed=True, most_samples=10**6
    )
    assert any(said in problem for problem in problems)


def test_values_at_the_limits_of_a_spec_are_allowed():
    known = {"observations": ["rays"], "actions": ["attack"]}
    macro = {"name": "once", "source": "", "max_steps": 1}
    for changes in (
        {"actions": ["attack", "craft:planks"]},
        {"budget": 1, "horizon": 1, "macros": [macro]},
        {"budget": 5000, "horizon": 1_000_000},
    ):
        answer = spec_answer(**changes)
        assert spec_problems(answer, **known, macros_allowed=True, most_samples=5000) == []


def test_forbidden_macros_and_infinite_weights_are_problems_of_a_spec():
    macro = [{"name": "attack_20", "source": ""}]
    problems = spec_problems(
        spec_answer(macros=macro), ["rays"], ["attack"], macros_allowed=False, most_samples=10**6
    )
    assert "not allowed" in problems[0]
    endless = msgspec.structs.replace(
        spec_answer(), rewards=[RewardTerm(kind="step", weight=float("nan"))]
    )
    problems = spec_problems(endless, ["rays"], ["attack"], True, 10**6)
    assert "finite" in problems[0]


def view(facing: str = "air", logs: int = 0, around: dict[str, int] | None = None) -> View:
    return View(
        position=(0.5, 64.0, -3.0),
        yaw=0.0,
        pitch=0.0,
        life=20.0,
        food=20.0,
        inventory={"log": logs} if logs else {},
        facing=facing,
        around=around or {},
    )


def episode(before: View, after: View, ended: str = "running") -> Episode:
    return Episode(
        environment=0,
        seed=1,
        success=False,
        steps=9,
        reward=0.0,
        ended=ended,  # pyright: ignore[reportArgumentType]
        before=before,
        after=after,
    )


def evidence_of(episodes: list[Episode]) -> Evidence:
    return Evidence(
        id="e",
        sub_action="dig",
        description="",
        method="code",
        success=LOG,
        required_rate=0.5,
        episodes=episodes,
    )


def test_conditions_are_evaluated_on_the_first_and_last_view_of_an_episode():
    facing, near = Condition(kind="facing", name="wood"), Condition(kind="near", name="wood")
    start = view(logs=1)
    assert holds(facing, episode(start, view(facing="wood")))
    assert not holds(facing, episode(start, view(around={"wood": 2})))
    assert holds(near, episode(start, view(around={"wood": 2})))
    assert holds(near, episode(start, view(facing="wood")))
    assert not holds(near, episode(start, view(facing="leaves")))
    assert holds(LOG, episode(start, view(logs=2)))
    assert not holds(LOG, episode(start, view(logs=1)))  # it was there before
    table = Condition(kind="nearby", name="crafting_table")
    beside = msgspec.structs.replace(start, stations=["crafting_table"])
    assert holds(table, episode(start, beside))
    assert not holds(table, episode(beside, start))
    assert not holds(facing, episode(start, view(facing="wood"), ended="death"))
    assert not holds(facing, episode(start, view(facing="wood"), ended="horizon"))  # none is left
    both = [episode(start, view(logs=2)), episode(start, view())]
    assert [success_rate(evidence_of(episodes)) for episodes in ([], both)] == [0.0, 0.5]


def test_what_held_when_all_steps_were_used_up_is_named_so():
    start, there = view(), view(logs=1)
    ends = [(there, "running"), (there, "horizon"), (there, "horizon"), (start, "horizon")]
    episodes = [
        msgspec.structs.replace(episode(start, after, ended), environment=number)
        for number, (after, ended) in enumerate(ends)
    ]
    assert outcome_in_words(evidence_of(episodes)) == (
        "It worked in 1 of 4 episodes; 2 had it only when all steps were used up, with none left "
        "for what follows, 1 reached the horizon."
    )


def test_seeds_of_different_uses_do_not_overlap():
    kinds = (
        seeds.training_seeds,
        seeds.trial_seeds,
        seeds.reuse_seeds,
        seeds.evaluation_seeds,
        seeds.performance_seeds,
        seeds.validation_seeds,
    )
    ranges = [kind(seed) for seed in (0, 1) for kind in kinds]
    for before, after in itertools.pairwise(ranges):
        assert before.first + before.count == after.first


def iteration(number: int, rate: float = 0.0, macros: list[str] | None = None) -> Iteration:
    dig = SubAction(name="dig", method="rl", success=LOG)
    verdict = Verdict(success=False, success_rate=rate, reason="seen")
    return Iteration(
        subtask="log",
        number=number,
        lines=[Line(sub_action=dig, attempts=1, verdict=verdict, macros=macros or [])],
        stages=[Stage(sub_action=dig)],
        success_rate=rate,
        episodes=30,
        samples=Samples(training=100, trial=10, evaluation=1),
        seconds=1.0,
    )


def test_the_outer_loop_stops_for_one_of_four_reasons():
    limits = Limits(iterations=5, success_rate=0.9, samples=1000)
    assert stop_reason([], limits, 100, 100) is None
    assert stop_reason([iteration(0)], limits, 100, 100) is None
    assert stop_reason([iteration(0), iteration(1, macros=["attack_20"])], limits, 100, 100) is None
    assert "success rate" in (stop_reason([iteration(0, rate=0.95)], limits, 100, 100) or "")
    assert "Dead loop" in (
        stop_reason([iteration(0), iteration(1, rate=0.1)], limits, 100, 100) or ""
    )
    lucky = msgspec.structs.replace(iteration(0, rate=0.95), episodes=3, cut=True)
    assert stop_reason([lucky], limits, 100, 100) is None  # the others might have failed
    few = msgspec.structs.replace(limits, samples=222)
    assert spent([iteration(0), iteration(1)]) == 222
    assert "samples" in (stop_reason([iteration(0), iteration(1)], few, 1, 1) or "")
    short = msgspec.structs.replace(limits, iterations=1)
    assert "iterations" in (stop_reason([iteration(0)], short, 1, 1) or "")


def test_sub_actions_that_failed_to_run_for_different_reasons_are_no_dead_loop():
    """Where a program was refused, or none was written, there is no stage to compare."""
    limits = Limits(iterations=5, success_rate=0.9, samples=1000)

    def never_ran(number: int, why: str) -> Iteration:
        plain = iteration(number, rate=0.0)
        verdict = msgspec.structs.replace(plain.lines[0].verdict, reason=why)
        line = msgspec.structs.replace(plain.lines[0], verdict=verdict, macros=[])
        return msgspec.structs.replace(plain, lines=[line], stages=[], episodes=0)

    refused, unwritten = never_ran(0, "line 3: unknown name"), never_ran(1, "no valid answer")
    assert stop_reason([refused, unwritten], limits, 100, 100) is None
    assert "Dead loop" in (
        stop_reason([refused, never_ran(1, "line 3: unknown name")], limits, 1, 1) or ""
    )


def tried(
    number: int, *, rate: float, tryout: float, episodes: int = 30, played: int = 0
) -> Iteration:
    """``played``: episodes of its tryout."""
    plain = iteration(number, rate=rate)
    verdict = msgspec.structs.replace(plain.lines[0].verdict, success_rate=tryout, episodes=played)
    line = msgspec.structs.replace(plain.lines[0], verdict=verdict)
    return msgspec.structs.replace(plain, lines=[line], episodes=episodes)


def test_tryouts_choose_the_iteration_that_stands_and_evaluations_do_not():
    limits = Limits(iterations=5, success_rate=0.9, samples=1000)
    assert chosen([], limits) is None
    better = tried(0, rate=0.2, tryout=0.8)
    assert chosen([better, tried(1, rate=0.7, tryout=0.6)], limits) == better
    later = tried(1, rate=0.1, tryout=0.8)
    assert chosen([better, later], limits) == later
    reached = tried(1, rate=0.9, tryout=0.5)
    assert chosen([better, reached], limits) == reached
    often = tried(0, rate=0.2, tryout=0.8, played=20)
    assert chosen([often, tried(1, rate=0.1, tryout=1.0, played=2)], limits) == often
    never_played = tried(1, rate=0.0, tryout=1.0, episodes=0)
    assert chosen([better, never_played], limits) == better
    assert chosen([never_played], limits) is None


def questions() -> dict[str, list[msgspec.Struct]]:
    """For each agent, questions with empty and with full slots."""
    find = SubAction(
        name="find a tree",
        method="code",
        success=Condition(kind="facing", name="wood"),
        description="walk up to it",
    )
    dig = SubAction(name="dig", method="rl", success=LOG)
    source = "def action(obs):\n    jump()"
    done = Stage(sub_action=find, program=Program(name="find", source=source))
    report = ProgramReport(
        program="find",
        status="error",
        count=3,
        steps=7,
        line=2,
        error="x",
        changed={"yaw": "0 -> 9"},
    )
    tried = ProgramAttempt(
        source=source,
        problems=[Problem(line=2, message="no")],
        reports=[report],
        verdict="It was stuck.",
    )
    full = iteration(0, macros=["attack_20"])
    evidence = Evidence(
        id="q",
        sub_action="dig",
        description="",
        method="rl",
        success=LOG,
        required_rate=0.9,
        episodes=[episode(view(), view("wood", 1))],
        reports=[report],
        macros=["attack_20"],
    )
    return {
        "planner": [
            PlanQuestion(task=TASK),
            PlanQuestion(task=TASK, inventory={"log": 2}, problems=["The plan is empty."]),
        ],
        "slow_agent": [
            DecomposeQuestion(task=TASK, subtask=Subtask(name="log", success=LOG)),
            DecomposeQuestion(
                task=TASK,
                subtask=Subtask(name="log", success=LOG),
                history=[full],
                problems=["Empty."],
            ),
        ],
        "fast_agent": [
            ProgramQuestion(task=TASK, sub_action=find),
            ProgramQuestion(
                task=TASK, sub_action=find, before=[done], attempts=[tried], history=full.lines
            ),
            SpecQuestion(task=TASK, sub_action=dig),
            SpecQuestion(
                task=TASK,
                sub_action=dig,
                before=[done],
                history=full.lines,
                observations=["rays"],
                actions=["attack"],
                problems=["No."],
            ),
        ],
        "critic": [
            JudgeQuestion(evidence=evidence, success_rate=1.0),
            LookQuestion(
                evidence=evidence,
                success_rate=1.0,
                pictures=[
                    PictureNote(environment=0, step=step, digest=str(step) * 64) for step in (0, 9)
                ],
            ),
        ],
    }


@pytest.mark.parametrize("agent", ["planner", "slow_agent", "fast_agent", "critic"])
def test_prompts_have_no_unfilled_slot_and_their_examples_are_valid_answers(agent: str):
    stable: dict[str, str] = {}
    for question in questions()[agent]:
        system, user = render(NODES / agent / "prompts", question)  # pyright: ignore
        assert (system.role, user.role) == ("system", "user")
        assert "{{" not in system.content + user.content
        # The same text every time comes first, so that a server can keep it in its cache.
        kind = type(question).__name__
        assert stable.setdefault(kind, system.content) == system.content
        examples = re.findall(r"```json\n(.*?)```", system.content, re.DOTALL)
        assert examples
        for example in examples:
            msgspec.json.decode(example, type=ANSWERS[type(question)])


@pytest.mark.parametrize(
    ("code", "absent"), [("no_answer", True), ("no_model", False), ("differs", False)]
)
def test_a_missing_answer_is_told_from_other_refusals(tmp_path: Path, code: str, absent: bool):
    def refuse(request: Ask) -> Answered:
        raise ServiceError("Nothing comes to mind.", code=code)

    bus = MockBus("planner")
    bus.answer(ASK, refuse)
    planner = start(Planner, bus, tmp_path)
    with pytest.raises(RemoteError, match="Nothing comes to mind") as refused:
        ask(planner, "demo/plan-0", PlanQuestion(task=TASK, inventory={}), PlanAnswer)
    assert isinstance(refused.value, NoAnswer) is absent
    assert refused.value.code == code
