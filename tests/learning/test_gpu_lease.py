"""One GPU, two tenants: a learner and an llm node with a (fake) server take turns, as processes."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from messages.bus import RemoteError, ServiceError
from messages.chat import ASK, Ask, ChatMessage, PlanQuestion
from messages.gpu import SERVER, TAKE_GPU, ServerState, TakeGpu
from messages.training import TRAIN, Train
from nodes.config import ConfigError
from nodes.learner import gpu
from nodes.llm.lease import Lease
from nodes.llm.manifest import NAME, Manifest, described
from tests.agent_stack import TASK, AgentProcess
from tests.bus_processes import PATIENCE, eventually
from tests.full_disk import files_of_at_most
from tests.learning.corridor import corridor_spec
from tests.learning.learner_stack import LearnerStack
from tests.llm.test_llm_server import toy_profile


class SharedLearnerStack(LearnerStack):
    """A learner with corridors, and an llm node with its server."""

    def __init__(self, run: Path) -> None:
        weights = run / "weights"
        weights.mkdir()
        (weights / "config.json").write_text("{}")
        self.told = Manifest(
            model="toy", licence="", source="x", source_sha256="", files=described(weights)
        )
        (weights / NAME).write_bytes(msgspec.json.encode(self.told))
        self.profile = toy_profile(weights, gpu="turns")
        super().__init__(run)
        self.llm = AgentProcess("llm", run)
        self.states: list[ServerState] = []
        self._over = threading.Event()
        self.bus.subscribe(SERVER, self.states.append)
        self._thread = threading.Thread(target=self.bus.spin, args=(self._over,))
        self._thread.start()

    def start(self, node: str) -> None:
        # The configuration is whole only now: the stack writes its own first.
        path = self.run / "config.yaml"
        config = yaml.safe_load(path.read_text())
        config["nodes"]["llm"] = {"parameters": {"profile": self.profile}}
        path.write_text(yaml.safe_dump(config))
        super().start(node)

    def check_weights(self, version: str) -> None:
        assert version == self.told.digest  # whichever life of the server answered

    def ask(self, id: str) -> str:
        prompt = [ChatMessage(role="user", content="A log.")]
        request = Ask(id=id, agent="planner", question=PlanQuestion(task=TASK), prompt=prompt)
        answered = self.bus.call(ASK, request, timeout=PATIENCE)
        self.check_weights(answered.weights)
        return answered.answer

    def state(self) -> str:
        return self.states[-1].state if self.states else ""

    def close(self) -> None:
        self._over.set()
        self.bus.wake()
        self._thread.join(PATIENCE)
        super().close()
        self.llm.kill()


@pytest.fixture
def stack(run_folder: Path) -> Iterator[SharedLearnerStack]:
    stack = SharedLearnerStack(run_folder)
    yield stack
    stack.close()


def test_the_model_sleeps_while_the_learner_trains_and_wakes_at_the_next_question(
    stack: SharedLearnerStack,
):
    assert stack.ask("before")
    during: list[str] = []
    spec = corridor_spec(budget=8_000, stop_at=2.0)
    trained = stack.train("demo/train", spec, on_feedback=lambda _: during.append(stack.state()))
    assert trained.samples > 0
    assert "asleep" in during
    assert "ready" not in during[during.index("asleep") :]
    # It goes on sleeping until it is needed.
    assert stack.state() == "asleep"
    assert stack.ask("after")
    eventually(lambda: stack.state() == "ready")


def test_a_killed_learner_does_not_keep_the_model_asleep(
    stack: SharedLearnerStack,
):
    stack.bus.send_goal(TRAIN, "demo/train", Train(spec=corridor_spec(budget=10**8, stop_at=2.0)))
    eventually(lambda: stack.state() == "asleep")
    stack.kill("learner")
    with pytest.raises(RemoteError) as held:
        stack.bus.call(TAKE_GPU, TakeGpu(holder="another", seconds=1.0))
    assert held.value.code == "held"
    # Its lease lasts a minute; what is left of it is shortened here by taking it in its name.
    stack.bus.call(TAKE_GPU, TakeGpu(holder="demo/train", seconds=0.5))
    assert stack.ask("after")


def config(**profile: Any) -> dict[str, Any]:
    return {"nodes": {"llm": {"parameters": {"profile": {"kind": "vllm", **profile}}}}}


def test_a_learner_on_the_language_models_gpu_is_refused_unless_they_take_turns():
    with pytest.raises(ConfigError, match=r"llm\.gpu=turns"):
        gpu.check_device(config(gpu="cpu"), "cuda")
    gpu.check_device(config(gpu="cpu"), "cpu")
    gpu.check_device(config(gpu="turns"), "cuda")
    gpu.check_device({"nodes": {"llm": {"parameters": {"profile": {"kind": "rulebook"}}}}}, "cuda")
    gpu.check_device({}, "cuda")


class Card:
    """A lease whose model writes an answer, and those who take it, each in a thread."""

    def __init__(self, folder: Path) -> None:
        self.lease = Lease(folder, self._free)
        self.freed_while_answering: list[bool] = []
        self.answering = threading.Event()
        self._stop_answering = threading.Event()
        self._threads: list[threading.Thread] = []

    def _free(self) -> float:
        self.freed_while_answering.append(self.answering.is_set())
        return 1.0

    def _start(self, do: Callable[[], None]) -> None:
        self._threads.append(threading.Thread(target=do))
        self._threads[-1].start()

    def answer(self) -> None:
        def do() -> None:
            with self.lease.answering():
                self.answering.set()
                self._stop_answering.wait(PATIENCE)
                self.answering.clear()

        self._start(do)
        assert self.answering.wait(PATIENCE)

    def take(self, holder: str) -> list[Any]:
        """What comes of it is in the list once it has come."""
        outcome: list[Any] = []

        def do() -> None:
            try:
                outcome.append(self.lease.take(holder, 60.0, PATIENCE))
            except ServiceError as error:
                outcome.append(error.code)

        self._start(do)
        return outcome

    def end(self) -> None:
        self._stop_answering.set()
        for thread in self._threads:
            thread.join(PATIENCE)


@pytest.fixture
def card(tmp_path: Path) -> Iterator[Card]:
    card = Card(tmp_path)
    yield card
    card.end()


def test_a_learner_restarted_while_it_waits_for_the_card_waits_again(card: Card) -> None:
    card.answer()
    first = card.take("goal/train")
    eventually(lambda: card.lease.holder == "goal/train")
    second = card.take("goal/train")
    # What was taken for a renewal would be granted at once.
    with pytest.raises(ServiceError, match="still answering"):
        card.lease.take("goal/train", 60.0, patience=0.3)
    # One that gave up leaves the card to those who still wait for it.
    assert card.lease.holder == "goal/train"
    assert (first, second, card.freed_while_answering) == ([], [], [])
    card.end()
    assert sorted([*first, *second]) == [0.0, 1.0]
    assert card.freed_while_answering == [False]
    assert card.lease.take("goal/train", 60.0) == 0.0  # a renewal
    card.lease.give_back("goal/train")
    assert card.lease.take("goal/train", 60.0) == 1.0


def test_waiting_for_a_gpu_that_was_given_back_does_not_end_the_new_lease(card: Card) -> None:
    card.answer()
    first = card.take("first/train")
    eventually(lambda: card.lease.holder == "first/train")
    card.lease.give_back("first/train")
    second = card.take("second/train")
    eventually(lambda: card.lease.holder == "second/train")
    card.end()
    assert (first, second) == (["held"], [1.0])


def test_a_lease_that_cannot_be_written_is_not_taken_and_a_taken_one_is_renewed(tmp_path: Path):
    """As on a full disk. Else the language model waits ten minutes for a training that is not."""
    lease = Lease(tmp_path, lambda: 0.0)
    with files_of_at_most(10), pytest.raises(OSError, match=r"lease\.json"):
        lease.take("train", seconds=1.0)
    assert lease.holder == ""
    lease.take("train", seconds=PATIENCE)
    with files_of_at_most(10), pytest.raises(OSError, match=r"lease\.json"):
        lease.take("train", seconds=PATIENCE)
    assert lease.holder == "train"
    with files_of_at_most(10), pytest.raises(OSError, match=r"lease\.json"):
        lease.give_back("train")
    assert lease.holder == ""


def test_setting_the_clock_does_not_end_a_lease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wall, since_boot = time.time, time.monotonic
    lease = Lease(tmp_path, lambda: 0.0)
    lease.take("learner", 60.0)
    monkeypatch.setattr(time, "time", lambda: wall() + 3600)
    assert lease.holder == "learner"
    # The next life has only the clock on the wall, which may have been set back meanwhile.
    monkeypatch.setattr(time, "time", lambda: wall() - 86_400)
    again = Lease(tmp_path, lambda: 0.0)
    assert again.holder == "learner"
    monkeypatch.setattr(time, "monotonic", lambda: since_boot() + 61)
    assert again.holder == ""
