"""``rlgpt prompt show``: exactly what an agent's questions to the language model looked like."""

import json
from pathlib import Path
from typing import Any

from rlgpt import run_folder
from rlgpt.refused import Refused, near
from rlgpt.report.found import exchanges, unanswered


def show(agent: str, wanted: str | None, id: str | None, listed: bool, schema: bool) -> int:
    """Print the prompt of an agent's newest question, or of the one that ``id`` names (the end of
    an id will do), with what was said back and forth until the answer would do."""
    run = run_folder.find(wanted)
    entries = _read(run)
    agents = list(dict.fromkeys(entry["agent"] for entry in entries))
    if agent not in agents:
        asked = f"those who did: {', '.join(agents)}" if agents else "nobody did"
        raise Refused(f"{agent} asked nothing in {run.name}{near(agent, agents)} ({asked})")
    entries = [entry for entry in entries if entry["agent"] == agent]
    if listed:
        for entry in entries:
            print(f"{_id(entry)}  {entry['asked']}")
        return 0
    if id is not None:
        named = [entry for entry in entries if _id(entry) == id]
        named = named or [entry for entry in entries if _id(entry).endswith(id)]
        if not named:
            raise Refused(
                f"{agent} asked no question `{id}` in {run.name}; --list has those it asked"
            )
        entries = named
    _print(run, entries[-1], schema)
    return 0


def _print(run: Path, entry: dict[str, Any], schema: bool) -> None:
    print(f"=== {_id(entry)} ({entry['asked']})")
    for message in entry["prompt"]:
        content = message["content"]
        for digest in message.get("pictures") or []:
            content = content.replace(f"<picture {digest}>", f"[picture: {_picture(run, digest)}]")
        _print_message(message["role"], content)
    attempts = entry.get("attempts") or []
    answered = entry.get("answered")
    # The last one of an answered question is its answer.
    for attempt in attempts if answered is None else attempts[:-1]:
        _print_message("assistant", attempt["text"])
        if attempt.get("reminder"):
            _print_message("user", attempt["reminder"])
    if answered is None:
        _print_message("no answer", entry["sentence"])
    else:
        last = attempts[-1] if attempts else {}
        if last.get("thinking"):
            _print_message("thinking", last["thinking"])
        _print_message("answer", answered["answer"])
    if schema and "schema" in entry:
        _print_message("schema", json.dumps(entry["schema"], indent=1))


def _picture(run: Path, digest: str) -> str:
    """Where the picture is, or that it is gone."""
    folder = run / "llm" / "pictures"
    found = next((path for path in folder.glob(f"{digest}.*")), None)
    return str(found) if found is not None else f"{digest}, which is not in {folder}"


def _print_message(role: str, content: str) -> None:
    print(f"--- {role}")
    print(content, end="" if content.endswith("\n") else "\n")


def _id(entry: dict[str, Any]) -> str:
    return str(entry["answered"]["id"] if "answered" in entry else entry["id"])


def _read(run: Path) -> list[dict[str, Any]]:
    found = [*exchanges(run), *unanswered(run)]
    if not found:
        raise Refused(f"no question was put to the language model in {run.name}")
    return sorted(found, key=lambda entry: entry["time"])
