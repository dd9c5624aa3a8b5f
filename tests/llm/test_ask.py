"""``rlgpt ask``: recorded questions, put again to the rulebook and to a server of the test's."""

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from messages.chat import ASK, Answered, Ask, ChatMessage, PlanQuestion, ProgramQuestion, Question
from messages.plan import SubAction
from nodes.common.questions.asking import render
from nodes.llm import asking_again
from nodes.llm.asking_again import ReplyAgain, Request, Unusable
from nodes.llm.llm import Llm
from nodes.llm.requests.fitting import Fitted
from nodes.llm.requests.openai import OpenAIBackend
from nodes.testing import MockBus, start
from rlgpt.single_runs.question_again import problems_in_words
from tests.agent_stack import LOG, TASK
from tests.launch_toys.launched import refused, rlgpt
from tests.llm.scripted_server import GOOD, Server, says

NODES = Path(__file__).parents[2] / "nodes"
FIND = SubAction(name="find a tree", method="code", success=LOG)


def recorded(run: Path) -> None:
    """A run that has ended, in which the rulebook answered two questions."""
    run.mkdir()
    parameters = {"profile": {"kind": "rulebook"}}
    config = {"name": "test", "nodes": {"llm": {"parameters": parameters}}}
    (run / "config.yaml").write_text(yaml.safe_dump(config))
    bus = MockBus("llm")
    llm = start(Llm, bus, run, **parameters)
    asked: list[tuple[str, str, Question]] = [
        ("planner", "goal/plan-0", PlanQuestion(task=TASK)),
        ("fast_agent", "goal/find/program-0", ProgramQuestion(task=TASK, sub_action=FIND)),
    ]
    for agent, id, question in asked:
        prompt = render(NODES / agent / "prompts", question)
        reply: Answered = bus.call(ASK, Ask(id=id, agent=agent, question=question, prompt=prompt))
        assert reply.answer
    llm.transcript.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("asking")
    (place / "runs").mkdir()
    recorded(place / "runs" / "it")
    return place


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(says(GOOD))
    yield made
    made.close()


def digest(place: Path) -> str:
    files = sorted(path for path in (place / "runs").rglob("*") if path.is_file())
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def ask(place: Path, *words: str, code: int = 0) -> dict:
    before = digest(place)
    done = rlgpt("ask", *words, "--run", "runs/it", "--json", cwd=place)
    assert done.returncode == code, done.stderr or done.stdout
    assert digest(place) == before  # nothing of the run is changed
    return json.loads(done.stdout)


def listed(place: Path, *words: str) -> str:
    return rlgpt("ask", *words, "--run", "runs/it", cwd=place).stdout


def test_the_questions_of_a_run_are_listed(place: Path) -> None:
    (row,) = ask(place, "fast_agent")
    assert (row["number"], row["id"], row["kind"]) == (1, "goal/find/program-0", "program")
    words = ("ask", "fast_agant", "--run", "runs/it")
    assert "did you mean `fast_agent`?" in refused(*words, cwd=place)
    assert "asked no question `x`" in refused("ask", "planner", "x", *words[2:], cwd=place)
    assert "asked 1 question in it, and none has the number 2" in refused(
        "ask", "planner", "2", *words[2:], cwd=place
    )
    digits = "9" * 5000  # more than Python makes a number of
    assert "none has the number 99" in refused("ask", "planner", digits, *words[2:], cwd=place)
    more = refused("ask", "planner", "1", "--repairs", "-1", *words[2:], cwd=place)
    assert "0 or more" in more
    for option, word in (("--llm", "openai"), ("--prompt", "now"), ("--repairs", "3")):
        said = refused("ask", "planner", option, word, *words[2:], cwd=place)
        assert f"which QUESTION? put it before {option}" in said


def test_a_list_of_ids_takes_no_id_and_no_schema(place: Path) -> None:
    words = ("prompt", "show", "planner", "--run", "runs/it", "--list")
    assert rlgpt(*words, cwd=place).stdout == "goal/plan-0  PlanQuestion\n"
    assert "leave it out, or --id" in refused(*words, "--id", "x", "--schema", cwd=place)
    assert "leave it out, or --schema" in refused(*words, "--schema", cwd=place)


