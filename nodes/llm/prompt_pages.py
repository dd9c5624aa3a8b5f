"""Writes docs/prompts.md: for each agent's question one full prompt, and the schema of its answer.

    python -m nodes.llm.prompt_pages

renders the typed questions of docs/examples/questions.json, which come from a run, with the prompt
files as they are. A test fails when the page is older than the files.
"""

import json
from pathlib import Path

import msgspec

from messages.chat import ANSWERS, Question
from nodes.asking import render
from nodes.llm.answers import answer_schema

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "docs" / "examples" / "questions.json"
PAGE = ROOT / "docs" / "prompts.md"
CHARACTERS_PER_TOKEN = 3.5
"""Of English mixed with code and JSON, with current vocabularies; on the safe side."""

_HEAD = """# The prompts

For each question one full prompt as it is sent, and the schema that its answer is held to. Whoever
has only this text has to be able to answer. The system message comes first and is the same every
time, so a server computes it once (vLLM's prefix cache); what changes comes last.

This page is written by `python -m nodes.llm.prompt_pages` from the prompt files
(`nodes/<agent>/prompts/`, `nodes/prompts/`) and `docs/examples/questions.json`; a test fails when
it is older than they are. `rlgpt prompt show AGENT --run RUN` prints what a run really sent.

| agent | question | system message | this question | answer |
|---|---|---|---|---|
"""


class Sample(msgspec.Struct):
    agent: str
    question: Question


def samples() -> dict[str, tuple[str, Question]]:
    """(agent, question) by the question's type. Raises ValueError for a file that is not valid."""
    found = msgspec.json.decode(SAMPLES.read_bytes(), type=list[Sample])
    return {type(each.question).__name__: (each.agent, each.question) for each in found}


def tokens(text: str) -> int:
    """About how many tokens a text takes."""
    return round(len(text) / CHARACTERS_PER_TOKEN)


def page() -> str:
    rows: list[str] = []
    parts: list[str] = []
    for name, (agent, question) in samples().items():
        messages = render(ROOT / "nodes" / agent / "prompts", question)
        sizes = " | ".join(f"about {tokens(message.content):,} tokens" for message in messages)
        answer = ANSWERS[type(question)].__name__
        rows.append(f"| `{agent}` | [`{name}`](#{name.lower()}) | {sizes} | `{answer}` |")
        parts.append(f"\n## {name}\n\nAsked by `{agent}`.\n")
        for message in messages:
            parts.append(f"\n### {message.role}\n\n`````text\n{message.content.rstrip()}\n`````\n")
        schema = json.dumps(answer_schema(question), indent=1)
        parts.append(f"\n### schema of the answer\n\n```json\n{schema}\n```\n")
    return _HEAD + "\n".join(rows) + "\n" + "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
