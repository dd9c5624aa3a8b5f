"""Guards in the two loops: proposed, made, played with, reported, kept and reused."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import pytest

from messages.bus import ServiceError
from messages.chat import (
    ASK,
    Answered,
    Ask,
    DecomposeAnswer,
    DecomposeQuestion,
    GuardAnswer,
    GuardQuestion,
    ProgramAnswer,
    ProgramQuestion,
)
from messages.plan import (
    ACHIEVE,
    PERFORM,
    AchieveSubtask,
    GuardProposal,
    Iteration,
    Limits,
    Perform,
    Practised,
    SubAction,
    Subtask,
    SubtaskReport,
)
from messages.program import CHECK, Checked
from messages.verdict import JUDGE, Evidence, Verdict
from messages.world import (
    CLOSE,
    LOOK,
    OPEN,
    RUN_PROGRAM,
    Closed,
    Condition,
    GuardReport,
    Looked,
    Opened,
    OpenSession,
    ProgramRan,
    SessionName,
    Task,
)
from nodes.common.checks.decomposition_check import decomposition_problems
from nodes.common.goals.guard_counts import in_words, together
from nodes.common.skills.skill_library import Library
from nodes.env_server.programs.checking import problems_of
from nodes.env_server.session import Session
from nodes.fast_agent.fast_agent import FastAgent
from nodes.slow_agent.slow_agent import SlowAgent
from nodes.testing import MockBus, start
from tests.fake_world import FakeWorld
from worlds.minecraft.play.runtime import RUNTIME

LOG = Condition(kind="have", name="log")
TASK = Task(id="log", prompt="Harvest a log.", success=LOG, horizon=60)
SUBTASK = Subtask(name="get a log", success=LOG)
STEP_BACK = GuardProposal(name="Stand still", when="a quarter of a metre is walked")
WALK = (
    "def action(obs):\n    while obs.facing != 'wood':\n        obs = forward()\n"
    "    for _ in range(5):\n        obs = attack()\n"
)
ONE_STEP = "def action(obs):\n    obs = forward()\n"
WHEN = "def when(obs):\n    return obs.position[2] == 0.25 and obs.steps < 3\n"
STAND = "def action(obs):\n    while True:\n        obs = noop()\n"
GOOD = GuardAnswer(when=WHEN, source=STAND, max_steps=10)


class Sessions:
    """An env server's sessions of the fake world."""

    def __init__(self, bus: MockBus) -> None:
        self.opened: list[OpenSession] = []
        self._sessions: dict[str, Session] = {}
        bus.answer(OPEN, self._open)
        bus.answer(LOOK, lambda asked: Looked(episodes=self._sessions[asked.session].episodes()))
        bus.answer(CLOSE, self._close)
        bus.answer(CHECK, lambda asked: Checked(problems=problems_of(asked, RUNTIME)))
        bus.answer_action(RUN_PROGRAM, self._run)

    def _open(self, request: OpenSession) -> Opened:
        self.opened.append(request)
        try:
            session = Session(request, FakeWorld(request.size))
        except ValueError as error:
            raise ServiceError(str(error), code="invalid") from error
        self._sessions[request.session] = session
        return session.opened()

    def _run(self, goal: Any) -> ProgramRan:
        request, session = goal.request, self._sessions[goal.request.session]
        steps, reports = session.run_program(
            request.program,
            environments=request.environments,
            begins=request.begins,
            guards=request.guards,
        )
        return ProgramRan(steps=steps, reports=reports, episodes=session.episodes())

    def _close(self, request: SessionName) -> Closed:
        session = self._sessions.pop(request.session)
        return Closed(episodes=session.episodes(), guards=session.guards())


Answers = dict[type, Callable[[Any], msgspec.Struct]]


def agents(
    run: Path,
    answers: Answers | None = None,
    evaluation_episodes: int = 4,
    observations: tuple[str, ...] | None = None,
    fast_agent: Mapping[str, Any] = MappingProxyType({"guard_episodes": 4}),
    **parameters: Any,
) -> tuple[Any, ...]:
    """The bus, its sessions, and the questions that were asked."""
    bus = MockBus("test")
    sessions = Sessions(bus)
    asked: list[Any] = []
    known: Answers = {
        DecomposeQuestion: lambda question: DecomposeAnswer(
            sub_actions=[SubAction(name="walk and dig", method="code", success=LOG)],
            guards=[STEP_BACK],
        ),
        ProgramQuestion: lambda question: ProgramAnswer(source=WALK),
        GuardQuestion: lambda question: GOOD,
        **(answers or {}),
    }

    def answer(request: Ask) -> Answered:
        asked.append(request.question)
        said = known[type(request.question)](request.question)
        return Answered(id=request.id, answer=msgspec.json.encode(said).decode(), model="test")

    def judge(evidence: Evidence) -> Verdict:
        rate = sum(each.success for each in evidence.episodes) / len(evidence.episodes)
        return Verdict(success=rate >= 0.9, success_rate=rate, reason="", episodes=4)

    bus.answer(ASK, answer)
    bus.answer(JUDGE, judge)
    start(SlowAgent, bus, run, **parameters)
    fast = {"trial_episodes": 4, "evaluation_episodes": evaluation_episodes, "repairs": 1}
    start(FastAgent, bus, run, skills="skills", observations=observations, **fast, **fast_agent)
    return bus, sessions, asked


