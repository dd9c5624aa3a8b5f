"""The prompts as files: the page that shows them is true, and they are short enough."""

import json
import re
from typing import Any, get_args, get_type_hints

import msgspec
import pytest

from messages.chat import (
    ChatMessage,
    GuardAttempt,
    GuardNote,
    GuardQuestion,
    LookQuestion,
    Part,
    PictureNote,
    ProgramAttempt,
    ProgramQuestion,
    SpecQuestion,
    TriedNote,
    game_of,
)
from messages.plan import GuardLine, GuardProposal, Line, Stage, SubAction, Tried
from messages.program import Program, ProgramReport
from messages.verdict import Verdict
from messages.world import Condition
from nodes.common.questions import prompt_parts
from nodes.common.questions.asking import render
from nodes.common.questions.prompt_parts import without_next, without_parts
from nodes.env_server.programs import ProgramRefused, compile_program, grammar
from nodes.llm.answers.answer_schema import answer_schema
from nodes.llm.prompt_pages import PAGE, ROOT, page, samples, tokens
from nodes.llm.requests.fitting import fit
from tests.agent_stack import LOG, TASK, ended_with_a_log
from tests.llm import vllm_environment
from worlds import card
from worlds.common.pictures import RGB
from worlds.minecraft.card.language import LANGUAGE
from worlds.minecraft.play.runtime import RUNTIME

CONTEXT = 8192  # tokens, of the smallest model that these are written for
ANSWER = 2048  # of them, kept for the answer


def test_the_page_of_prompts_is_up_to_date():
    told = "docs/prompts.md is older than the prompts: run `python -m nodes.llm.prompt_pages`"
    assert PAGE.read_text("utf-8") == page(), told


@pytest.mark.parametrize("game", ["minecraft", "crafter"])
def test_pixels_that_a_run_has_policies_see_are_described_in_every_game(game: str):
    agent, question = next(each for each in samples().values() if isinstance(each[1], SpecQuestion))
    assert isinstance(question, SpecQuestion)
    task = msgspec.structs.replace(question.task, game=game)
    seen = msgspec.structs.replace(question, task=task, before=[], observations=["rgb"])
    said = render(ROOT / "nodes" / agent / "prompts", seen)[1].content
    assert f"Observations to choose from:\n- rgb: {RGB.description}\n" in said


@pytest.mark.parametrize("name", sorted(samples()))
def test_the_constant_part_of_a_prompt_comes_first(name: str):
    agent, question = samples()[name]
    system, user = render(ROOT / "nodes" / agent / "prompts", question)
    bare = type(question)(
        **{
            field: getattr(question, field)
            for field, default in zip(
                reversed(question.__struct_fields__),
                [*reversed(question.__struct_defaults__), *[None] * 9],
                strict=False,
            )
            if default is None
        }
    )
    assert (system.role, user.role) == ("system", "user")
    assert system == render(ROOT / "nodes" / agent / "prompts", bare)[0]


def test_the_tiny_model_reads_every_prompt_and_has_room_for_an_answer():
    """Which only `make test-llm` would find out. Its tokens have a byte or more."""
    for agent, question in samples().values():
        prompt = render(ROOT / "nodes" / agent / "prompts", question)
        size = sum(len(message.content.encode()) for message in prompt)
        assert size + vllm_environment.MOST_TOKENS <= vllm_environment.CONTEXT


