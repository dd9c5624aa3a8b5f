"""The llm node with the real vLLM (its CPU build) and a tiny random model.

Slow: a server takes half a minute to start. ``make test-llm`` makes ``.venv-vllm`` first (minutes,
3.5 GB, where it is not there yet), runs it and shows the figures.
"""

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from messages.bus import Bus
from messages.chat import ANSWERS, ASK, TOKENS, Answered, Ask, ChatMessage, Question, Tokens
from messages.gpu import GIVE_BACK_GPU, SERVER, TAKE_GPU, GiveBackGpu, ServerState, TakeGpu
from nodes.common.questions.asking import render
from nodes.llm.prompt_pages import ROOT, samples
from tests import bus_processes
from tests.agent_stack import AgentProcess
from tests.llm.vllm_environment import made, tiny_profile

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(
        not made(), reason=".venv-vllm is not there; `make test-llm` makes it and runs this"
    ),
]
LONG = 600.0  # seconds; the server has one slow core and the lowest priority
EACH = 4  # random answers by each schema
REPAIRED = (
    "cut off at max_tokens",
    "out of range",  # a number like 1e999, which a schema cannot forbid
    "maximum context length",  # the question with a wrong answer of 4,000 tokens below it
)
QUESTIONS = samples()


class Running:
    """The llm node with its server, on a bus."""

    def __init__(self, run: Path, profile: dict[str, Any]) -> None:
        self.run = run
        # Random answers end by chance, and some only where they are cut off.
        nodes = {"llm": {"parameters": {"profile": profile, "repairs": 12}}}
        (run / "config.yaml").write_text(yaml.safe_dump({"name": "test", "nodes": nodes}))
        self.bus = Bus(run)
        self.states: list[ServerState] = []
        self.tokens: list[tuple[float, Tokens]] = []
        self.bus.subscribe(SERVER, self.states.append)
        self.bus.subscribe(TOKENS, lambda piece: self.tokens.append((time.monotonic(), piece)))
        self._over = threading.Event()
        self._thread = threading.Thread(target=self.bus.spin, args=(self._over,))
        self._thread.start()
        began = time.monotonic()
        self.llm = AgentProcess("llm", run)
        told(f"started and healthy after {time.monotonic() - began:.1f} s")

    def ask(self, id: str, question: Question) -> Answered:
        """With the prompt that its agent would send. The model is blind: pictures stay text."""
        prompts = ROOT / "nodes" / QUESTIONS[type(question).__name__][0] / "prompts"
        prompt = [
            ChatMessage(role=message.role, content=message.content)
            for message in render(prompts, question)
        ]
        request = Ask(id=id, agent="test", question=question, prompt=prompt)
        answered = self.bus.call(ASK, request, timeout=LONG)
        # Whatever was written, it is an answer by the question's schema.
        msgspec.json.decode(answered.answer, type=ANSWERS[type(question)])
        return answered

    def ask_all(self, questions: dict[str, Question]) -> list[Answered]:
        answers: list[Answered] = []
        threads = [
            threading.Thread(target=lambda i=id, q=question: answers.append(self.ask(i, q)))
            for id, question in questions.items()
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LONG)
        assert len(answers) == len(questions)
        return answers

    @property
    def group(self) -> int:
        return json.loads((self.run / "llm" / "server.json").read_text())["group"]

    def members(self, group: int) -> dict[int, str]:
        """The processes of the server's group, by their command lines."""
        found: dict[int, str] = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                words = (folder / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if int(fields[2]) == group and fields[0] != "Z":
                found[int(folder.name)] = words.replace("\0", " ")
        return found

    def close(self) -> None:
        self._over.set()
        self.bus.wake()
        self._thread.join(LONG)
        self.bus.close()
        self.llm.kill()


def told(text: str) -> None:
    print(f"\nvllm: {text}", flush=True)


def came(condition: Any) -> None:
    deadline = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.1)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    model = tmp_path_factory.mktemp("model")
    run = tmp_path_factory.mktemp("run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bus_processes, "PATIENCE", LONG)  # until the node is ready
        running = Running(run, {**tiny_profile(model), "gpu": "turns"})
        yield running
        running.close()


@pytest.mark.parametrize("asked", sorted(QUESTIONS))
def test_random_answers_are_valid_by_every_schema_that_is_used(running: Running, asked: str):
    _, question = QUESTIONS[asked]
    began = time.monotonic()
    answers = running.ask_all({f"{asked}-{n}": question for n in range(EACH)})
    tokens = sum(answer.completion_tokens for answer in answers)
    repairs = sum(answer.repairs for answer in answers)
    seconds = time.monotonic() - began
    told(f"{asked}: {EACH} answers, {tokens} tokens, {repairs} repairs, {seconds:.1f} s")
    # Nothing was of another shape than the schema's.
    for line in (running.run / "llm" / "transcript.jsonl").read_bytes().splitlines():
        for failure in json.loads(line)["failures"]:
            assert any(word in failure for word in REPAIRED), failure


def test_an_answer_can_be_watched_while_it_is_written(running: Running):
    _, question = QUESTIONS["ProgramQuestion"]
    answered = running.ask("watched", question)
    came(lambda: running.tokens)
    pieces = [(at, p) for at, p in running.tokens if p.id == "watched"]
    last = max(piece.attempt for _, piece in pieces)
    text = "".join(piece.text for _, piece in pieces if piece.attempt == last)
    assert json.loads(text) == json.loads(answered.answer)
    told(f"streaming: {len(pieces)} pieces in {pieces[-1][0] - pieces[0][0]:.1f} s")


def most_at_once(tokens: list[tuple[float, Tokens]], ids: str) -> int:
    """How many answers were written at the same moment, of those whose ids begin so."""
    written: dict[str, list[float]] = {}
    for at, piece in tokens:
        if piece.id.startswith(ids):
            written.setdefault(piece.id, []).append(at)
    begun = [times[0] for times in written.values()]
    return max(sum(times[0] <= at <= times[-1] for times in written.values()) for at in begun)


def test_eight_questions_at_once_are_answered(running: Running):
    _, question = QUESTIONS["JudgeQuestion"]
    began = time.monotonic()
    alone = running.ask("alone", question)
    one = alone.completion_tokens / (time.monotonic() - began)
    began = time.monotonic()
    answers = running.ask_all({f"at-once-{number}": question for number in range(8)})
    eight = sum(a.completion_tokens for a in answers) / (time.monotonic() - began)
    told(f"one alone {one:.0f} tokens/s, eight at once {eight:.0f} tokens/s")
    assert most_at_once(running.tokens, "at-once-") > 4
    came(lambda: running.states and running.states[-1].completion_tokens > 0)


def test_the_server_sleeps_while_the_learner_has_the_gpu(running: Running):
    _, question = QUESTIONS["JudgeQuestion"]
    lease = running.bus.call(TAKE_GPU, TakeGpu(holder="train", seconds=LONG), timeout=LONG)
    came(lambda: running.states and running.states[-1].state == "asleep")
    asked = threading.Thread(target=running.ask, args=("meanwhile", question))
    asked.start()
    asked.join(2.0)
    assert asked.is_alive()
    began = time.monotonic()
    running.bus.call(GIVE_BACK_GPU, GiveBackGpu(holder="train"))
    asked.join(LONG)
    assert not asked.is_alive()
    came(lambda: running.states[-1].state == "ready")
    told(f"asleep after {lease.slept:.2f} s; awake and answered after {_since(began)}")


def test_a_server_killed_during_an_answer_is_started_again_and_the_request_repeated(
    running: Running,
):
    _, question = QUESTIONS["SpecQuestion"]
    group = running.group
    answers: list[Answered] = []
    asked = threading.Thread(target=lambda: answers.append(running.ask("killed", question)))
    asked.start()
    came(lambda: any(piece.id == "killed" for _, piece in running.tokens))
    serving = [pid for pid, words in running.members(group).items() if "/vllm serve" in words]
    began = time.monotonic()
    os.kill(max(serving), signal.SIGKILL)  # not the monitor, which came first
    asked.join(LONG)
    assert answers
    assert running.members(group) == {}
    assert running.group != group
    told(f"killed in the middle of an answer; answered by another server after {_since(began)}")


def test_no_process_of_the_server_is_left_when_the_node_stops(running: Running):
    group = running.group
    memory = sum(_resident(pid) for pid in running.members(group)) / 2**30
    processes = len(running.members(group))
    assert running.llm.stop() == 0
    assert running.members(group) == {}
    told(f"{processes} processes with {memory:.1f} GiB, none of them left")


def _since(began: float) -> str:
    return f"{time.monotonic() - began:.1f} s"


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