def test_a_question_is_put_again_with_the_prompt_files_as_they_are_now(place: Path) -> None:
    reply = ask(place, "planner", "plan-0")
    assert reply["id"] == "goal/plan-0"
    assert reply["differs"] == []
    assert reply["then"]["answer"] == reply["now"]["answer"]
    assert reply["now"]["problems"] == []


def test_a_damaged_question_or_answer_is_named(place: Path) -> None:
    shutil.copytree(place / "runs" / "it", place / "damaged" / "it")
    path = place / "damaged" / "it" / "llm" / "transcript.jsonl"
    entry, *others = (json.loads(line) for line in path.read_text().splitlines())
    elsewhere = {**entry["question"], "task": {**entry["question"]["task"], "game": "quarry"}}
    for damage, said in (
        ({"answered": {**entry["answered"], "answer": "[]"}}, "the answer to goal/plan-0 cannot"),
        ({"question": {}}, "the question goal/plan-0 cannot be asked again: it is no PlanQuestion"),
        ({"question": elsewhere}, "rlgpt: there is no game 'quarry'; there are minecraft"),
    ):
        lines = [{**entry, **damage}, *others]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        assert said in refused("ask", "planner", "1", "--run", "damaged/it", cwd=place)


def test_another_model_is_sent_the_recorded_prompt_and_both_answers_are_shown(
    place: Path, server: Server
) -> None:
    llm = ("--llm", "openai", f"url={server.url}", "llm.model=toy", "stream=false", "timeout=inf")
    reply = ask(place, "planner", "1", *llm)
    assert reply["then"]["model"].startswith("rulebook")
    assert reply["now"]["model"] == "toy"
    assert json.loads(reply["now"]["answer"])["subtasks"][0]["name"] == "dig"
    assert reply["now"]["prompt_tokens"] == 7
    sent = server.requests[0]["messages"]
    assert [each["role"] for each in sent] == ["system", "user"]
    assert "Harvest one log." in sent[1]["content"]
    shown = rlgpt("ask", "planner", "1", *llm, "--run", "runs/it", cwd=place).stdout
    assert "prompt: as it was sent; the same text as then" in shown
    assert "rulebook (no language model)" in shown
    assert "toy" in shown


def test_a_key_that_the_profile_lacks_is_added_with_or_without_its_group(
    place: Path, server: Server
) -> None:
    llm = ("--llm", "openai", f"url={server.url}", "model=toy", "stream=false")
    reply = ask(place, "planner", "1", *llm, "+thinking=false", "++llm.temperature=0.5")
    assert reply["now"]["model"] == "toy"
    assert server.requests[0]["temperature"] == 0.5
    assert server.requests[0]["chat_template_kwargs"] == {"enable_thinking": False}
    sentence = refused("ask", "planner", "1", *llm, "thinkin=1", "--run", "runs/it", cwd=place)
    assert "there is no `llm.thinkin`" in sentence


def test_mistakes_in_a_program_are_found_by_the_checker(place: Path, server: Server) -> None:
    llm = ("--llm", "openai", f"url={server.url}", "llm.model=toy", "stream=false")
    server.script = says(json.dumps({"thoughts": "", "source": "import os\n"}))
    reply = ask(place, "fast_agent", "1", *llm, code=1)
    assert reply["then"]["problems"] == []
    assert any(each.startswith("'find-a-tree', line 1:") for each in reply["now"]["problems"])


# In this process: what the command sends to the node's module.


def again(place: Path, server: Server, id: str = "goal/plan-0", **changes: Any) -> ReplyAgain:
    profile = {"kind": "openai", "url": server.url, "model": "toy", "stream": False}
    fields = {"run": str(place / "runs" / "it"), "id": id, "profile": profile, "prompt": "now"}
    return asking_again.again(Request(**{**fields, **changes}))


def test_mistakes_that_the_agent_would_find_are_reported(place: Path, server: Server) -> None:
    server.script = says('{"thoughts": "", "subtasks": []}')
    wrong = again(place, server).now.problems
    assert wrong == ["The plan is empty: it needs at least one subtask."]
    server.script = says("I'd rather not.")
    now = again(place, server, repairs=1).now
    assert now.answer == ""
    assert "gave no valid answer in 2 tries" in now.failures[0]