def achieved(bus: Any, goal: str = "goal", iterations: int = 1) -> SubtaskReport:
    request = AchieveSubtask(task=TASK, subtask=SUBTASK, limits=Limits(iterations=iterations))
    return bus.run_goal(ACHIEVE, goal, request)


def test_a_guard_is_made_played_with_and_reported(tmp_path: Path):
    bus, sessions, asked = agents(tmp_path)
    report = achieved(bus)
    assert report.success, report.reason
    (iteration,) = report.iterations
    (stage,) = iteration.stages
    assert [(guard.name, guard.when, guard.max_steps) for guard in stage.guards] == [
        ("stand-still", WHEN, 10)
    ]
    (line,) = iteration.guards
    assert (line.made, line.attempts, line.skill) == (True, 1, "")
    # Trees are 3 to 6 metres away: from two of these starts one is within reach at once, and from
    # the others the player walks past the place where the guard takes over, once in each episode.
    # There are four episodes of the tryout and four of the evaluation.
    assert line.report == GuardReport(
        name="stand-still", turns=4, steps=12, episodes=4, ended={"over": 4}
    )
    question = next(each for each in asked if isinstance(each, GuardQuestion))
    assert [each.name for each in question.sub_actions] == ["walk and dig"]
    assert question.proposal == STEP_BACK
    assert all(
        session.guards == stage.guards for session in sessions.opened if "trial" in session.session
    )


def test_a_guard_that_may_not_run_is_repaired_or_left_out(tmp_path: Path):
    wrong = GuardAnswer(when="def when(obs):\n    noop()\n", source=STAND, max_steps=0)
    bus, _, asked = agents(
        tmp_path, {GuardQuestion: lambda question: GOOD if question.attempts else wrong}
    )
    line = achieved(bus).iterations[0].guards[0]
    assert (line.made, line.attempts) == (True, 2)
    last = [each for each in asked if isinstance(each, GuardQuestion)][-1]
    (attempt,) = last.attempts
    assert "a guard's condition cannot act" in attempt.when_problems[0].message
    assert attempt.others == ["`max_steps` is 0; it must be 1 to 1000."]


def test_a_goal_is_reached_without_a_guard_that_could_not_be_written(tmp_path: Path):
    source = "def action(obs):\n    fly()\n    swim()\n"
    wrong = GuardAnswer(when="def when(obs):\n    noop()\n", source=source, max_steps=0)
    bus, _, _ = agents(tmp_path, {GuardQuestion: lambda question: wrong})
    report = achieved(bus)
    assert report.success
    (line,) = report.iterations[0].guards
    assert (line.made, line.report) == (False, None)
    assert line.reason == (
        "It may not run: condition, line 1: a guard's condition cannot act, and when does; "
        "program, line 1: action never acts: it calls no primitive; "
        "program, line 2: unknown name fly; program, line 3: unknown name swim; "
        "`max_steps` is 0; it must be 1 to 1000."
    )
    assert report.iterations[0].stages[0].guards == []


def failing(run: Path, **parameters: Any) -> tuple[list[Iteration], list[Any]]:
    """Two iterations whose program is not enough."""
    bus, _, asked = agents(
        run, {ProgramQuestion: lambda question: ProgramAnswer(source=ONE_STEP)}, **parameters
    )
    return achieved(bus, iterations=2).iterations, asked


def test_the_next_iteration_is_shown_the_guards_report_and_keeps_the_guard(tmp_path: Path):
    iterations, asked = failing(tmp_path)
    assert len(iterations) == 2
    assert sum(isinstance(each, GuardQuestion) for each in asked) == 1
    assert iterations[1].stages[0].guards == iterations[0].stages[0].guards
    second = [each for each in asked if isinstance(each, DecomposeQuestion)][1]
    (line,) = second.history[0].guards
    assert line.report == GuardReport(
        name="stand-still", turns=8, steps=24, episodes=8, ended={"over": 8}
    )


