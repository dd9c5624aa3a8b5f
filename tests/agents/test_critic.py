"""The critic as a real process: what was counted decides, whatever the language model says."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from messages.bus import Bus, RemoteError, ServiceError
from messages.chat import ASK, Answered, Ask, JudgeAnswer
from messages.verdict import JUDGE, Evidence, Verdict
from messages.world import Condition
from tests.agent_stack import LOG, AgentProcess, ended_with_a_log
from tests.bus_processes import PATIENCE
from worlds import card


class Talker:
    """Says what it is told to say, or nothing."""

    def __init__(self, run: Path) -> None:
        self.says: JudgeAnswer | None = None
        self.asked = 0
        self._stop = threading.Event()
        self._bus = Bus(run, node="llm")
        self._bus.serve(ASK, self.ask)
        self._thread = threading.Thread(target=self._bus.spin, args=(self._stop,))
        self._thread.start()

    def ask(self, request: Ask) -> Answered:
        self.asked += 1
        if self.says is None:
            raise ServiceError("Nothing comes to mind.", code="no_answer")
        return Answered(
            id=request.id, answer=msgspec.json.encode(self.says).decode(), model="talker"
        )

    def close(self) -> None:
        self._stop.set()
        self._bus.wake()
        self._thread.join()
        self._bus.close()


@pytest.fixture
def talker(run_folder: Path) -> Iterator[Talker]:
    talker = Talker(run_folder)
    yield talker
    talker.close()


@pytest.fixture
def bus(run_folder: Path, talker: Talker) -> Iterator[Bus]:
    (run_folder / "config.yaml").write_text(yaml.safe_dump({"name": "test"}))
    critic = AgentProcess("critic", run_folder)
    bus = Bus(run_folder)
    yield bus
    bus.close()
    critic.kill()


def judged(bus: Bus, worked: int, episodes: int = 10, least: int = 1) -> Verdict:
    evidence = Evidence(
        id=f"judge-{worked}-{episodes}",
        sub_action="harvest log",
        description="",
        method="code",
        success=LOG,
        required_rate=0.9,
        episodes=ended_with_a_log(worked, episodes, steps=1),
        least_episodes=least,
    )
    return bus.call(JUDGE, evidence, timeout=PATIENCE)


@pytest.mark.parametrize(("worked", "success"), [(0, False), (8, False), (9, True)])
def test_success_follows_the_rate_and_the_models_text_gives_the_reason(
    bus: Bus, talker: Talker, worked: int, success: bool
):
    talker.says = JudgeAnswer(success=not success, reason="It looked\nso.", suggestion=" Try. ")
    verdict = judged(bus, worked)
    assert verdict.success is success
    assert verdict.success_rate == worked / 10
    assert verdict.reason == f"It worked in {worked} of 10 episodes. It looked so."
    assert verdict.suggestion == "Try."


def test_what_repeats_the_prompts_example_is_left_out(bus: Bus, talker: Talker):
    """A small model repeats it, and the program would be repaired for what did not happen."""
    example = (card("minecraft").prompts / "judge_example.jinja").read_text()
    shown = msgspec.json.decode(example.strip().strip("`").removeprefix("json"), type=JudgeAnswer)
    assert shown.suggestion
    talker.says = msgspec.structs.replace(shown, reason="It never moved.")
    verdict = judged(bus, 0)
    assert (verdict.reason, verdict.suggestion) == ("It never moved.", "")
    said = "The crosshair ended on leaves, not on wood."  # a part of it
    talker.says = msgspec.structs.replace(shown, reason=said, suggestion="Go on for longer.")
    verdict = judged(bus, 1)
    assert verdict.reason == "It worked in 1 of 10 episodes; 9 ended without it."
    assert verdict.suggestion == "Go on for longer."


def test_where_all_succeeded_no_question_is_asked(bus: Bus, talker: Talker):
    talker.says = JudgeAnswer(success=False, reason="It looked so.")
    verdict = judged(bus, 10)
    assert (verdict.success, verdict.success_rate, verdict.episodes) == (True, 1.0, 10)
    assert verdict.progress == 1.0  # iterations are compared by it
    assert verdict.reason == "It worked in 10 of 10 episodes."
    assert talker.asked == 0


def test_without_an_answer_there_is_still_a_verdict(bus: Bus):
    verdict = judged(bus, 9)
    assert verdict.success
    assert verdict.reason == "It worked in 9 of 10 episodes; 1 ended without it."


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"success": Condition(kind="nonsense", name="log")}, "evidence.success.kind: "),
        ({"success": Condition(kind="have", name="lag")}, "evidence.success.name: "),
        ({"game": "zz"}, "evidence.game: "),
        ({"required_rate": float("nan")}, "required_rate"),
    ],
)
def test_invalid_evidence_is_refused_in_a_sentence(bus: Bus, changes: dict[str, Any], words: str):
    valid: dict[str, Any] = {
        "id": "judge",
        "sub_action": "harvest log",
        "description": "",
        "method": "code",
        "success": LOG,
        "required_rate": 0.9,
        "episodes": ended_with_a_log(1, 2, steps=1),
    }
    with pytest.raises(RemoteError, match=words) as refused:
        bus.call(JUDGE, Evidence(**{**valid, **changes}), timeout=PATIENCE)
    assert refused.value.code != "internal"


def test_a_verdict_without_episodes_is_no_success(bus: Bus, talker: Talker):
    talker.says = JudgeAnswer(success=True, reason="Surely.")
    assert not judged(bus, 0, episodes=0).success


def test_too_few_episodes_never_count_as_success(bus: Bus, talker: Talker):
    talker.says = JudgeAnswer(success=True, reason="All of them.")
    few, enough = judged(bus, 4, episodes=4, least=5), judged(bus, 5, episodes=5, least=5)
    assert (few.success, few.success_rate, few.episodes) == (False, 1.0, 4)
    assert few.reason == "It worked in 4 of 4 episodes. Of fewer than 5 nothing counts as success."
    assert (enough.success, enough.episodes) == (True, 5)
    assert talker.asked == 0  # of both there is nothing to explain
    some = judged(bus, 3, episodes=4, least=5)
    assert talker.asked == 1
    assert (some.success, some.success_rate) == (False, 0.75)