def test_an_answer_that_a_person_gave_is_not_listed_as_the_models_alone(
    place: Path, tmp_path: Path
) -> None:
    shutil.copytree(place / "runs", tmp_path / "runs")
    transcript = tmp_path / "runs" / "it" / "llm" / "transcript.jsonl"
    first, *others = map(json.loads, transcript.read_text().splitlines())
    first["answered"]["edited_by"] = "Ada"
    transcript.write_text("".join(json.dumps(line) + "\n" for line in (first, *others)))
    (row,) = ask(tmp_path, "planner")
    assert (row["model"].split()[0], row["edited_by"]) == ("rulebook", "Ada")
    assert re.search(r"edited by .*\n1 .*Ada", listed(tmp_path, "planner"))
    assert "edited by" not in listed(tmp_path, "fast_agent")
    assert ask(tmp_path, "planner", "1")["then"]["edited_by"] == "Ada"
    assert re.search(r"edited by +Ada +-", listed(tmp_path, "planner", "1"))


def test_a_question_is_put_with_an_edited_prompt(
    place: Path, server: Server, tmp_path: Path
) -> None:
    template, plain = tmp_path / "plan.user.jinja", tmp_path / "words.txt"
    template.write_text("Reach {{ task.prompt }} quickly.\n")
    reply = again(place, server, prompt="file", file=str(template))
    assert server.requests[-1]["messages"][1]["content"] == "Reach Harvest one log. quickly.\n"
    assert "user: +Reach Harvest one log. quickly." in reply.differs
    plain.write_text("Anything: {{ as it is }}")
    again(place, server, prompt="file", file=str(plain))
    assert server.requests[-1]["messages"][1]["content"] == "Anything: {{ as it is }}"
    assert server.requests[-1]["messages"][0] == server.requests[0]["messages"][0]


def test_a_question_that_cannot_be_asked_is_refused_in_one_sentence(
    place: Path, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong, odd = tmp_path / "plan.user.jinja", tmp_path / "other.user.jinja"
    wrong.write_text("Reach {{ tusk.prompt }}.\n")
    odd.write_text("")
    for changes, words in (
        ({"prompt": "file", "file": str(wrong)}, f"{wrong}, line 1: 'tusk' is undefined"),
        ({"prompt": "file", "file": str(odd)}, "call it plan.system.jinja or plan.user.jinja"),
        ({"prompt": "file", "file": "nowhere"}, "nowhere cannot be read"),
        ({"profile": {"kind": "replay", "transcript": "x"}}, "name a model with --llm"),
        ({"profile": {"kind": "openai", "url": "x", "model": "toy"}}, "llm.url must start with"),
        ({"id": "goal/plan-9"}, "has no question 'goal/plan-9'"),
        ({"run": str(tmp_path)}, "cannot be read"),
    ):
        with pytest.raises(Unusable, match=re.escape(words)):
            again(place, server, **changes)
    # Of the command, as a sentence with exit code 2.
    run = ("--run", "runs/it")
    assert "there is no llm `gtp`" in refused(
        "ask", "planner", "1", "--llm", "gtp", *run, cwd=place
    )
    assert "there is no llm `../gtp`" in refused(
        "ask", "planner", "1", "--llm", "../gtp", *run, cwd=place
    )
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe")
    said = refused("ask", "planner", "1", "--prompt", str(binary), *run, cwd=place)
    assert said.endswith("binary is not text in UTF-8\n")
    monkeypatch.setenv("HOME", str(tmp_path))  # a shell leaves the `~` of an option's value
    said = refused("ask", "planner", "1", "--prompt=~/binary", *run, cwd=place)
    assert said.endswith("binary is not text in UTF-8\n")
    missing = refused("ask", "planner", "1", "--prompt", "nowhere", *run, cwd=place)
    assert "nowhere cannot be read" in missing


def test_an_answer_that_there_is_not_has_no_problems_and_is_not_called_sound() -> None:
    assert problems_in_words(SimpleNamespace(answer="", problems=[])) == "-"
    assert problems_in_words(SimpleNamespace(answer="{}", problems=[])) == "none"


def test_what_was_left_out_and_which_weights_answered_are_in_both_answers(
    place: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = [ChatMessage(role="user", content="Plan.")]
    monkeypatch.setattr(OpenAIBackend, "fitted", lambda *_: Fitted(short, ["the skills"]))
    reply = again(place, server)
    assert reply.then.weights  # the rulebook's
    assert (reply.then.left_out, reply.now.left_out) == ([], ["the skills"])
    assert server.requests[-1]["messages"][-1]["content"] == "Plan."