SOURCE = "def action(obs):\n" + "    obs = forward()  # and look for the next tree\n" * 60
VERDICT = Verdict(success=False, success_rate=0.1, reason="It got stuck. " * 10, suggestion="Jump.")
DIG = SubAction(name="dig", method="rl", success=LOG, description="dig it " * 20)
LINE = Line(sub_action=DIG, attempts=4, verdict=VERDICT, macros=["attack_20"])
BEFORE = [Stage(sub_action=DIG, program=Program(name="walk", source=SOURCE[:1500]))] * 2
TRIED = Tried(iteration=1, line=LINE, program=Program(name="dig", source=SOURCE[:1500]))
FLEE = GuardProposal(name="flee", when="a creeper is near", description="run " * 20)
NOTE = TriedNote(name="dig_1", sub_action="dig", success=LOG, rate=0.5, episodes=20)
REPORT = ProgramReport(
    program="dig",
    status="error",
    count=3,
    steps=80,
    line=12,
    last_primitive="forward",
    error="ValueError: there is none",
    changed={"position": "(1.0, 2.0, 3.0) -> (2.0, 2.0, 3.0)", "facing": "air -> wood"},
)


@pytest.mark.parametrize(
    "question",
    [
        ProgramQuestion(
            task=TASK,
            sub_action=DIG,
            before=BEFORE,
            attempts=[ProgramAttempt(source=SOURCE, reports=[REPORT] * 4, verdict="No. " * 40)] * 6,
            history=[LINE] * 12,
            tried=[TRIED] * 5,
        ),
        SpecQuestion(
            task=TASK,
            sub_action=DIG,
            before=BEFORE,
            history=[LINE] * 12,
            observations=["rays", "voxels", "facing"] * 4,
            actions=["forward", "turn_left_15"] * 15,
            tried=[TRIED] * 5,
            programs=[
                msgspec.structs.replace(NOTE, name=f"dig_{n}", source=f"# {n}\n{SOURCE}")
                for n in range(8)
            ],
        ),
        GuardQuestion(
            task=TASK,
            proposal=FLEE,
            sub_actions=[DIG] * 6,
            attempts=[GuardAttempt(when=SOURCE[:600], source=SOURCE, others=["No. " * 40])] * 6,
            history=[GuardLine(proposal=FLEE, made=False, attempts=4, reason="No. " * 40)] * 12,
            skills=[
                GuardNote(name="run", purpose="run", when=SOURCE[:600], source=SOURCE, rate=0.9)
            ]
            * 3,
        ),
    ],
    ids=lambda question: type(question).__name__,
)
def test_a_long_history_still_fits_into_a_small_context(
    question: ProgramQuestion | SpecQuestion | GuardQuestion,
):
    """Without what the question can do without, in the stated order, and with all else."""
    whole = render(ROOT / "nodes" / "fast_agent" / "prompts", question)
    fitted = fit(whole, CONTEXT - ANSWER, count)
    assert count(fitted.prompt) <= CONTEXT - ANSWER
    assert bool(fitted.left_out) == (count(whole) > CONTEXT - ANSWER)
    turns = {part.name: part.turn for message in whole for part in message.parts}
    left = [turns[name] for name in fitted.left_out]
    assert left == sorted(left)
    text = fitted.prompt[1].content
    for name in fitted.left_out:
        assert f"(Left out, as the prompt would be too long: {name}.)" in text
    subject = FLEE if isinstance(question, GuardQuestion) else DIG
    assert f": {subject.name}" in text.splitlines()[1]
    assert "\x00" not in whole[1].content


def test_whole_episodes_go_with_their_pictures_and_the_first_one_stays():
    agent, sample = samples()["LookQuestion"]
    assert isinstance(sample, LookQuestion)
    # Rows 0 to 3 have two pictures each, and all others none; some are the same.
    evidence = msgspec.structs.replace(sample.evidence, episodes=ended_with_a_log(1, 6, steps=7))
    notes = [
        PictureNote(environment=row, step=step, digest=f"{step or row:064x}")
        for row in (1, 2, 3, 0)
        for step in (0, 7)
    ]
    question = msgspec.structs.replace(sample, evidence=evidence, pictures=notes)
    prompt = render(ROOT / "nodes" / agent / "prompts", question)
    whole = prompt[1].content
    assert len(prompt[1].pictures) == 8
    names: list[str] = []
    while (shorter := without_next(prompt)) is not None:
        prompt, name = shorter
        names.append(name)
        message = prompt[1]
        assert message.pictures == re.findall(r"<picture (\w+)>", message.content)
    assert names == [
        "episodes without pictures",
        "the pictured episode 2",
        "the pictured episode 3",
        "the pictured episode 4",
    ]
    assert prompt[1].pictures == [note.digest for note in notes[:2]]
    assert prompt == without_parts(render(ROOT / "nodes" / agent / "prompts", question), 4)
    kept = whole[: whole.index("Episodes without pictures")]
    assert prompt[1].content.startswith(kept)


