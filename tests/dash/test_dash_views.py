"""What the panels of the page read from files: curves, programs, the conversation, libraries."""

import base64
import hashlib
import json
import os
import threading
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary as Scalars
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from messages.chat import Tokens
from rlgpt.curves.event_files import EventFile
from rlgpt.curves.skimming import skim
from rlgpt.dash.feed import Feed
from rlgpt.dash.follow.answers_being_written import Speaking
from rlgpt.dash.follow.gpu_memory import Gpus
from rlgpt.dash.views.conversation_view import Conversation
from rlgpt.dash.views.curve_view import Curves
from rlgpt.dash.views.decimating import decimated, window
from rlgpt.dash.views.plan_view import plan
from rlgpt.dash.views.time_view import times
from rlgpt.report import curves as report_curves
from rlgpt.report import node_files

STATIC = Path(__file__).resolve().parents[2] / "rlgpt" / "dash" / "static"


def write_curves(folder: Path, tags: dict[str, list[tuple[int, float]]]) -> Path:
    writer = EventFileWriter(str(folder))
    longest = max(map(len, tags.values()))
    for place in range(longest):
        for tag, points in tags.items():
            if place < len(points):
                step, value = points[place]
                scalar = Scalars.Value(tag=tag, simple_value=value)
                writer.add_event(
                    Event(step=step, wall_time=1e9 + place, summary=Scalars(value=[scalar]))
                )
    writer.close()
    return max(folder.glob("events.*"), key=lambda path: path.stat().st_mtime_ns)


def test_event_files_are_read_as_tensorboard_reads_them(tmp_path: Path) -> None:
    rates = [(step * 700, step / 500) for step in range(400)]  # steps of one, two, three bytes
    losses = [(step * 700, -step * 1e-3) for step in range(400)]
    tags = {"episode/success_rate": rates, "loss/critic": losses}
    path = write_curves(tmp_path / "goal+train", tags)
    found = EventFile(path).read()
    assert set(found) == set(tags)
    for tag, points in tags.items():
        steps, values, times = found[tag]
        assert steps.tolist() == [step for step, _ in points]
        assert np.allclose(values, [value for _, value in points], atol=1e-6)
        assert times[0] == 1e9
    theirs = EventAccumulator(str(path.parent), size_guidance={"scalars": 0})
    theirs.Reload()
    assert set(theirs.Tags()["scalars"]) == set(found)
    for tag, (steps, values, times) in found.items():
        events = theirs.Scalars(tag)
        assert [event.step for event in events] == steps.tolist()
        assert [event.value for event in events] == values.tolist()
        assert [event.wall_time for event in events] == times.tolist()
    (curve,) = report_curves.read(tmp_path)
    assert curve.name == "goal+train"
    steps, values, _ = found["episode/success_rate"]
    assert curve.points == list(zip(steps.tolist(), values.tolist(), strict=True))


def test_an_event_file_that_grows_is_read_on(tmp_path: Path) -> None:
    whole = write_curves(tmp_path / "whole", {"a": [(n, n / 7) for n in range(50)]}).read_bytes()
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(b"")
    file = EventFile(path)
    assert file.read() == {}
    for end in range(0, len(whole), 61):  # cut anywhere
        path.write_bytes(whole[:end])
        file.read()
    path.write_bytes(whole)
    assert file.read()["a"][0].tolist() == list(range(50))
    path.write_bytes(whole + b"\xff" * 40)  # a damaged record ends the file
    assert len(file.read()["a"][0]) == 50


def test_what_a_killed_learner_had_measured_after_its_checkpoint_is_left_out(
    tmp_path: Path,
) -> None:
    """It goes on from step 2 and takes other steps from there, twice; the page and the report."""
    root = tmp_path / "learner" / "tensorboard"
    folder, tag, nan = root / "p", "episode/success_rate", float("nan")
    for number, points in enumerate(
        (
            [(1, 0.1), (2, 0.2), (3, 0.3), (7, 0.7)],
            [(2, 0.5), (4, nan), (5, 0.6), (6, 0.9)],
            [(6, 0.8), (8, 0.85)],
        )
    ):
        made = write_curves(folder, {tag: points, "b": [(1, nan)]})
        made.rename(folder / f"events.out.tfevents.{number}")
    curves = Curves(tmp_path)
    (line,) = curves.lines(1)
    assert (line.points, line.first, line.last) == (5, 1, 8)
    found = curves.points(1, tag, ["p", "other"], 0, 100, 50)["series"]
    assert found[0]["x"] == [1, 2, 5, 6, 8]
    assert found[0]["y"] == pytest.approx([0.1, 0.5, 0.6, 0.8, 0.85])
    assert found[1] == {"x": [], "y": []}
    (curve,) = report_curves.read(root)
    assert [step for step, _ in curve.points] == [1, 2, 5, 6, 8]


