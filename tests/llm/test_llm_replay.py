"""A recorded run is replayed without a model, and the first question that differs is named."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
import yaml

from messages.bus import Bus, RemoteError
from messages.chat import ASK, Answered, Ask, ChatMessage, Question
from messages.plan import PURSUE, GoalReport, Unseen
from messages.world import Condition, Task
from nodes.llm.answers.answer_parsing import parse
from nodes.llm.recording.replay import RECORDINGS, as_recorded, compare, transcript_path
from nodes.llm.recording.transcript import Entry, Unanswered, read_lines
from tests.agent_stack import AgentProcess, Stack, stack
from tests.bus_processes import PATIENCE
from tests.conftest import short_folder


def pursue(agents: Stack) -> GoalReport:
    return agents.bus.run_goal(PURSUE, "demo", agents.goal(), timeout=PATIENCE)


def entries(run: Path) -> list[dict]:
    text = (run / "llm" / "transcript.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def recorded() -> Iterator[Path]:
    """A run of the whole goal, with the rulebook. It is only read from."""
    with short_folder() as run:
        with stack(run) as agents:
            assert pursue(agents).success
        yield run


def test_a_recorded_run_is_repeated_exactly(recorded: Path, run_folder: Path):
    run = run_folder / "again"
    run.mkdir()
    profile = {"kind": "replay", "transcript": str(recorded)}
    with stack(run, llm=profile) as agents:
        assert pursue(agents).success
    assert [entry["answered"] for entry in entries(run)] == [
        entry["answered"] for entry in entries(recorded)
    ]


class Replaying:
    """The llm node alone, replaying a run."""

    def __init__(self, run: Path, transcript: Path, **profile: object) -> None:
        run.mkdir()
        profile = {"kind": "replay", "transcript": str(transcript), **profile}
        nodes = {"llm": {"parameters": {"profile": profile}}}
        (run / "config.yaml").write_text(yaml.safe_dump({"name": "test", "nodes": nodes}))
        self.run = run
        self.bus = Bus(run)
        self.llm = AgentProcess("llm", run)

    def ask(self, entry: dict, id: str | None = None) -> Answered:
        request = Ask(
            id=id or entry["answered"]["id"],
            agent=entry["agent"],
            question=msgspec.convert(entry["question"], type=Question),
            prompt=[ChatMessage(**message) for message in entry["prompt"]],
        )
        return self.bus.call(ASK, request, timeout=PATIENCE)

    def refused(self, entry: dict, id: str | None = None) -> str:
        with pytest.raises(RemoteError) as differs:
            self.ask(entry, id)
        assert differs.value.code == "differs"
        return differs.value.message

    @property
    def report(self) -> str:
        return (self.run / "llm" / "difference.txt").read_text()

    def close(self) -> None:
        self.bus.close()
        self.llm.kill()


def test_the_first_question_that_differs_is_named(recorded: Path, run_folder: Path):
    replaying = Replaying(run_folder / "again", recorded)
    try:
        first, second, *_ = entries(recorded)
        assert replaying.ask(first).id == first["answered"]["id"]
        second["question"]["subtask"]["success"]["quantity"] = 2
        said = replaying.refused(second)
        id = second["answered"]["id"]
        assert f"question {id}: question.subtask.success.quantity: was 1, is 2" in said
        assert "question.subtask.success.quantity: was 1, is 2" in replaying.report
        # What comes after it is not looked at: it follows from the difference.
        assert id in replaying.refused(first, "another")
    finally:
        replaying.close()


@pytest.mark.parametrize("answer", ["{not json", "[]", ""])
def test_a_recorded_answer_that_is_none_is_named(recorded: Path, run_folder: Path, answer: str):
    """The agent would fail by it, with an error of a decoder."""
    first = entries(recorded)[0]
    damaged = run_folder / "damaged.jsonl"
    line = {**first, "answered": {**first["answered"], "answer": answer}}
    damaged.write_text(json.dumps(line) + "\n")
    replaying = Replaying(run_folder / "again", damaged)
    try:
        said = replaying.refused(first)
        assert "the recorded answer cannot be used: it is no PlanAnswer of this version" in said
    finally:
        replaying.close()


def test_a_recorded_question_of_another_version_is_named(recorded: Path, run_folder: Path):
    first = entries(recorded)[0]
    other = run_folder / "other.jsonl"
    other.write_text(json.dumps({**first, "question": {"type": "PlanQuestion"}}) + "\n")
    replaying = Replaying(run_folder / "again", other)
    try:
        assert "cannot be compared: it is no PlanQuestion of this" in replaying.refused(first)
    finally:
        replaying.close()


def test_a_replay_of_a_replay_knows_the_questions_without_an_answer(
    recorded: Path, run_folder: Path
):
    first = entries(recorded)[0]
    kept = ("time", "agent", "asked", "question", "prompt")
    failed = {name: first[name] for name in kept} | {
        "id": "demo/plan-0",
        "sentence": "It had none.",
    }
    before = run_folder / "before"
    (before / "llm").mkdir(parents=True)
    (before / "llm" / "transcript.jsonl").touch()
    (before / "llm" / "unanswered.jsonl").write_text(json.dumps(failed) + "\n")
    for name in ("again", "once more"):
        replaying = Replaying(run_folder / name, before)
        try:
            with pytest.raises(RemoteError, match="It had none") as error:
                replaying.ask(first, "demo/plan-0")
            assert error.value.code == "no_answer"
        finally:
            replaying.close()
        before = run_folder / name
        (noted,) = read_lines(before / "llm" / "unanswered.jsonl", Unanswered)
        assert (noted.id, noted.sentence) == ("demo/plan-0", "It had none.")


def test_a_question_that_was_not_asked_is_named(recorded: Path, run_folder: Path):
    replaying = Replaying(run_folder / "again", recorded)
    try:
        first = entries(recorded)[0]
        said = replaying.refused(first, "demo/plan-7")
        assert "no such question" in said
        assert "demo/plan-0" in said
    finally:
        replaying.close()


@pytest.mark.parametrize("compare_prompts", [True, False])
def test_edited_prompts_are_differences_unless_the_profile_excludes_them(
    recorded: Path, run_folder: Path, compare_prompts: bool
):
    replaying = Replaying(run_folder / "again", recorded, compare_prompts=compare_prompts)
    try:
        first = entries(recorded)[0]
        first["prompt"][0]["content"] += "Be brief.\n"
        if compare_prompts:
            assert "+Be brief." in replaying.refused(first)
        else:
            assert replaying.ask(first).answer == first["answered"]["answer"]
    finally:
        replaying.close()


def test_a_compressed_transcript_is_replayed(recorded: Path, run_folder: Path):
    packed = run_folder / "recorded.jsonl.gz"
    packed.write_bytes(gzip.compress((recorded / "llm" / "transcript.jsonl").read_bytes()))
    replaying = Replaying(run_folder / "again", packed)
    try:
        first = entries(recorded)[0]
        assert replaying.ask(first).answer == first["answered"]["answer"]
    finally:
        replaying.close()


def test_of_several_recorded_runs_the_question_that_does_not_differ_is_answered(
    recorded: Path, run_folder: Path
):
    first, second, *_ = entries(recorded)
    other = json.loads(json.dumps(second))
    other["question"]["subtask"]["success"]["quantity"] = 2
    other["answered"]["answer"] = other["answered"]["answer"].replace(
        '"thoughts":"', '"thoughts":"of the other run: '
    )
    assert other["answered"] != second["answered"]
    both = run_folder / "both.jsonl"
    both.write_text("".join(f"{json.dumps(each)}\n" for each in (first, second, first, other)))
    for number, asked in enumerate((second, other)):
        replaying = Replaying(run_folder / str(number), both)
        try:
            assert replaying.ask(asked).answer == asked["answered"]["answer"]
        finally:
            replaying.close()
    other["question"]["subtask"]["success"]["quantity"] = 3
    replaying = Replaying(run_folder / "differs", both)
    try:
        assert "quantity: was 1, is 3" in replaying.refused(other)
    finally:
        replaying.close()


@pytest.mark.parametrize("damage", [lambda data: data[:-40], lambda data: b"no gzip" + data])
def test_a_damaged_compressed_transcript_is_one_sentence(
    recorded: Path, tmp_path: Path, damage: Callable[[bytes], bytes]
):
    packed = tmp_path / "recorded.jsonl.gz"
    data = gzip.compress((recorded / "llm" / "transcript.jsonl").read_bytes())
    packed.write_bytes(damage(data))
    with pytest.raises(ValueError, match=f"^{packed} is no whole compressed file: "):
        read_lines(packed, Entry)


@pytest.mark.parametrize("path", sorted(RECORDINGS.glob("*/*")), ids=lambda path: path.stem)
def test_the_projects_recordings_have_answers_that_their_questions_still_accept(path: Path):
    found = read_lines(path, Entry)
    assert found
    for entry in found:
        question = msgspec.json.decode(entry.question, type=Question)
        assert parse(question, entry.answered.answer) == entry.answered.answer
    assert transcript_path(str(path.relative_to(RECORDINGS))) == path


def test_a_seed_that_was_not_recorded_is_told_which_were():
    with pytest.raises(ValueError, match=r"Recorded are .*stick-seed-0\.jsonl\.gz"):
        transcript_path("reader/stick-seed-7.jsonl.gz")
    with pytest.raises(ValueError, match=r"its llm/transcript\.jsonl\.$"):
        transcript_path("runs/there-is-none")


def test_fields_that_questions_have_got_since_are_not_compared():
    seen = Unseen(episodes=30, worked=12, held=[30, 12], lost=[0, 18])
    recorded = msgspec.to_builtins(seen)
    del recorded["lost"]
    then = msgspec.convert(recorded, Unseen)
    assert compare(as_recorded(recorded, then), as_recorded(recorded, seen)) == []
    other = msgspec.structs.replace(seen, held=[30, 12, 3])
    assert compare(as_recorded(recorded, then), as_recorded(recorded, other)) == [
        "question.held: had 2, has 3 parts"
    ]


def test_what_an_inventory_holds_is_compared_and_no_field():
    task = Task(id="t", prompt="", success=Condition(kind="have", name="stick"))
    recorded = msgspec.to_builtins(task)
    richer = msgspec.structs.replace(task, inventory={"log": 1})
    found = compare(as_recorded(recorded, task), as_recorded(recorded, richer))
    assert found == ["question.inventory.log: was not there, is 1"]


def test_questions_are_compared_field_by_field():
    then = {"history": [{"seconds": 1.0, "rate": 0.5, "lines": ["a", "b"]}], "goal": "log"}
    now = {"history": [{"seconds": 9.0, "rate": 0.4, "lines": ["a"]}], "new": 1}
    assert compare(then, now) == [
        "question.history[0].rate: was 0.5, is 0.4",
        "question.history[0].lines: had 2, has 1 parts",
        'question.goal: was "log", is not there',
        "question.new: was not there, is 1",
    ]
    assert compare(then, then) == []