def count(prompt: list[ChatMessage]) -> int:
    return sum(tokens(message) for message in prompt)


def test_every_turn_of_an_optional_prompt_part_is_documented():
    stated = dict(re.findall(r"^(\d)\. (.*)$", prompt_parts.__doc__ or "", re.MULTILINE))
    found = {prompt_parts.EXAMPLES}  # of no template: whole messages
    for file in (ROOT / "nodes").rglob("*.jinja"):
        found |= {int(turn) for turn in re.findall(r"call part\((\d+),", file.read_text("utf-8"))}
    assert {int(turn) for turn in stated} == found


def test_text_that_looks_like_a_part_mark_stays_in_the_prompt():
    marks = prompt_parts.Marks()
    inner = marks.part(1, "all", lambda: "\x000<0\x00 in it")
    assert marks.taken(f"a {inner} b") == (
        "a \x000<0\x00 in it b",
        [Part(name="all", turn=1, start=2, end=13)],
    )


def test_the_prompt_lists_exactly_the_python_names_of_the_language():
    text = (ROOT / "nodes" / "prompts" / "language.jinja").read_text("utf-8")
    named = set(re.findall(r"`(.*?)`", text, re.DOTALL)[0].split())
    stub = set(re.findall(r"^def (\w+)", LANGUAGE.stub.read_text("utf-8"), re.MULTILINE))
    assert named == (grammar.PURE | grammar.TYPES | {"isinstance"}) - stub


def test_the_shown_last_programs_keep_their_numbers():
    attempts = [ProgramAttempt(source=f"# program {number}") for number in range(1, 5)]
    question = ProgramQuestion(task=TASK, sub_action=DIG, attempts=attempts)
    text = render(ROOT / "nodes" / "fast_agent" / "prompts", question)[1].content
    assert "Program 3 of this iteration:\n```\n  1 # program 3" in text
    assert "Program 4 of this iteration:\n```\n  1 # program 4" in text
    assert "# program 2" not in text


@pytest.mark.parametrize(("best", "shown"), [(None, [2, 3]), (0, [1, 3]), (1, [2, 3]), (2, [2, 3])])
def test_the_program_that_stands_is_among_the_two_that_are_shown(
    best: int | None, shown: list[int]
):
    attempts = [
        ProgramAttempt(source=f"# program {number}", verdict=f"It was number {number}.")
        for number in range(1, 4)
    ]
    question = ProgramQuestion(task=TASK, sub_action=DIG, attempts=attempts, best=best)
    message = render(ROOT / "nodes" / "fast_agent" / "prompts", question)[1]
    found = re.findall(r"Program (\d) of this iteration:\n```\n  1 # program (\d)", message.content)
    assert found == [(str(number), str(number)) for number in shown]
    assert [int(each) for each in re.findall(r"It was number (\d)", message.content)] == shown
    # And it is that program which is left out where the context is too small.
    assert "# program 3" not in message.content[message.parts[-1].start : message.parts[-1].end]