def test_of_a_large_file_some_points_are_shown_until_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of curves that are written in turn, as a learner does."""
    root = tmp_path / "learner" / "tensorboard"
    random = np.random.default_rng(2)
    steps = np.cumsum(random.integers(1, 5_000, 12_000)).tolist()
    values = random.random(12_000)
    tags = {name: list(zip(steps, values, strict=True)) for name in ("a", "policy/kl")}
    path = write_curves(root / "p", tags)
    monkeypatch.setattr("rlgpt.curves.skimming._PARTS", 24)
    some = skim(path)
    whole = EventFile(path).read()
    assert set(some) == set(whole)
    for tag, (found, measured, _) in some.items():
        every, there, _ = whole[tag]
        assert 1_000 < len(found) < 0.5 * len(every)
        assert (found[0], found[-1]) == (every[0], every[-1])
        assert (every[np.searchsorted(every, found)] == found).all()
        assert (there[np.searchsorted(every, found)] == measured).all()

    monkeypatch.setattr("rlgpt.dash.views.curve_view._AT_ONCE", 1 << 10)
    may_read, is_read = threading.Event(), threading.Event()
    read = EventFile.read

    def slowly(file: EventFile) -> Any:
        assert may_read.wait(60.0)
        return read(file)

    monkeypatch.setattr(EventFile, "read", slowly)
    curves = Curves(tmp_path, is_read.set)
    shown = curves.points(1, "a", ["p"], 0, 2**62, 4_000)
    assert shown["partial"]
    assert len(shown["series"][0]["x"]) > 1_000
    assert {line.last for line in curves.lines(1)} == {steps[-1]}
    may_read.set()
    assert is_read.wait(60.0)
    assert [line.points for line in curves.lines(2)] == [12_000, 12_000]
    assert not curves.points(2, "a", ["p"], 0, 2**62, 4_000)["partial"]


def test_a_decimated_curve_keeps_its_peaks() -> None:
    random = np.random.default_rng(3)
    x = np.cumsum(random.integers(1, 9, 100_000)).astype(float)
    y = random.normal(size=len(x))
    y[41_234], y[77_777] = 50.0, -40.0
    few_x, few_y = decimated(x, y, 500)
    assert len(few_x) <= 2 * 500 + 2
    assert (np.diff(few_x) > 0).all()
    assert few_y.max() == 50.0
    assert few_y.min() == -40.0
    assert (few_x[0], few_x[-1]) == (x[0], x[-1])
    # In every column of pixels the extremes are those of all points.
    column = ((x - x[0]) / (x[-1] - x[0]) * 500).astype(int).clip(0, 499)
    few = ((few_x - x[0]) / (x[-1] - x[0]) * 500).astype(int).clip(0, 499)
    for place in (0, 7, 250, 499):
        assert few_y[few == place].max() == y[column == place].max()
        assert few_y[few == place].min() == y[column == place].min()
    assert decimated(x[:900], y[:900], 500)[0] is not None
    assert len(decimated(x[:900], y[:900], 500)[0]) == 900
    part = window(x, x[10], x[20])
    assert (part.start, part.stop) == (9, 22)
    assert window(x, -5.0, 0.0).start == 0


def test_a_feed_that_is_not_read_holds_only_the_newest_state_of_each_channel() -> None:
    import asyncio

    async def take() -> None:
        feed = Feed(asyncio.get_running_loop())
        for number in range(100_000):
            feed.put("progress", b"%d" % number)
            feed.put("plan", b"[%d]" % number)
        assert await feed.take() == {"progress": b"99999", "plan": b"[99999]"}
        feed.close()
        feed.put("plan", b"1")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(feed.take(), 0.05)

    asyncio.run(take())


def test_a_growing_transcript_is_read_on_with_its_unanswered_questions(tmp_path: Path) -> None:
    (tmp_path / "llm").mkdir()
    path = tmp_path / "llm" / "transcript.jsonl"

    def line(number: int) -> bytes:
        answered = {"id": f"q{number}", "answer": '{"a": "x\\ny"}', "model": "m", "seconds": 0.5,
                    "prompt_tokens": 10, "completion_tokens": 2}  # fmt: skip
        prompt = [{"role": "user", "content": "<script>alert(1)</script>"}]
        entry = {
            "time": 100.0 + number,
            "agent": "planner",
            "asked": "PlanQuestion",
            "question": {"type": "PlanQuestion"},
            "prompt": prompt,
            "answered": answered,
        }
        return msgspec.json.encode(entry) + b"\n"

    conversation = Conversation(tmp_path)
    assert conversation.questions(0, 10)["newest"] == 0
    odd = line(2).replace(b"alert", b"al\xffrt")  # a byte that is no text costs no question
    path.write_bytes(line(1) + b"{broken\n" + odd + line(3)[:30])
    lost = {"time": 101.5, "id": "q9", "agent": "critic", "asked": "JudgeQuestion",
            "question": {}, "prompt": [], "sentence": "it wrote nonsense"}  # fmt: skip
    (tmp_path / "llm" / "unanswered.jsonl").write_bytes(msgspec.json.encode(lost) + b"\n")
    found = conversation.questions(0, 10)
    assert [each.id for each in found["questions"]] == ["q1", "q9", "q2"]
    assert [each.unanswered for each in found["questions"]] == [False, True, False]
    assert found["agents"]["planner"] == {"count": 2, "prompt": 20, "completion": 4, "seconds": 1.0}
    path.write_bytes(line(1) + b"{broken\n" + odd + line(3))
    assert conversation.asked() == node_files.asked(tmp_path)
    found = conversation.questions(3, 10)
    assert [each.id for each in found["questions"]] == ["q3"]
    one = conversation.one(1)
    assert one is not None
    assert one["prompt"] == [{"role": "user", "content": "<script>alert(1)</script>"}]
    assert '"a": "x\\ny"' in one["answer"]
    with_odd = conversation.one(3)
    assert with_odd is not None
    assert with_odd["prompt"][0]["content"] == "<script>al\ufffdrt(1)</script>"
    second = conversation.one(2)
    assert second is not None
    assert second["sentence"] == "it wrote nonsense"
    assert conversation.one(0) is None
    assert conversation.one(5) is None


def test_overview_and_times_read_of_the_transcript_only_what_is_new(tmp_path: Path) -> None:
    (tmp_path / "llm").mkdir()
    (tmp_path / "config.yaml").write_text("name: a\nnodes: {}\n")
    path = tmp_path / "llm" / "transcript.jsonl"
    answered = {"model": "m", "seconds": 0.5, "prompt_tokens": 10}
    entry = {"time": 100.0, "agent": "planner", "asked": "PlanQuestion", "answered": answered}
    line = msgspec.json.encode(entry) + b"\n"
    conversation = Conversation(tmp_path)

    def shown() -> tuple[int, int]:
        told = plan(tmp_path, conversation=conversation)["questions"]
        spans = times(tmp_path, [], 200.0, conversation)["spans"]
        return told.prompt_tokens, sum(span["number"] for span in spans)

    path.write_bytes(line * 2)
    assert shown() == (20, 2)
    path.write_bytes(b" " * len(line * 2) + line)  # what was read is not read again
    assert shown() == (30, 3)


def test_pieces_of_answers_are_put_together() -> None:
    speaking = Speaking()

    def piece(text: str, thinking: bool = False, attempt: int = 0, id: str = "q") -> Tokens:
        return Tokens(id=id, agent="planner", attempt=attempt, thinking=thinking, text=text)

    speaking.add(piece("so ", thinking=True))
    speaking.add(piece("hm", thinking=True))
    (one,) = speaking.add(piece('{"a"'))
    assert (one["thinking"], one["text"]) == ("so hm", '{"a"')
    (one,) = speaking.add(piece("again", attempt=1))
    assert (one["thinking"], one["text"]) == ("", "again")
    (one,) = speaking.add(piece("x" * 100_000, attempt=1))
    assert len(one["text"]) == 20_000
    for number in range(9):
        many = speaking.add(piece("y", id=f"q{number}"))
    assert [each["id"] for each in many] == ["q5", "q6", "q7", "q8"]


def test_a_line_of_nvidia_smi_is_parsed_and_incomplete_ones_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "0, NVIDIA H100 80GB HBM3, 1024, 81559, 37\n1, other, [N/A], 1, 2\nnonsense\n"
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\nprintf '%s' '{said}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (gpu,) = Gpus().look()
    assert (gpu.index, gpu.name, gpu.used, gpu.busy) == (0, "NVIDIA H100 80GB HBM3", 1 << 30, 37)


def test_vendored_libraries_have_the_digests_of_their_publishers() -> None:
    vendor = STATIC / "vendor"
    lock = json.loads((vendor / "vendor.lock.json").read_text())
    assert {path.name for path in vendor.iterdir()} == {*lock, "vendor.lock.json"}
    for folder, known in lock.items():
        assert folder.endswith(known["version"])
        assert "Permission is hereby granted" in (vendor / folder / "LICENSE").read_text()
        found = {
            path.name: "sha512-"
            + base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
            for path in (vendor / folder).iterdir()
        }
        assert found == known["files"]


def test_the_pages_files_make_no_markup_of_text_and_name_no_other_site() -> None:
    ours = [
        path
        for path in STATIC.rglob("*")
        if path.suffix in (".js", ".html", ".css") and "vendor" not in path.parts
    ]
    assert {path.suffix for path in ours} == {".js", ".html", ".css"}
    for path in ours:
        text = path.read_text("utf-8")
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
                     "new Function", "DOMParser", "srcdoc"):  # fmt: skip
            assert word not in text, (path, word)
        assert "https://" not in text
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", ""), path
