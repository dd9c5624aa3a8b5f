"""How many answers of the language model were accepted at first, read from a run's transcript."""

from pathlib import Path
from typing import Any

import msgspec

from messages.chat import (
    Answered,
    GuardAttempt,
    GuardQuestion,
    JudgeQuestion,
    PlanQuestion,
    ProgramAttempt,
    ProgramQuestion,
    Question,
    SpecQuestion,
)
from messages.plan import GuardProposal, SubAction
from messages.program import Problem
from messages.verdict import Evidence
from nodes.llm.recording.transcript import Entry, Unanswered
from rlgpt.report.acceptance import Acceptance, acceptance
from tests.agent_stack import LOG, TASK

DIG = SubAction(name="dig", method="code", success=LOG)
WRONG = [Problem(line=1, message="it is wrong")]
REFUSED = ProgramAttempt(source="a", problems=WRONG)
RUN = ProgramAttempt(source="b", verdict="It got stuck.")
GUARD = GuardProposal(name="flee", when="it is night")


def program(*attempts: ProgramAttempt) -> Question:
    return ProgramQuestion(task=TASK, sub_action=DIG, attempts=list(attempts))


def write(run: Path, *asked: tuple[str, Question, dict[str, Any] | None]) -> None:
    """Lines as the llm node writes them; without anything about its answer a question has none."""
    (run / "llm").mkdir()
    for id, question, answer in asked:
        known: dict[str, Any] = {
            "time": 0.0,
            "agent": "an agent",
            "asked": type(question).__name__,
            "question": msgspec.Raw(msgspec.json.encode(question)),
            "prompt": [],
        }
        if answer is None:
            line, name = Unanswered(**known, id=id, sentence="No."), "unanswered"
        else:
            answered = Answered(id=id, answer="{}", model="toy", **answer)
            line, name = Entry(**known, schema={}, answered=answered), "transcript"
        with (run / "llm" / f"{name}.jsonl").open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")


def test_a_question_that_is_put_again_was_not_accepted_at_first(tmp_path: Path):
    plan = PlanQuestion(task=TASK)
    evidence = Evidence(
        id="e", sub_action="dig", description="", method="code", success=LOG, required_rate=0.9,
        episodes=[],
    )  # fmt: skip
    again = msgspec.structs.replace(plan, problems=["it is empty"])
    spec = SpecQuestion(task=TASK, sub_action=DIG)
    guard = GuardQuestion(task=TASK, proposal=GUARD)
    tried = GuardAttempt(when="w", source="s", when_problems=WRONG)
    write(
        tmp_path,
        # Refused once by the planner: one question, not accepted at first.
        ("g/plan-0", plan, {}),
        ("g/plan-1", again, {}),
        # Of a plan that no longer fits the first question has problems, too: accepted.
        ("g/again-1/plan-0", again, {}),
        # The second program follows a tryout, the third a refusal of the second.
        ("g/dig/program-0", program(), {}),
        ("g/dig/program-1", program(RUN), {}),
        ("g/dig/program-2", program(RUN, REFUSED), {}),
        ("g/dig/program-3", program(RUN, REFUSED, RUN), {}),
        # Repaired by the llm node.
        ("g/dig/spec-0", spec, {"repairs": 1}),
        # Given by a person.
        ("g/dig/spec-9", spec, {"edited_by": "me"}),
        ("g/guard-flee/guard-0", guard, {}),
        ("g/guard-flee/guard-1", msgspec.structs.replace(guard, attempts=[tried]), {}),
        ("g/dig/judge-0", JudgeQuestion(evidence=evidence, success_rate=0.5), {}),
        # Without an answer; the second had one when it was asked again.
        ("g/dig/judge-1", JudgeQuestion(evidence=evidence, success_rate=0.5), None),
        ("g/dig/judge-0", JudgeQuestion(evidence=evidence, success_rate=0.5), None),
    )
    accepted = ["g/again-1/plan-0", "program-0", "program-3", "judge-0"]
    refused = ["plan-0", "program-1", "spec-0", "spec-9", "guard-0", "judge-1"]
    assert acceptance(tmp_path) == Acceptance(
        asked=len(accepted) + len(refused), again=3, accepted=len(accepted)
    )


def test_a_run_without_questions_has_no_acceptance(tmp_path: Path):
    assert acceptance(tmp_path) is None
