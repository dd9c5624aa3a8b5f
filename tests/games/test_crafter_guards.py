"""Crafter's guards by learning: which the rulebook proposes, and their training specs."""

import msgspec
import pytest

import worlds
from messages.chat import DecomposeAnswer, DecomposeQuestion, GuardQuestion, SpecQuestion
from messages.plan import (
    GuardLine,
    GuardProposal,
    Iteration,
    Line,
    Method,
    Samples,
    SubAction,
    Subtask,
)
from messages.program import CheckProgram, Program
from messages.verdict import Verdict
from messages.world import Condition, GuardReport, Task
from nodes.common.checks.spec_check import spec_problems
from nodes.env_server.programs.checking import problems_of
from nodes.llm.profiles import Profile, Rulebook, read_profile
from nodes.llm.rulebook.proposed_guards import proposed_guards
from nodes.llm.rulebook.rulebook_backend import RulebookBackend, guard, spec
from nodes.llm.rulebook.rules import Book
from rlgpt.composing.composition import compose_launch

pytest.importorskip("crafter", reason="crafter is not installed: pip install '.[crafter]'")
CARD, PLAY = worlds.card("crafter"), worlds.play("crafter")
WOOD = Condition(kind="have", name="collect_wood")
TASK = Task(id="wood", prompt="wood", success=WOOD, game="crafter", horizon=300)


def after(*guards: tuple[str, Method, bool, GuardReport | None]) -> Iteration:
    """An iteration that fell short, with guards: name, method, whether it was made, report."""
    return Iteration(
        subtask="wood", number=0, stages=[], success_rate=0.0, episodes=1, seconds=0.0,
        samples=Samples(), lines=[],
        guards=[
            GuardLine(proposal=GuardProposal(name=name, method=method, when="x"), made=made,
                      attempts=1, report=report)
            for name, method, made, report in guards
        ],
    )  # fmt: skip


def failed_by_code() -> Iteration:
    action = SubAction(name="collect wood", method="code", success=WOOD)
    verdict = Verdict(success=False, success_rate=0.0, reason="")
    line = Line(sub_action=action, attempts=1, verdict=verdict)
    return msgspec.structs.replace(after(), lines=[line])


def methods_of_guards(*history: Iteration, first: Method | None = "rl") -> dict[str, Method]:
    subtask = Subtask(name="wood", success=WOOD)
    question = DecomposeQuestion(
        task=TASK, subtask=subtask, most_guards=6, methods=("rl", "code"), history=list(history)
    )
    book = Book("crafter")
    found = proposed_guards(book, book.approach(WOOD), {"rl"}, question, first)
    return {each.name: each.method for each in found}


def test_a_run_may_have_its_guards_learned_where_the_rules_have_a_spec() -> None:
    learned = {"fight back": "rl", "drink": "rl", "eat": "rl", "shelter": "code", "sleep": "code"}
    assert methods_of_guards() == learned
    assert set(methods_of_guards(first=None).values()) == {"code"}
    assert set(methods_of_guards(first="code").values()) == {"code"}
    backend = RulebookBackend(game="crafter", guards_by="rl")
    question = DecomposeQuestion(
        task=TASK,
        subtask=Subtask(name="wood", success=WOOD),
        most_guards=6,
        history=[failed_by_code()],
    )
    answer = msgspec.json.decode(backend.complete(question, [], {}).text, type=DecomposeAnswer)
    assert {each.name: each.method for each in answer.guards} == learned


def test_a_launch_of_crafter_may_have_its_guards_learned() -> None:
    def profile(*overrides: str) -> Profile:
        return read_profile(compose_launch("crafter", list(overrides))["llm"])

    assert profile() == Rulebook(guards_by=None)
    assert profile("llm.guards_by=rl") == Rulebook(guards_by="rl")
    with pytest.raises(ValueError, match="guards_by"):
        profile("llm.guards_by=both")


def test_a_learned_guard_that_failed_is_next_a_program() -> None:
    good = GuardReport(name="drink", turns=5, ended={"over": 4, "death": 1})
    bad = GuardReport(name="eat", turns=6, ended={"over": 3, "death": 2, "episode_over": 1})
    rare = GuardReport(name="eat", turns=4, ended={"death": 4})
    found = methods_of_guards(
        after(
            ("fight back", "rl", False, None), ("drink", "rl", True, good), ("eat", "rl", True, bad)
        )
    )
    assert (found["fight back"], found["drink"], found["eat"]) == ("code", "rl", "code")
    assert methods_of_guards(after(("eat", "rl", True, rare)))["eat"] == "rl"
    wrong = msgspec.structs.replace(rare, errors={"line 3: x": 1})
    assert methods_of_guards(after(("eat", "rl", True, wrong)))["eat"] == "code"
    # Where the rules have no other, it stays.
    assert methods_of_guards(after(("sleep", "code", False, None)))["sleep"] == "code"
    assert methods_of_guards(after(("eat", "code", False, None)), first=None)["eat"] == "code"


@pytest.mark.parametrize("name", ["fight back", "drink", "eat"])
def test_the_spec_of_a_learned_guard_is_valid_and_has_its_program_as_a_macro(name: str) -> None:
    book, specs = Book("crafter"), CARD.specs
    rule = book.guard(name)
    proposal = GuardProposal(name=name, method="rl", when=rule.when)
    made = guard(GuardQuestion(task=TASK, proposal=proposal))
    assert made.source == ""
    when = CheckProgram(program=Program(name=name, source=made.when), kind="when")
    assert problems_of(when, PLAY.programs) == []
    seen = [each for each in specs.features if each != "rgb"]
    action = SubAction(name=name, method="rl", success=TASK.success)
    question = SpecQuestion(
        task=TASK, sub_action=action, before=[], observations=seen, actions=list(specs.actions),
        macros_allowed=True, guard=proposal, when=made.when,
    )  # fmt: skip
    answer = spec(question)
    assert spec_problems(answer, seen, specs.actions, True, 10**6, "crafter") == []
    (macro,) = answer.macros
    assert (macro.name, macro.max_steps) == (rule.file, 10)
    assert macro.source == book.guard_source(f"{rule.file}.py", TASK.success)
    assert spec(msgspec.structs.replace(question, macros_allowed=False)).macros == []
