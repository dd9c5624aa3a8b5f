"""What the nodes left in a run folder, read for the report and for `rlgpt prompt`.

Every piece may be missing or cut off (a node that never started, a run that was killed while it
wrote): what can be read is reported, the rest is left out.
"""

import base64
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from messages.undecodable import UNDECODABLE
from nodes.config import ConfigError, read_config
from rlgpt.received_path import leads_out
from rlgpt.runs.run_folder import env_server_folders

TRANSCRIPT = "llm/transcript.jsonl"
UNANSWERED = "llm/unanswered.jsonl"

_EMBEDDED_BYTES = 8 * 1024 * 1024
# The level of a line stands after its time. A message may contain "an error" at another level.
_TROUBLE = re.compile(r"[\d:,. -]*\b(WARNING|ERROR|CRITICAL) (.*)")
_KEPT_MESSAGES = 8


class Asked(msgspec.Struct, kw_only=True):
    """Questions to the language model of one kind by one agent. Tokens and seconds are also those
    of questions without an answer."""

    agent: str
    kind: str
    model: str = ""
    count: int = 0  # with an answer
    unanswered: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    repairs: int = 0
    edited: int = 0  # answers that a person gave in place of the model's
    pictures: int = 0  # what they cost is among the prompt's tokens


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """Warnings and errors in the log of a node, or the launcher's: the most frequent messages."""

    node: str
    warnings: int
    errors: int
    messages: list[tuple[int, str]]  # (how often, message)


class Video(msgspec.Struct, frozen=True, kw_only=True):
    """``data`` is a data URI; without it the page links to ``path``."""

    path: str  # relative to the run folder
    data: str = ""


class Jail(msgspec.Struct, frozen=True, kw_only=True):
    """The env servers' report on the jail around coded actions; empty if there is none."""

    jail: str = ""
    killed: int = 0


def jail(run: Path) -> Jail:
    found: list[Jail] = []
    for folder in env_server_folders(run):
        with suppress(OSError, *UNDECODABLE):
            found.append(msgspec.json.decode((folder / "jail.json").read_bytes(), type=Jail))
    if not found:
        return Jail()
    weakest = next((each.jail for each in found if each.jail != "on"), "on")
    return Jail(jail=weakest, killed=sum(each.killed for each in found))


def config(run: Path) -> dict[str, Any]:
    """The resolved config of the run; empty if there is none."""
    try:
        return read_config(run)
    except ConfigError:
        return {}


def part(values: dict[str, Any], *keys: str) -> dict[str, Any]:
    """A mapping inside a config; empty where the path ends or something else stands there."""
    for key in keys:
        found = values.get(key)
        if not isinstance(found, dict):
            return {}
        values = found
    return values


def asked(run: Path) -> list[Asked]:
    """Questions by agent and kind, the order they were first asked in; those of which none was
    answered come last."""
    found: dict[tuple[str, str], Asked] = {}
    for entry in exchanges(run):
        count_question(found, entry)
    for entry in unanswered(run):
        count_question(found, entry, unanswered=True)
    return list(found.values())


def exchanges(run: Path) -> Iterator[dict[str, Any]]:
    """The lines of the llm node's transcript that can be read."""
    return (entry for _, entry in objects(run / TRANSCRIPT))


def unanswered(run: Path) -> Iterator[dict[str, Any]]:
    """The questions that the language model had no answer to."""
    return (entry for _, entry in objects(run / UNANSWERED))


def objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines of a file that can be read, each with its number."""
    try:
        file = path.open("rb")
    except OSError:
        return
    with file, suppress(OSError):
        for number, line in enumerate(file, 1):
            if (found := line_object(line)) is not None:
                yield number, found


def line_object(line: bytes) -> dict[str, Any] | None:
    """The object of a line; None: it cannot be read, as the last line of a node that was killed
    while it wrote."""
    found = _value(line)
    return found if isinstance(found, dict) else None


def _value(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    except RecursionError:
        return None
    try:  # a transcript has tens of megabytes: only what needs it is repaired first
        return msgspec.json.decode(line.decode(errors="replace"))
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None


def count_question(
    found: dict[tuple[str, str], Asked], entry: dict[str, Any], unanswered: bool = False
) -> None:
    """Add a line of the transcript, or of the questions without an answer, to the sums by agent and
    kind."""
    answered = part(entry, "answered") or entry
    question = part(entry, "question") or part(entry, "ask", "question")
    agent = str(entry.get("agent") or part(entry, "ask").get("agent") or "unknown")
    kind = str(entry.get("asked") or question.get("type") or "question")
    row = found.setdefault((agent, kind), Asked(agent=agent, kind=kind))
    row.count += not unanswered
    row.unanswered += unanswered
    row.model = str(answered.get("model") or row.model)
    row.prompt_tokens += number(answered.get("prompt_tokens"))
    row.completion_tokens += number(answered.get("completion_tokens"))
    row.repairs += number(answered.get("repairs"))
    row.edited += bool(answered.get("edited_by"))
    row.pictures += number(answered.get("pictures"))
    seconds = answered.get("seconds")
    row.seconds += float(seconds) if isinstance(seconds, int | float) else 0.0


def number(value: Any) -> int:
    """A count as it stands in a file; 0 for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def troubles(run: Path) -> list[Trouble]:
    """Warnings and errors in the nodes' logs, nodes without any left out."""
    found: list[Trouble] = []
    for log in [run / "launcher.log", *sorted(run.glob("*/node.log"))]:
        levels: Counter[str] = Counter()
        messages: Counter[str] = Counter()
        if not log.is_file():  # a device has no end
            continue
        with suppress(OSError), log.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                match = _TROUBLE.match(line)
                if match:
                    levels[match[1]] += 1
                    messages[match[2].strip()[:400]] += 1
        if levels:
            found.append(
                Trouble(
                    node=log.parent.name if log.name == "node.log" else log.stem,
                    warnings=levels["WARNING"],
                    errors=levels["ERROR"] + levels["CRITICAL"],
                    messages=[(n, text) for text, n in messages.most_common(_KEPT_MESSAGES)],
                )
            )
    return found


def videos(run: Path, paths: list[str]) -> dict[str, Video]:
    """The videos that exist inside the run folder, by path.

    The newest (last) ones are embedded as far as 8 MB go, the others are linked.
    """
    found: dict[str, Video] = {}
    room = _EMBEDDED_BYTES
    root = run.resolve()
    for path in reversed(list(dict.fromkeys(paths))):
        if leads_out(root, path) or not (file := (root / path).resolve()).is_file():
            continue
        size = file.stat().st_size
        data = ""
        if size <= room:
            room -= size
            data = f"data:{_MEDIA.get(file.suffix.lower(), 'video/mp4')};base64,"
            data += base64.b64encode(file.read_bytes()).decode("ascii")
        found[path] = Video(path=file.relative_to(root).as_posix(), data=data)
    return found


_MEDIA = {".mp4": "video/mp4", ".webm": "video/webm", ".gif": "image/gif"}
