"""Where the time of a run went, as far as its files say it.

Tryouts, comparisons, evaluations and performances are timed by the env server (a play begins and
ends), answers by the llm node, trainings by the learner's curves. A training that a pause of the
run interrupted went on after it: of its time only that of launches counts. Parts may overlap; what
no part was measured for is the rest. Beside it the account of `rlgpt profile`, of runs whose nodes
have written it down.
"""

from pathlib import Path
from typing import Any

from rlgpt.dash.views.conversation_view import Conversation
from rlgpt.dash.views.curve_view import CurveLine
from rlgpt.profiling import MEANINGS, TITLES, profile
from rlgpt.report import played_episodes, stores
from rlgpt.runs import launches

_SPEED = "speed/steps_per_second"
_SPEEDS = 20
"""Trainings whose speed is shown, the newest."""
_TRAININGS = 5
"""Trainings whose parts are shown, the newest."""
_APART = 500
"""A time line has at most twice as many spans of each part."""
_PLAYS = "select play, began, ended from plays order by began"
_LABELS = {
    "training": "training of policies",
    "tryout": "tryouts of the inner loop",
    "comparison": "comparisons of learned guards",
    "evaluation": "evaluations",
    "performance": "performances of the goal",
    "other": "other plays",
    "llm": "answers of the language model",
    "rest": "starting, waiting, everything else",
}


def times(
    run: Path, curves: list[CurveLine], now: float, conversation: Conversation | None = None
) -> dict[str, Any]:
    """Seconds by part, and spans of it for a time line: what is too near to what comes before to
    be seen apart is one span. ``conversation``: the run's, which has been read before."""
    spans: list[dict[str, Any]] = []
    goals = played_episodes.several_goals(run)
    for play, began, ended in stores.rows(run / "env_server" / played_episodes.FILE, _PLAYS):
        purpose = played_episodes.purpose(play)
        words = played_episodes.in_words(purpose, goals)
        part = "performance" if purpose.kind == "validation" else purpose.kind
        spans.append({"part": part, "began": began, "ended": ended, "words": words})
    records = launches.read(run)
    launched = [(record.began, ended) for record, ended in launches.with_ends(run, records, now)]
    for line in _trainings(curves):
        for began, ended in _within(line, launched):
            spans.append({"part": "training", "began": began, "ended": ended, "words": line.policy})
    for each in (conversation or Conversation(run)).answered():
        words, began = f"{each.agent}: {each.asked}", each.time - each.seconds
        spans.append({"part": "llm", "began": began, "ended": each.time, "words": words})
    whole = launches.seconds(run, now)
    parts = dict.fromkeys(_LABELS, 0.0)
    for span in spans:
        parts[span["part"]] += max(span["ended"] - span["began"], 0.0)
    parts["rest"] = max(whole - _covered(spans), 0.0)
    speeds = sorted((line for line in curves if line.tag == _SPEED), key=lambda line: -line.began)
    account = profile(run)
    return {
        "whole": whole,
        "profile": {
            # Without what nodes have written, all of it would be the start.
            "parts": account.parts if any(account.nodes.values()) else [],
            "trainings": account.trainings[-_TRAININGS:],
            "all_trainings": len(account.trainings),
            "calls": account.calls[:12],
            "titles": TITLES,
            "meanings": MEANINGS,
        },
        "parts": [
            {"part": part, "label": label, "seconds": round(parts[part], 3)}
            for part, label in _LABELS.items()
            if parts[part] > 0.0
        ],
        "launches": [{"began": each.began, "ended": each.ended} for each in records],
        "spans": _drawn(spans),
        "speeds": [_speed(line, launched) for line in speeds[:_SPEEDS]],
        "all_speeds": len(speeds),
    }


def _drawn(spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not spans:
        return []
    first = min(span["began"] for span in spans)
    least = (max(span["ended"] for span in spans) - first) / _APART
    drawn: list[dict[str, Any]] = []
    last: dict[str, dict[str, Any]] = {}  # by part
    for span in sorted(spans, key=lambda span: span["began"]):
        seconds = max(span["ended"] - span["began"], 0.0)
        before = last.get(span["part"])
        if before is not None and span["ended"] - before["began"] < least:
            before["ended"] = max(before["ended"], span["ended"])
            before["seconds"] += seconds
            before["number"] += 1
            continue
        last[span["part"]] = {**span, "seconds": seconds, "number": 1}
        drawn.append(last[span["part"]])
    return drawn


def _trainings(curves: list[CurveLine]) -> list[CurveLine]:
    """One line for each policy."""
    found: dict[str, CurveLine] = {}
    for line in curves:
        known = found.get(line.policy)
        if known is None or line.points > known.points:
            found[line.policy] = line
    return list(found.values())


def _within(line: CurveLine, launched: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The parts of a training in which the run was launched; the whole where it never was, as of
    nodes that were driven without a launcher."""
    parts = [(max(line.began, began), min(line.ended, ended)) for began, ended in launched]
    return [(began, ended) for began, ended in parts if ended > began] or [(line.began, line.ended)]


def _speed(line: CurveLine, launched: list[tuple[float, float]]) -> dict[str, Any]:
    seconds = sum(ended - began for began, ended in _within(line, launched))
    return {
        "policy": line.policy,
        "samples": line.last,
        "seconds": round(seconds, 3),
        "mean": (line.last - line.first) / seconds if seconds > 0 else None,
        "last": line.value,
    }


def _covered(spans: list[dict[str, Any]]) -> float:
    """Seconds in which at least one part was under way."""
    total, until = 0.0, float("-inf")
    for span in sorted(spans, key=lambda span: span["began"]):
        first = max(span["began"], until)
        if span["ended"] > first:
            total += span["ended"] - first
            until = span["ended"]
    return total
