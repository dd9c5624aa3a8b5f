"""Examples that are shown beside a question: which ones, where they stand, and unusable files."""

import json
import tracemalloc
from pathlib import Path

import msgspec
import pytest

from messages.chat import DecomposeQuestion, PlanQuestion, ProgramAttempt, ProgramQuestion
from messages.plan import SubAction, Subtask
from messages.program import Problem
from messages.world import Condition, Task
from nodes.common.running.exit_codes import REFUSED
from nodes.llm.examples.example import Example, question_of, read, write
from nodes.llm.examples.example_library import Library
from nodes.llm.examples.similarity import Index, words
from nodes.llm.lessons.lessons import HELD_OUT, questions, to_show
from nodes.llm.lessons.shown import DEFAULT_COUNTS, library
from nodes.llm.rulebook.rules import Book
from rlgpt.main import main
from rlgpt.single_runs.prompts import show
from tests.llm.composed_profiles import PROFILES, composed
from tests.llm.scripted_server import GOOD, QUESTION, Setting, lines, refusal, says
from worlds import card

COUNTS = {"PlanQuestion": 40, "DecomposeQuestion": 60, "ProgramQuestion": 90, "SpecQuestion": 10}


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    return to_show(COUNTS, seed=0)


@pytest.fixture(scope="module")
def file(examples: list[Example], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("examples") / "examples.jsonl"
    write(path, examples)
    return path


def test_texts_are_alike_by_their_rare_words():
    texts = ["walk up to the cow", "walk up to the tree", "dig the tree down", "craft the thing"]
    index = Index([words(text) for text in texts])
    assert index.nearest(words("dig a hole"), 1) == [2]
    assert set(index.nearest(words("walk up to the rock"), 2)) == {0, 1}
    assert index.nearest(words("nothing of all that"), 4) == [0, 1, 2, 3]


def test_names_do_not_count_as_words_of_a_text():
    assert words("Craft 2 iron_ingot: an iron ingot", without=frozenset({"iron_ingot"})) == {
        "craft",
        "an",
    }


def test_the_nearest_program_is_of_the_same_kind(file: Path):
    """By what is to be done, not by the things that are named. Programs that the rules have for the
    same sub-action are of one kind."""
    library = Library.of_file(file)
    asked = questions({"ProgramQuestion": 20}, seed=0)
    same = 0
    for each in asked:
        question = question_of(each)
        assert isinstance(question, ProgramQuestion)
        *_, nearest = library.turns(msgspec.structs.replace(question, attempts=[]), 2)
        same += together({stock(nearest.content), stock(each.answer)})
    assert same >= 18


def together(programs: set[str]) -> bool:
    """Whether the rules try these programs for the same sub-action."""
    approaches = Book().rules.subtasks.values()
    steps = [step for each in approaches for split in each.splits for step in split]
    files = {f"{name}.py" for name in programs}
    return len(programs) == 1 or any(files <= set(step.programs) for step in steps)


def stock(answer: str) -> str:
    """From which file of the rulebook a program is."""
    return json.loads(answer)["thoughts"].partition(".py")[0].rpartition(" ")[2]


def test_no_example_is_about_a_goal_of_the_papers_tables(examples: list[Example]):
    """Not even where that is a step to another goal: it would be the whole answer."""
    assert len(examples) > 100
    for each in examples:
        question = question_of(each)
        step = question.sub_action if isinstance(question, ProgramQuestion) else None
        assert each.goal not in HELD_OUT | {"log2"}
        assert step is None or step.success.name not in HELD_OUT | {"log2"}


def test_a_station_to_put_down_is_shown_blocks_that_are_put_down():
    """No other goal is one of stations, and both are held out."""
    library = Library(to_show({"PlanQuestion": DEFAULT_COUNTS["PlanQuestion"]}, seed=0))
    station = Condition(kind="nearby", name="crafting_table")
    task = Task(id="t", prompt="Put a crafting table down.", success=station, horizon=1000)
    answers = library.turns(PlanQuestion(task=task), 2)[1::2]
    assert len(answers) == 2
    for answer in answers:
        assert json.loads(answer.content)["subtasks"][-1]["success"]["kind"] == "placed"


def test_what_a_tool_gets_from_a_mob_is_shown_hunts():
    """No example has a tool that is used on a mob. A mob has to be walked after all the same."""
    library = Library(to_show({"DecomposeQuestion": 400}, seed=0))
    wool = Condition(kind="have", name="wool")
    task = Task(id="t", prompt="Get one wool.", success=wool, inventory={"shears": 1})
    question = DecomposeQuestion(task=task, subtask=Subtask(name="get wool", success=wool))
    answers = library.turns(question, 2)[1::2]
    assert len(answers) == 2
    for answer in answers:
        assert json.loads(answer.content)["sub_actions"][0]["name"].startswith("hunt a")


def test_a_plan_is_shown_plans_of_as_many_steps():
    """By their words alone, a plan of one step would be the most like one of two: it has fewer."""
    library = Library(to_show({"PlanQuestion": 300}, seed=0))
    wool = Condition(kind="have", name="wool")
    held = {"crafting_table": 1, "iron_ingot": 2}
    task = Task(id="t", prompt="Get one wool.", success=wool, inventory=held, horizon=1000)
    answers = library.turns(PlanQuestion(task=task, inventory=held, quantities=True), 4)[1::2]
    lengths = [len(json.loads(answer.content)["subtasks"]) for answer in answers]
    assert lengths.count(2) >= 3


def _goal_kind(example: Example) -> str:
    question = question_of(example)
    assert isinstance(question, PlanQuestion)
    return question.task.success.kind


def _asked_again(example: Example) -> bool:
    question = question_of(example)
    return isinstance(question, PlanQuestion) and bool(question.problems)


def test_a_question_is_not_shown_its_own_answer(examples: list[Example], file: Path):
    plans = [each for each in examples if each.kind == "PlanQuestion"]
    plan = next(each for each in plans if not _asked_again(each))
    library = Library.of_file(file)
    shown = [message.content for message in library.turns(question_of(plan), 5)]
    assert len(shown) == 10
    assert plan.user not in shown


def test_a_question_that_is_asked_again_is_shown_the_same_and_one_that_was_repaired(file: Path):
    """The same ones first, so that a server has their keys and values already."""
    library = Library.of_file(file)
    (asked,) = questions({"ProgramQuestion": 1}, seed=0)
    first = question_of(asked)
    assert isinstance(first, ProgramQuestion)
    first = msgspec.structs.replace(first, attempts=[])
    shown = library.turns(first, 2)
    assert len(shown) == 4
    refused, fell_short = "is refused until that is changed", "Answer with a better program"
    wrong = ProgramAttempt(source="x = 1", problems=[Problem(line=1, message="no")])
    for attempt, told in ((wrong, refused), (ProgramAttempt(source="x = 1"), fell_short)):
        later = library.turns(msgspec.structs.replace(first, attempts=[attempt]), 2)
        assert later[:4] == shown
        assert len(later) == 6
        assert told in later[4].content
        assert not any(told in each.content for each in shown)


def test_a_refused_program_is_shown_one_that_was_refused_for_the_like():
    library = Library(to_show({"ProgramQuestion": 200}, seed=0))
    table = Condition(kind="have", name="crafting_table")
    task = Task(id="t", prompt="", success=table, inventory={"planks": 4}, horizon=1000)
    sub_action = SubAction(
        name="craft crafting table", method="code", success=table,
        description="craft 1 crafting table from what is in the inventory",
    )  # fmt: skip
    for message, alike in (
        ("syntax error: invalid syntax in `QUANTITY = 1 crafting table`", "syntax error"),
        ("crafting table is a block; the item is crafting_table", "is a block"),
    ):
        attempt = ProgramAttempt(source="x = 1", problems=[Problem(line=1, message=message)])
        question = ProgramQuestion(task=task, sub_action=sub_action, attempts=[attempt])
        repaired = library.turns(question, 2)[-2].content
        problem = next(line for line in repaired.splitlines() if line.startswith("- line"))
        assert alike in problem, message


def test_the_same_question_is_shown_other_examples_each_time(file: Path):
    """A model at temperature 0 would give the same answer to it again."""
    library = Library.of_file(file)
    (asked,) = questions({"PlanQuestion": 1}, seed=0)
    question = msgspec.structs.replace(question_of(asked), refused=[], problems=[])
    first, second, third = (library.turns(question, 2) for _ in range(3))
    assert len(first) == len(second) == len(third) == 4
    texts = [{message.content for message in turns} for turns in (first, second, third)]
    assert not texts[0] & texts[1]
    assert not texts[1] & texts[2]


def test_questions_that_were_answered_are_not_held_in_memory(file: Path):
    """A long run has thousands, with the programs and verdicts of earlier iterations in them."""
    library = Library.of_file(file)
    (asked,) = questions({"PlanQuestion": 1}, seed=0)
    question = msgspec.structs.replace(question_of(asked), problems=["x" * 200_000])
    library.turns(question, 2)
    tracemalloc.start()
    try:
        for number in range(20):
            library.turns(
                msgspec.structs.replace(
                    question, refused=[], problems=[f"{number} {'x' * 200_000}"]
                ),
                2,
            )
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 1_000_000


@pytest.mark.parametrize("stated", [False, True])
def test_a_plan_is_shown_in_the_form_in_which_it_is_asked_for(file: Path, stated: bool):
    library = Library.of_file(file)
    (asked,) = questions({"PlanQuestion": 1}, seed=0, quantities=stated)
    question = msgspec.structs.replace(question_of(asked), refused=[], problems=[])
    turns = library.turns(question, 4)
    assert len(turns) == 8
    for text in [asked.user, *(message.content for message in turns[::2])]:
        assert ("in the order in which they are needed" in text) == stated
        assert ("the quantities are yours to count" in text) != stated


@pytest.mark.parametrize(("kinds", "turns"), [([], 4), (["plan", "spec"], 4), (["program"], 0)])
def test_examples_are_shown_with_the_kinds_of_questions_that_the_profile_names(
    setting: Setting, file: Path, kinds: list[str], turns: int
):
    setting.start(says(GOOD), examples=str(file), shown=2, shown_for=kinds)
    setting.ask()
    assert setting.server is not None
    assert len(setting.server.requests[-1]["messages"]) == 2 + turns


def test_examples_are_shown_as_turns_before_the_question(
    setting: Setting, file: Path, capsys: pytest.CaptureFixture[str]
):
    setting.start(says(GOOD), examples=str(file), shown=2)
    setting.ask()
    assert setting.server is not None
    sent = setting.server.requests[-1]["messages"]
    assert [each["role"] for each in sent] == ["system", *["user", "assistant"] * 2, "user"]
    assert sent[-1]["content"] == "A log."
    assert json.loads(sent[-2]["content"])["subtasks"]
    # The record has both: what the agent sent, which a replay compares, and what was added.
    (entry,) = lines(setting.run)
    assert len(entry["prompt"]) == 2
    assert [each["content"] for each in entry["examples"]] == [
        each["content"] for each in sent[1:-1]
    ]
    assert show("planner", str(setting.run), None, False, False) == 0
    shown = capsys.readouterr().out
    assert sent[1]["content"].splitlines()[0] in shown
    assert main(["prompt", "show", "planner", "--run", str(setting.run), "--schema"]) == 0
    whole = capsys.readouterr().out
    assert whole.startswith(shown)
    assert '"subtasks": {' in whole.removeprefix(shown)


def test_examples_are_left_out_first_where_the_context_is_small(setting: Setting, file: Path):
    setting.start(says(GOOD), examples=str(file), shown=3, context=150, max_tokens=100)
    answered = setting.ask()
    assert answered.left_out == ["an example"] * 3
    assert setting.server is not None
    sent = setting.server.requests[-1]["messages"]
    assert [each["role"] for each in sent] == ["system", "user"]


def test_a_question_of_another_kind_is_shown_none(file: Path, tmp_path: Path):
    plans = [each for each in read(file) if each.kind == "PlanQuestion"]
    path = tmp_path / "plans.jsonl"
    write(path, plans)
    library = Library.of_file(path)
    (program,) = questions({"ProgramQuestion": 1}, seed=0)
    assert library.turns(question_of(program), 2) == []
    assert len(library.turns(QUESTION, 2)) == 4
    fresh = [each for each in plans if "cannot be used" not in each.user]
    assert len(library.turns(QUESTION, 1000)) == 2 * len(fresh) < 2 * len(plans)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "cannot be read: No such file"),
        ("", "holds no examples: it is empty"),
        ("{\n", "line 1 is no example"),
        ("other question", "line 2: Object missing required field `task`"),
        ("other answer", "line 2: "),
        ("other kind", "line 2: JudgeQuestion is none of PlanQuestion"),
        ("other condition", "line 2: 'unheard_of'"),
    ],
)
def test_an_unusable_file_is_refused_with_its_line(
    examples: list[Example], tmp_path: Path, content: str | None, sentence: str
):
    path = tmp_path / "examples.jsonl"
    plans = [each for each in examples if each.kind == "PlanQuestion"]
    first = next(each for each in plans if _goal_kind(each) == "have")
    changed = {
        "other question": {"question": msgspec.Raw(b'{"type": "PlanQuestion"}')},
        "other answer": {"answer": "{}"},
        "other kind": {"kind": "JudgeQuestion"},
        "other condition": {
            "question": msgspec.Raw(bytes(first.question).replace(b'"have"', b'"unheard_of"'))
        },
    }
    if content in changed:
        write(path, [first, msgspec.structs.replace(first, **changed[content])])
    elif content is not None:
        path.write_text(content)
    with pytest.raises(ValueError, match=sentence):
        Library.of_file(path)


