"""Models that give an answer again although they were told what is wrong with it."""

import msgspec
import pytest

from messages.chat import (
    DecomposeAnswer,
    DecomposeQuestion,
    GoalAnswer,
    GoalQuestion,
    GuardAnswer,
    GuardAttempt,
    GuardQuestion,
    PlanAnswer,
    PlanQuestion,
    ProgramAnswer,
    ProgramAttempt,
    ProgramQuestion,
    Question,
    SpecAnswer,
    SpecQuestion,
)
from messages.plan import GuardProposal, SubAction, Subtask
from messages.program import Problem
from messages.world import Condition, RewardTerm
from nodes.llm.answers.repeated_answers import REPEATED, refused_before
from tests.agent_stack import TASK
from tests.llm.scripted_server import GOOD, Setting, lines, says

LOG = Condition(kind="have", name="log")
DIRT = Condition(kind="have", name="dirt")
DIG = SubAction(name="dig", method="code", success=LOG)
PROBLEM = [Problem(line=1, message="no block is called tree")]
REFUSED_PLAN = msgspec.json.decode(GOOD, type=PlanAnswer).subtasks
ASKED_AGAIN = PlanQuestion(task=TASK, problems=["It misses a step."], refused=REFUSED_PLAN)
OTHER = GOOD.replace('"dig"', '"harvest a log"')


def temperatures(setting: Setting) -> list[float]:
    assert setting.server is not None
    return [request["temperature"] for request in setting.server.requests]


def test_a_refused_answer_that_comes_again_is_asked_for_at_a_higher_temperature(setting: Setting):
    setting.start(says(GOOD), says(GOOD), says(OTHER), temperature=0.2)
    answered = setting.ask(question=ASKED_AGAIN)
    assert temperatures(setting) == pytest.approx([0.2, 0.5, 0.8])
    assert msgspec.json.decode(answered.answer)["subtasks"][0]["name"] == "harvest a log"
    assert setting.server is not None
    first, second, third = (request["messages"] for request in setting.server.requests)
    assert first == second == third  # it would copy what it is shown once more
    assert lines(setting.run)[0]["failures"] == [REPEATED] * 2


def test_the_agent_refuses_it_where_no_other_answer_comes(setting: Setting):
    setting.start(says(GOOD), repairs=4, temperature=0.2)
    answered = setting.ask(question=ASKED_AGAIN)
    assert temperatures(setting) == pytest.approx([0.2, 0.5, 0.8, 1.0, 1.0])
    assert msgspec.json.decode(answered.answer, type=PlanAnswer).subtasks == REFUSED_PLAN


def test_an_invalid_text_that_comes_again_is_asked_for_at_a_higher_temperature(setting: Setting):
    setting.start(says("{}"), says("{}"), says('{"subtasks": 1}'), says(GOOD), temperature=0.2)
    setting.ask()
    assert temperatures(setting) == pytest.approx([0.2, 0.2, 0.5, 0.5])


def test_a_temperature_above_1_is_never_lowered(setting: Setting):
    setting.start(says("{}"), says("{}"), says(GOOD), temperature=1.2)
    setting.ask()
    assert temperatures(setting) == [1.2] * 3


def test_at_temperature_0_the_same_answer_is_the_agents(setting: Setting):
    """It was asked to be the same each time, and other examples are shown with the question."""
    setting.start(says(GOOD), temperature=0.0)
    assert setting.ask(question=ASKED_AGAIN).repairs == 0
    assert temperatures(setting) == [0.0]


SPEC = SpecAnswer(
    observations=["rays"],
    actions=["attack"],
    rewards=[RewardTerm(kind="success", weight=1.0)],
    horizon=100,
    budget=1000,
)
CASES: list[tuple[Question, msgspec.Struct, msgspec.Struct]] = [
    (
        GoalQuestion(task=TASK, refused=LOG),
        GoalAnswer(thoughts="Well.", success=LOG),
        GoalAnswer(success=DIRT),
    ),
    (
        PlanQuestion(task=TASK, refused=REFUSED_PLAN),
        PlanAnswer(thoughts="Well.", subtasks=REFUSED_PLAN),
        PlanAnswer(subtasks=[*REFUSED_PLAN, *REFUSED_PLAN]),
    ),
    (
        DecomposeQuestion(task=TASK, subtask=Subtask(name="log", success=LOG), refused=[DIG]),
        DecomposeAnswer(thoughts="Well.", sub_actions=[DIG]),
        DecomposeAnswer(sub_actions=[msgspec.structs.replace(DIG, method="rl")]),
    ),
    (
        ProgramQuestion(
            task=TASK,
            sub_action=DIG,
            attempts=[
                ProgramAttempt(source="one", problems=PROBLEM),
                ProgramAttempt(source="two", verdict="It fell short."),
            ],
        ),
        ProgramAnswer(thoughts="Well.", source="one"),
        ProgramAnswer(source="two"),  # it was tried: the same again means that there is no idea
    ),
    (
        GuardQuestion(
            task=TASK,
            proposal=GuardProposal(name="flee", method="code", when="a zombie is near"),
            attempts=[GuardAttempt(when="when", source="run", problems=PROBLEM)],
        ),
        GuardAnswer(when="when", source="run", max_steps=7),
        GuardAnswer(when="when", source="hide"),
    ),
    (
        SpecQuestion(task=TASK, sub_action=DIG, refused=SPEC),
        msgspec.structs.replace(SPEC, thoughts="Well."),
        msgspec.structs.replace(SPEC, horizon=200),
    ),
]


@pytest.mark.parametrize(
    ("question", "same", "other"), CASES, ids=[type(case[0]).__name__ for case in CASES]
)
def test_of_each_kind_of_question(question: Question, same: msgspec.Struct, other: msgspec.Struct):
    assert refused_before(question, msgspec.json.encode(same).decode())
    assert not refused_before(question, msgspec.json.encode(other).decode())


def test_of_a_spec_as_it_is_taken():
    """The question has it with each name once and with the names that are seen; the model wrote
    others, and would write them again."""
    shown = msgspec.structs.replace(SPEC, targets=["wood"])
    question = SpecQuestion(task=TASK, sub_action=DIG, refused=shown)
    written = msgspec.structs.replace(
        SPEC, targets=["log"], observations=[*SPEC.observations, *SPEC.observations]
    )
    assert refused_before(question, msgspec.json.encode(written).decode())
