"""The account of a run's time: of its launches by part, by node, by call, and of its trainings."""

from collections import defaultdict
from pathlib import Path

import msgspec

from nodes.times import TimesLine
from rlgpt.profiling.parts import PartTime, in_order
from rlgpt.profiling.reading import lines, windows
from rlgpt.profiling.sharing import Shared
from rlgpt.profiling.trainings import TrainingTime, trainings
from rlgpt.runs import run_folder

SPANS = 120
"""The most spans of a timeline."""


class CallTime(msgspec.Struct, frozen=True, kw_only=True):
    """A service or an action: how many calls have ended, how long callers waited for them, and for
    how long the node that has it worked on them, in seconds. The difference is the bus's."""

    endpoint: str
    calls: int
    waited: float
    served: float


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds by part in a span of a run; what is missing of its length went to the bus, to waiting
    or to nothing that was noted. ``at``: when it began, seconds since the epoch."""

    at: float
    seconds: float
    parts: dict[str, float]


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """Where the time of a run goes.

    Attributes:
        running: it goes on.
        wall_seconds: all its launches together; the parts' ``seconds`` come to this.
        nodes: seconds by node and part, with what its handlers waited for.
        calls: the longest waits first.
        trainings: the oldest first.
    """

    run: str
    running: bool
    wall_seconds: float
    parts: list[PartTime]
    nodes: dict[str, dict[str, float]]
    calls: list[CallTime]
    trainings: list[TrainingTime]
    timeline: list[Span]


def profile(run: Path, spans: int = SPANS) -> Profile:
    """The profile of a run folder; empty where no node has written anything. ``spans``: at most so
    many has the timeline."""
    written = lines(run)
    every = [line for each in written.values() for line in each]
    shared = Shared(every, windows(run, written))
    calls = _calls(every)
    seconds, work = dict(shared.seconds), dict(shared.work)
    left = max(shared.whole - sum(seconds.values()), 0.0)
    # How long calls waited for absent nodes and how long they were on their way is known in all,
    # and not when: it comes out of the time in which nothing else was done.
    away = sum(line.away for line in every)
    on_the_way = sum(max(call.waited - call.served, 0.0) for call in calls if call.calls)
    for part, wanted in (("waiting", away), ("bus", max(on_the_way - away, 0.0))):
        given = min(wanted, left)
        seconds[part] = seconds.get(part, 0.0) + given
        work[part] = work.get(part, 0.0) + wanted
        left -= given
    seconds["other"] = left
    return Profile(
        run=run.resolve().name,
        running=run_folder.launched(run) or bool(run_folder.running_nodes(run)),
        wall_seconds=round(shared.whole, 3),
        parts=in_order(seconds, work, shared.whole),
        nodes={node: _summed(each) for node, each in written.items()},
        calls=calls,
        trainings=trainings(written),
        timeline=[
            Span(at=at, seconds=length, parts=parts) for at, length, parts in shared.timeline(spans)
        ],
    )


def _summed(written: list[TimesLine]) -> dict[str, float]:
    found: defaultdict[str, float] = defaultdict(float)
    for line in written:
        for spent in line.spent.values():
            for part, seconds in spent.items():
                found[part] += seconds
    most_first = sorted(found.items(), key=lambda each: -each[1])
    return {part: round(seconds, 3) for part, seconds in most_first}


def _calls(every: list[TimesLine]) -> list[CallTime]:
    counts: defaultdict[str, int] = defaultdict(int)
    waited: defaultdict[str, float] = defaultdict(float)
    served: defaultdict[str, float] = defaultdict(float)
    for line in every:
        for endpoint, (count, seconds) in line.called.items():
            counts[endpoint] += count
            waited[endpoint] += seconds
        for endpoint, (_, seconds) in line.served.items():
            served[endpoint] += seconds
    found = [
        CallTime(
            endpoint=endpoint,
            calls=count,
            waited=round(waited[endpoint], 3),
            served=round(served[endpoint], 3),
        )
        for endpoint, count in counts.items()
    ]
    return sorted(found, key=lambda call: -call.waited)