def test_the_best_programs_that_stand_nowhere_else_in_a_spec_question_are_shown():
    def text(*sources: str, before: str = "# before") -> str:
        notes = [
            msgspec.structs.replace(NOTE, name=f"dig_{number}", source=source)
            for number, source in enumerate(sources)
        ]
        stage = Stage(sub_action=DIG, program=Program(name="walk", source=before))
        question = SpecQuestion(
            task=TASK,
            sub_action=DIG,
            before=[stage],
            programs=notes,
            tried=[
                msgspec.structs.replace(TRIED, program=Program(name="dig", source=f"# tried {n}"))
                for n in range(3)
            ],
        )
        message = render(ROOT / "nodes" / "fast_agent" / "prompts", question)[1]
        return message.content

    # The oldest of three tried programs is not among those above, nor is one that none had tried.
    shown = text("# tried 2", "# before", "# tried 0", "# best", "# third")
    assert re.findall(r"`(dig_\d)`:\n```\n  1 (.*)\n```", shown) == [
        ("dig_2", "# tried 0"),
        ("dig_3", "# best"),
    ]
    assert shown.count("# tried 2") == shown.count("# before") == 1
    # Where all stand above, and where nothing is known of them, the question is as it was.
    assert "`:\n" not in text("# tried 1", "# tried 2", "# before")
    assert text("", "") == text("# tried 1", "# tried 2")


@pytest.mark.parametrize("name", ["ProgramQuestion", "GuardQuestion", "SpecQuestion"])
def test_every_prompt_for_code_has_the_python_names_and_those_that_are_taken(name: str):
    question = samples()[name][1]
    system = render(ROOT / "nodes" / "fast_agent" / "prompts", question)[0].content
    builtins = (ROOT / "nodes" / "prompts" / "language.jinja").read_text("utf-8").strip()
    assert builtins in system
    taken = card(game_of(question)).names_taken
    assert taken
    assert f"`{'`, `'.join(taken)}` or the like" in system


def test_names_that_a_program_may_not_take_are_in_the_prompt():
    text = render(ROOT / "nodes" / "fast_agent" / "prompts", samples()["ProgramQuestion"][1])
    assert "The names of the stub are reserved" in text[0].content
    with pytest.raises(ProgramRefused, match="place is a name of the API"):
        compile_program("def action(obs):\n    place = find(obs, 'wood')\n    attack()\n", RUNTIME)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cow", "the crosshair on a mob called `cow` within reach"),
        ("dragon", "the crosshair on a mob called `dragon` within reach"),
        ("wood", "the crosshair on a block called `wood` within reach"),
    ],
)
def test_a_mob_under_the_crosshair_is_not_called_a_block(name: str, said: str):
    find = msgspec.structs.replace(DIG, success=Condition(kind="facing", name=name))
    for question in (
        ProgramQuestion(task=TASK, sub_action=find),
        SpecQuestion(task=TASK, sub_action=find),
    ):
        text = render(ROOT / "nodes" / "fast_agent" / "prompts", question)[1].content
        assert f"It is done when this holds: {said}." in text


def test_every_ending_of_a_program_is_put_in_words():
    for status in get_args(get_type_hints(ProgramReport)["status"]):
        attempt = ProgramAttempt(
            source="# a program", reports=[msgspec.structs.replace(REPORT, status=status)]
        )
        question = ProgramQuestion(task=TASK, sub_action=DIG, attempts=[attempt])
        text = render(ROOT / "nodes" / "fast_agent" / "prompts", question)[1].content
        assert "In 3 runs it " in text
        assert f"runs it {status};" not in text


def test_examples_in_prompts_have_every_field_of_their_schema():
    """What a strict schema asks for is not to be missing from the example beside it."""
    for agent, question in samples().values():
        text = render(ROOT / "nodes" / agent / "prompts", question)[0].content
        example = json.loads(text.rpartition("```json\n")[2].partition("\n```")[0])
        assert missing(example, schema := answer_schema(question), schema) == []


def missing(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> list[str]:
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if isinstance(value, list):
        return [lacks for each in value for lacks in missing(each, schema["items"], root)]
    if not isinstance(value, dict):
        return []
    found = [name for name in schema["required"] if name not in value]
    for name, inner in value.items():
        found += missing(inner, schema["properties"][name], root)
    return found