def test_a_node_with_an_unusable_file_says_how_to_make_one(setting: Setting, tmp_path: Path):
    missing = str(tmp_path / "nothing.jsonl")
    setting.configure({"kind": "openai", "url": "http://x/v1", "model": "m", "examples": missing})
    said = refusal(setting.run)
    assert f"llm.examples: {missing} cannot be read: No such file or directory" in said
    assert "`rlgpt llm examples FILE` makes such a file" in said


def test_the_rulebooks_examples_need_no_file():
    shown = library("rulebook").turns(QUESTION, 2)
    assert [message.role for message in shown] == ["user", "assistant"] * 2


def test_the_command_writes_a_file_that_a_node_reads(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    path = tmp_path / "few.jsonl"
    counts = ["--plans", "4", "--decompositions", "3", "--programs", "2", "--specs", "0"]
    assert main(["llm", "examples", str(path), *counts]) == 0
    assert f"llm.examples={path}" in capfd.readouterr().out
    assert 4 <= len(Library.of_file(path)) <= 9
    question = PlanQuestion(task=QUESTION.task)
    assert Library.of_file(path).turns(question, 1)
    assert main(["llm", "examples", str(tmp_path / "no" / "such.jsonl")]) == REFUSED
    assert "cannot be written: there is no folder" in capfd.readouterr().err
    assert main(["llm", "examples", str(path)]) == REFUSED
    assert "is there already" in capfd.readouterr().err
    none = [word if word.startswith("--") else "0" for word in counts]
    assert main(["llm", "examples", str(tmp_path / "none.jsonl"), *none]) == REFUSED
    assert "there is nothing to write" in capfd.readouterr().err


def test_a_first_program_is_not_shown_what_follows_one_that_fell_short_in_an_earlier_iteration():
    """It was shown the program that the stock has for when its first one fails."""
    examples = to_show({"ProgramQuestion": 400}, seed=0)
    after_another = [each for each in examples if _program_question(each).tried]
    assert after_another
    library = Library(examples)
    for each in examples:
        question = _program_question(each)
        if question.attempts or question.tried:
            continue
        first = library.turns(question, 2)[1::2]
        assert not {answer.content for answer in first} & {each.answer for each in after_another}
    again = library.turns(_program_question(after_another[0]), 2)[1::2]
    assert len(again) == 3  # as for any question that is asked again


def _program_question(example: Example) -> ProgramQuestion:
    question = question_of(example)
    assert isinstance(question, ProgramQuestion)
    return question


def test_profiles_that_show_programs_leave_room_to_write_the_longest_one():
    """One that is cut off is asked for again and again. A token of them has three characters."""
    stock = card("minecraft").rulebook.programs.glob("*.py")
    longest = max(len(json.dumps(path.read_text())) for path in stock)
    showing = [name for name in PROFILES if composed(name).get("examples") == "rulebook"]
    assert len(showing) >= 3
    for name in [*showing, "local"]:  # by which weights are used that were taught such programs
        assert composed(name)["max_tokens"] > longest / 3 + 200, name
