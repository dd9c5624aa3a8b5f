"""Goals that are held out: runs about them are not taught unless asked for, which is recorded."""

import json
import sys
from pathlib import Path

import msgspec
import pytest

from nodes.llm import manifest
from nodes.llm.examples.example import Example, read, write
from nodes.llm.getting.merging import merge
from nodes.llm.getting.refusals import Failed
from nodes.llm.lessons.lessons import goals_of, held_out_goals, held_out_of, lessons, questions
from nodes.llm.profiles import Vllm
from nodes.llm.requests.openai import OpenAIBackend
from nodes.llm.training.__main__ import main as training_main
from nodes.llm.training.asking_held_out import (
    Asking,
    Figures,
    in_words,
    judged,
    not_held_out,
    practised,
    taught,
    text_of,
)
from tests.llm.run_folder import run_folder
from tests.llm.scripted_server import Answers, Server, breaks_off, fails, says

FEW = ["--plans", "1", "--decompositions", "0", "--programs", "0", "--specs", "0"]


@pytest.fixture
def held() -> Example:
    [example] = questions({"PlanQuestion": 1}, seed=0)
    return example


def called(words: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["x", *words])
    monkeypatch.setattr("nodes.llm.training.__main__.interrupted_once", lambda: None)
    return training_main()


def test_examples_of_a_run_leave_out_goals_that_are_held_out(
    held: Example,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    run = str(run_folder(tmp_path / "run", held, success=True))
    without, with_it = tmp_path / "without.jsonl", tmp_path / "with.jsonl"
    assert called(["examples", str(without), *FEW, "--run", run], monkeypatch) == 0
    said = capsys.readouterr().out
    assert f"1 of 1 answers of runs are about goals that are held out ({held.goal})" in said
    assert "are left out; --held-out takes them" in said
    assert held.goal not in {each.goal for each in read(without)}
    assert taught(tmp_path, Asking(examples=str(without))) == set()
    assert called(["examples", str(with_it), *FEW, "--run", run, "--held-out"], monkeypatch) == 0
    assert "are taken: `rlgpt llm test` will report it" in capsys.readouterr().out
    known = taught(tmp_path, Asking(examples=str(with_it)))
    assert known == {held.goal}
    assert f"answers about {held.goal}: 1 of 1 questions are" in not_held_out([held], known)
    assert not_held_out([held], set()) == ""


def test_an_answer_of_a_run_about_a_step_that_is_held_out_is_reported(base: Path, tmp_path: Path):
    """`examples --held-out` says that `rlgpt llm test` will."""
    step = next(
        each
        for each in lessons({"ProgramQuestion": 60}, seed=0, held_out=True)
        if each.goal not in held_out_goals() and held_out_of(each)
    )
    file = tmp_path / "examples.jsonl"
    write(file, [msgspec.structs.replace(step, source="a model")])
    assert taught(base, Asking(examples=str(file))) == {held_out_of(step)}
    write(file, [step])  # a lesson, of which steps are no answers to what is asked
    assert taught(base, Asking(examples=str(file))) == set()
    file.write_text("{}\n")
    with pytest.raises(ValueError, match=rf"^{file} is no file of examples: line 1 is no example"):
        taught(base, Asking(examples=str(file)))


def test_a_question_whose_step_was_taught_is_counted_as_well_as_one_about_the_goal():
    asked = questions({"DecomposeQuestion": 24}, seed=0)
    about = [goals_of(each) for each in asked]
    assert any(step != task for task, step, *_ in about)
    for task, step, *_ in about:
        counted = sum(step in names for names in about)
        assert f"answers about {step}: {counted} of 24 questions" in not_held_out(asked, {step})
        assert counted
        assert f"answers about {task}: " in not_held_out(asked, {task})
    assert "about nothing: 0 of 24 questions" in not_held_out(asked, {"nothing"})


def test_weights_that_were_taught_held_out_goals_record_it_over_trainings_and_merging(
    base: Path, held: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    run = str(run_folder(tmp_path / "run", held, success=True))
    assert called(["train", str(base), *FEW, "--run", run], monkeypatch) == 0
    into = base.with_name("toy-taught")
    assert taught(into, Asking()) == set()  # nor a lesson about a step
    words = [*FEW, "--run", run, "--held-out", "--name", "knows"]
    assert called(["train", str(base), *words], monkeypatch) == 0
    knows = base.with_name("knows")
    assert taught(knows, Asking()) == {held.goal}
    assert taught(base, Asking(adapter=str(knows / "adapter"))) == {held.goal}
    words = [*FEW, "--adapter", str(knows / "adapter"), "--name", "on"]
    assert called(["train", str(base), *words], monkeypatch) == 0
    merged = merge(base.with_name("on") / "adapter", base.parent, "merged")
    found = manifest.read(merged)
    assert found is not None
    assert found.held_out == [held.goal]


def test_plans_that_can_be_carried_out_on_paper_are_counted_apart():
    """A plan that the rules carry out may still be refused: here it ends in another goal."""
    held = next(
        each
        for each in questions({"PlanQuestion": 20}, seed=0)
        if len(json.loads(each.answer)["subtasks"]) > 2
    )
    plan = json.loads(held.answer)
    short = json.dumps({**plan, "subtasks": plan["subtasks"][:1]})
    answers = iter([held.answer, short])
    found = judged([held, held], lambda _: next(answers))["PlanQuestion"]
    assert (found.accepted, found.on_paper) == (1, 2)
    assert "; 2 can be carried out on paper, by the rules" in in_words(found)
    assert "on paper" not in in_words(Figures(1, 1, 1, 1, []))


def test_decompositions_of_steps_that_lessons_have_are_counted():
    asked = questions({"PlanQuestion": 3, "DecomposeQuestion": 24}, seed=0)
    steps = [goals_of(each)[-1] for each in asked if each.kind == "DecomposeQuestion"]
    count = sum(step in held_out_goals() for step in steps)
    assert 0 < count < 24
    assert practised(asked).startswith(
        f"{count} of 24 decompositions are of a step that is held out"
    )


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ((says("a plan"),), "a plan"),
        ((breaks_off, breaks_off, says("a plan")), "a plan"),  # the server was started again
        ((says("a pl", finish="length"),), ""),
        ((breaks_off,), None),
        ((fails(500),), None),
    ],
)
def test_an_answer_that_the_server_did_not_give_is_no_refused_one(
    held: Example, script: tuple[Answers, ...], text: str | None
):
    server = Server(*script)
    profile = Vllm(model="toy", path="toy", stream=False, response_format="text", context=None)
    try:
        backend = OpenAIBackend(profile, "toy", lambda: server.url)
        if text is None:
            with pytest.raises(Failed, match="the test ended without figures: "):
                text_of(backend, held, [])
        else:
            assert text_of(backend, held, []) == text
    finally:
        server.close()
