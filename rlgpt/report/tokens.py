"""What the language model read and wrote, by iteration and agent: the paper's table of tokens."""

import re
from itertools import chain
from pathlib import Path

import msgspec

from rlgpt.report import node_files

_ITERATION = re.compile(r"/iteration-(\d+)/")
PLAN = "plan"
"""The row of questions that belong to no iteration."""


class TokenSum(msgspec.Struct, kw_only=True):
    prompt: int = 0
    answer: int = 0


class TokenTable(msgspec.Struct, kw_only=True):
    """``rows``: the plan and the iterations; in each row a cell for each agent, then the sum."""

    agents: list[str]
    rows: list[tuple[str, list[TokenSum]]]


def token_table(run: Path, of: str | None = None) -> TokenTable | None:
    """The table of tokens; None where nothing was counted: the rulebook reads and writes no tokens.
    ``of``: only of this goal, else iterations of the same number of several goals are summed up."""
    cells: dict[str, dict[str, TokenSum]] = {}
    agents: dict[str, None] = {}
    for entry in chain(node_files.exchanges(run), node_files.unanswered(run)):
        answered = node_files.part(entry, "answered") or entry
        question = str(answered.get("id", ""))
        if of is not None and not question.startswith(f"{of}/"):
            continue
        iteration = _ITERATION.search(question)
        row = cells.setdefault(iteration[1] if iteration else PLAN, {})
        agent = str(entry.get("agent") or "unknown")
        agents.setdefault(agent)
        cell = row.setdefault(agent, TokenSum())
        cell.prompt += node_files.number(answered.get("prompt_tokens"))
        cell.answer += node_files.number(answered.get("completion_tokens"))
    rows = [
        (name, _with_sum([row.get(agent, TokenSum()) for agent in agents]))
        for name, row in sorted(cells.items(), key=lambda item: (item[0] != PLAN, item[0].zfill(6)))
    ]
    if not any(row[-1].prompt or row[-1].answer for _, row in rows):
        return None
    return TokenTable(agents=list(agents), rows=rows)


def _with_sum(cells: list[TokenSum]) -> list[TokenSum]:
    total = TokenSum(prompt=sum(c.prompt for c in cells), answer=sum(c.answer for c in cells))
    return [*cells, total]
