"""Writes docs/prompts.md: for each agent's question one full prompt, and the schema of its answer.

    python -m nodes.llm.prompt_pages

renders the typed questions of docs/examples/questions.json, which come from a run, with the prompt
files as they are. A test fails when the page is older than the files.
"""

import argparse
import json
from pathlib import Path

import msgspec

from messages.chat import ANSWERS, ChatMessage, Question
from nodes.common.questions.asking import render
from nodes.common.questions.prompt_parts import without_pictures
from nodes.llm.answers.answer_schema import answer_schema

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "docs" / "examples" / "questions.json"
PAGE = ROOT / "docs" / "prompts.md"
CHARACTERS_PER_TOKEN = {"system": 3.5, "user": 3.1}
"""Counted with Mistral's Tekken vocabulary (131,000 words): system messages have 3.5 to 4.0,
questions with programs in numbered lines 3.1, but lists of episodes, mostly numbers, 2.4."""

_HEAD = """# The prompts

What the agents ask the language model: one full prompt for each kind of question, and the JSON
schema of its answer. To see what a run sent, and what came back:

    rlgpt prompt show AGENT --run RUN

A model that has only this text has to be able to answer. The system message comes first and is the
same every time, so a server computes it once (vLLM's prefix cache); what changes comes last. Only
the example at its end depends on the kind of step: dug, crafted, or got from a mob. In place of
`<picture ...>` the model is shown a picture, for about 100 tokens each, which are not in the table.

This page is generated: after an edit of the prompt files (`nodes/<agent>/prompts/`,
`worlds/minecraft/card/prompts/`, `nodes/prompts/`) or of `docs/examples/questions.json` run
`python -m nodes.llm.prompt_pages`. A test fails if it is out of date.

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


def tokens(message: ChatMessage) -> int:
    """About how many tokens a message takes, its pictures not counted."""
    return round(len(without_pictures(message)) / CHARACTERS_PER_TOKEN[message.role])


def _size(message: ChatMessage) -> str:
    size = f"about {tokens(message):,} tokens"
    return f"{size} and {len(message.pictures)} pictures" if message.pictures else size


def page() -> str:
    rows: list[str] = []
    parts: list[str] = []
    for name, (agent, question) in samples().items():
        messages = render(ROOT / "nodes" / agent / "prompts", question)
        sizes = " | ".join(_size(message) for message in messages)
        answer = ANSWERS[type(question)].__name__
        rows.append(f"| `{agent}` | [`{name}`](#{name.lower()}) | {sizes} | `{answer}` |")
        parts.append(f"\n## {name}\n\nAsked by `{agent}`.\n")
        for message in messages:
            parts.append(f"\n### {message.role}\n\n`````text\n{message.content.rstrip()}\n`````\n")
        schema = json.dumps(answer_schema(question), indent=1)
        parts.append(f"\n### schema of the answer\n\n```json\n{schema}\n```\n")
    return _HEAD + "\n".join(rows) + "\n" + "".join(parts)


if __name__ == "__main__":
    argparse.ArgumentParser(description="Write docs/prompts.md again.").parse_args()
    PAGE.write_text(page(), "utf-8")