def test_a_guard_that_made_mistakes_is_made_again_with_its_history(tmp_path: Path):
    bad = GuardAnswer(when="def when(obs):\n    return 1 / 0\n", source=STAND)
    bus, _, asked = agents(
        tmp_path,
        {
            GuardQuestion: lambda question: GOOD if question.history else bad,
            ProgramQuestion: lambda question: ProgramAnswer(source=ONE_STEP),
        },
    )
    first, second = achieved(bus, iterations=2).iterations
    (error,) = first.guards[0].report.errors  # type: ignore[union-attr]
    assert error == "condition: line 2: ZeroDivisionError: division by zero"
    assert second.stages[0].guards[0].when == WHEN
    question = [each for each in asked if isinstance(each, GuardQuestion)][-1]
    assert [line.report.errors for line in question.history] == [first.guards[0].report.errors]  # type: ignore[union-attr]


def test_a_run_without_guards_refuses_them_and_its_questions_state_it(tmp_path: Path):
    bus, _, asked = agents(tmp_path, most_guards=0)
    report = achieved(bus)
    assert report.iterations == []
    assert "There are 1 guards; this run takes none: leave `guards` empty." in report.reason
    assert all(each.most_guards == 0 for each in asked if isinstance(each, DecomposeQuestion))


def test_a_guard_whose_turns_ended_well_becomes_a_skill_and_is_reused(tmp_path: Path):
    bus, _, asked = agents(tmp_path, evaluation_episodes=12)
    achieved(bus)
    library = Library(tmp_path / "skills")
    (skill,) = [each for each in library.all() if each.learned.guard is not None]
    assert skill.name == "stand_still"
    assert (skill.counts.rate, skill.counts.episodes) == (1.0, skill.counts.successes)
    assert (Path(skill.folder) / "when.py").read_text() == WHEN
    assert (Path(skill.folder) / "program.py").read_text() == STAND
    assert skill.policy is None
    before = sum(isinstance(each, GuardQuestion) for each in asked)
    line = achieved(bus, "another").iterations[0].guards[0]
    assert (line.skill, line.attempts, line.made) == ("stand_still", 0, True)
    assert sum(isinstance(each, GuardQuestion) for each in asked) == before
    # Its evaluation was of the same episodes, which count once.
    assert library.find("stand_still").counts == skill.counts  # type: ignore[union-attr]


def test_a_performance_plays_with_the_guards_of_each_stage(tmp_path: Path):
    bus, _, _ = agents(tmp_path)
    stages = achieved(bus).iterations[0].stages
    request = Perform(task=TASK, subtasks=[Practised(subtask=SUBTASK, stages=stages)], record=False)
    performed = bus.run_goal(PERFORM, "goal/perform", request)
    assert performed.success_rate == 1.0
    (report,) = performed.guards
    assert report.name == "stand-still"
    assert report.turns > 0


@pytest.mark.parametrize(
    ("guard", "said"),
    [
        (GuardProposal(name="", when="x"), "A guard has no name."),
        (GuardProposal(name="a", when=" "), "does not state when it is to take over"),
        (GuardProposal(name="a", method="rl", when="x"), "in this run there is code only"),
    ],
)
def test_proposals_of_guards_without_name_or_condition_or_by_rl_are_refused(
    guard: GuardProposal, said: str
):
    action = SubAction(name="dig", method="code", success=LOG)
    found = decomposition_problems(SUBTASK, [action], ["code"], guards=[guard], most_guards=4)
    assert said in found[0]


def test_two_guards_whose_names_give_the_same_goal_id_are_refused():
    two = [GuardProposal(name=name, when="x") for name in ("step back", "Step  back!")]
    action = SubAction(name="dig", method="code", success=LOG)
    (problem,) = decomposition_problems(SUBTASK, [action], guards=two, most_guards=4)
    assert "2 guards are called 'step-back'" in problem


def test_a_sub_action_whose_goal_id_would_be_a_guards_is_refused():
    """Both trained, the one would get the other's spec and policy."""
    actions = [SubAction(name=name, method="rl", success=LOG) for name in ("Guard: flee", "dig")]
    guard = GuardProposal(name="flee", method="rl", when="x")
    (problem,) = decomposition_problems(SUBTASK, actions, guards=[guard], most_guards=4)
    assert "'Guard: flee' and the guard 'flee' would be taken for one" in problem


def test_reports_of_a_guard_are_added_up_and_put_in_one_sentence():
    one = GuardReport(name="a", turns=2, steps=30, episodes=2, ended={"over": 1, "death": 1})
    other = GuardReport(name="a", turns=1, steps=4, episodes=1, ended={"over": 1}, errors={"no": 2})
    (both,) = together([one, other])
    assert in_words(both) == (
        "it took over 3 times in 3 episodes, for 34 steps: 2 times its condition held no longer, "
        "1 times the player died; 2 times no"
    )
    assert in_words(GuardReport(name="a")) == "it never took over"
