"""The messages of topics as they are published, a JSON object a line."""

import queue
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from messages.bus import Bus
from messages.bus.network.header import Header
from messages.system import Description
from nodes.common.running.exit_codes import FAILED
from rlgpt.inspecting.opening import described, find_endpoint, opened
from rlgpt.inspecting.output import json_line
from rlgpt.refused import Refused, did_you_mean
from rlgpt.runs.run_folder import LaunchEnd


def check_topic(name: str, run: Path, found: list[Description]) -> None:
    """Raises Refused where there is no such topic; ``critic/*`` is every topic of the critic."""
    if not name.endswith("/*"):
        find_endpoint("topic", name, run, found)
        return
    nodes = [one.node for one in found]
    if name[:-2] not in nodes:
        raise Refused(f"there is no node `{name[:-2]}`{did_you_mean(name[:-2], nodes)}")


def check_printing(count: int, silence: float | None) -> None:
    """Raises Refused where a command cannot end so."""
    if count < 0:
        raise Refused(f"--count {count}: 0 is without end, else at least one message")
    if silence is not None and not 0.0 <= silence <= threading.TIMEOUT_MAX:
        raise Refused(f"--timeout {silence:g}: seconds of silence, 0 or more")


_INDEX = re.compile(r"-?[0-9]{1,18}")
_Item = TypeVar("_Item")
_LOOKED_AT = 1.0  # seconds between two looks at whether the launch goes on


def awaited(
    received: "queue.SimpleQueue[_Item]", silence: float | None, end: LaunchEnd
) -> Iterator[_Item]:
    """What comes, until the launch has ended. Raises queue.Empty where nothing came for ``silence``
    seconds."""
    since = time.monotonic()
    while True:
        left = None if silence is None else max(0.0, since + silence - time.monotonic())
        try:
            yield received.get(timeout=_LOOKED_AT if left is None else min(left, _LOOKED_AT))
            since = time.monotonic()
        except queue.Empty:
            if left is not None and left <= _LOOKED_AT:
                raise
            if end.has_come():
                return


def launch_ended(run: Path, printed: int, count: int) -> Refused:
    """The sentence of a command that wanted more than came until the launch ended."""
    return Refused(f"{run.name} has ended, after {printed} of {count}", code=FAILED)


@contextmanager
def spinning(bus: Bus) -> Iterator[None]:
    """The bus serves in a thread of its own."""
    over = threading.Event()
    serving = threading.Thread(target=bus.spin, args=(over,), daemon=True)
    serving.start()
    try:
        yield
    finally:
        over.set()
        serving.join(5.0)


def echo(
    topic: str,
    wanted: str | None,
    count: int = 0,
    silence: float | None = None,
    fields: list[str] | None = None,
    latched: bool = False,
) -> int:
    """Print the messages of ``topic`` until ``count`` messages were printed, for ``silence``
    seconds none was published, or the launch has ended. The type need not be known here.

    ``fields``: only these, ``spec.horizon`` is a field of a field. ``latched``: only the last value
    that a latched topic keeps, or failure if there is none.
    """
    check_printing(count, silence)
    with opened(wanted) as (run, stack, bus):
        end = LaunchEnd(run)
        check_topic(topic, run, described(run, stack, bus))
        received: queue.SimpleQueue[tuple[Header, Any]] = queue.SimpleQueue()

        def take(header: Header, body: Any) -> None:
            # What is published meanwhile must not put off the end of a command for last values.
            if not latched or header.kind == "latched":
                received.put((header, body))

        bus.subscribe_untyped(topic, take)
        with spinning(bus):
            _print_messages(run, end, topic, received, count, silence, fields or [], latched)
    return 0


def _print_messages(
    run: Path,
    end: LaunchEnd,
    topic: str,
    received: "queue.SimpleQueue[tuple[Header, Any]]",
    count: int,
    silence: float | None,
    fields: list[str],
    latched: bool,
) -> None:
    printed = 0
    coming = awaited(received, 2.0 if latched and silence is None else silence, end)
    while not count or printed < count:
        try:
            header, body = next(coming)
        except StopIteration:
            if count:
                raise launch_ended(run, printed, count) from None
            return
        except queue.Empty:
            if latched:
                if printed:
                    return
                sentence = f"{topic} has no last value: it keeps none, or none was published yet"
                raise Refused(sentence, code=FAILED) from None
            sentence = f"nothing was published on {topic} for {silence:g} s"
            raise Refused(sentence, code=FAILED) from None
        for field in fields:
            _field(body, field)  # refused before anything of the message is printed
        if topic.endswith("*"):
            shown: Any = {"topic": header.endpoint, "message": body}
        elif len(fields) == 1:
            shown = _field(body, fields[0])
        elif fields:
            shown = {field: _field(body, field) for field in fields}
        else:
            shown = body
        print(json_line(shown), flush=True)
        printed += 1


def _field(body: Any, path: str) -> Any:
    """A field of a message, a number being a list's index."""
    value = body
    for name in path.split("."):
        if isinstance(value, dict):
            if name not in value:
                raise Refused(f"--field {path}: the message has no `{name}`{_known(name, value)}")
            value = value[name]
        elif isinstance(value, list) and _INDEX.fullmatch(name):
            if not -len(value) <= int(name) < len(value):
                raise Refused(f"--field {path}: the list has {len(value)} entries")
            value = value[int(name)]
        else:
            raise Refused(f"--field {path}: there are no fields in {json_line(value)[:80]}")
    return value


def _known(name: str, value: dict[str, Any]) -> str:
    hint = did_you_mean(name, value)
    return hint or f" (it has {', '.join(map(str, value))})"
