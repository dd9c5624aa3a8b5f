"""The report's table of tokens, by iteration and agent."""

import json
from pathlib import Path

from rlgpt.report.node_files import asked
from rlgpt.report.tokens import TokenSum, token_table


def write(run: Path, *lines: tuple[str, str, int, int]) -> None:
    (run / "llm").mkdir()
    entries = [
        {
            "agent": agent,
            "answered": {"id": id, "prompt_tokens": prompt, "completion_tokens": answer},
        }
        for agent, id, prompt, answer in lines
    ]
    text = "\n".join(json.dumps(entry) for entry in entries)
    (run / "llm" / "transcript.jsonl").write_text(f"{text}\n[1]\n")


def test_tokens_are_counted_by_iteration_and_agent(tmp_path: Path):
    write(
        tmp_path,
        ("planner", "goal/plan-0", 900, 40),
        ("fast_agent", "goal/0-log/iteration-10/dig/program-0", 5, 5),
        ("fast_agent", "goal/0-log/iteration-2/dig/program-0", 2000, 300),
        ("fast_agent", "goal/0-log/iteration-2/dig/program-1", 2500, 200),
        ("critic", "goal/0-log/iteration-2/dig/judge-0", 700, 30),
    )
    table = token_table(tmp_path)
    assert table is not None
    assert table.agents == ["planner", "fast_agent", "critic"]
    assert [name for name, _ in table.rows] == ["plan", "2", "10"]
    assert table.rows[1][1] == [
        TokenSum(),
        TokenSum(prompt=4500, answer=500),
        TokenSum(prompt=700, answer=30),
        TokenSum(prompt=5200, answer=530),
    ]


def test_without_counted_tokens_there_is_no_table(tmp_path: Path):
    assert token_table(tmp_path) is None
    write(tmp_path, ("planner", "goal/plan-0", 0, 0))
    assert token_table(tmp_path) is None


def test_pictures_are_counted_beside_the_tokens(tmp_path: Path):
    (tmp_path / "llm").mkdir()
    answered = {
        "id": "goal/judge-0",
        "prompt_tokens": 1900,
        "completion_tokens": 60,
        "pictures": 12,
    }
    entry = {"agent": "critic", "asked": "LookQuestion", "answered": answered}
    (tmp_path / "llm" / "transcript.jsonl").write_text(f"{json.dumps(entry)}\n" * 2)
    (row,) = asked(tmp_path)
    assert (row.kind, row.prompt_tokens, row.pictures) == ("LookQuestion", 3800, 24)
