"""Runs that ended, as their folders have them."""

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec

from messages.chat import PlanAnswer, PlanQuestion
from messages.plan import GoalReport
from nodes.llm.examples.example import Example


def run_folder(path: Path, example: Example, success: bool) -> Path:
    """A run whose planner was refused once and then answered well."""
    question = msgspec.json.decode(example.question, type=PlanQuestion)
    plan = msgspec.json.decode(example.answer, type=PlanAnswer)
    report = GoalReport(
        task=question.task, subtasks=plan.subtasks, iterations=[], success=success, reason=""
    )
    asked = [
        (f"goal/plan-{number}", question, answer)
        for number, answer in enumerate(['{"subtasks": []}', example.answer])
    ]
    return run_of(path, report, asked)


def run_of(
    path: Path, report: GoalReport, asked: Sequence[tuple[str, msgspec.Struct, str]]
) -> Path:
    """A run with this report. ``asked``: id, question and answer of each line of its transcript."""
    (path / "llm").mkdir(parents=True)
    summary = {"success": report.success, "goal": "goal"}
    (path / "summary.json").write_text(json.dumps(summary))
    (path / "goal_report.json").write_bytes(msgspec.json.encode(report))
    lines: list[str] = []
    for id, question, answer in asked:
        entry = {
            "time": 0.0,
            "agent": "planner",
            "asked": type(question).__name__,
            "question": msgspec.to_builtins(question),
            "prompt": [],
            "schema": {},
            "answered": {"type": "Answered", "id": id, "answer": answer, "model": "strong"},
        }
        lines.append(json.dumps(entry) + "\n")
    (path / "llm" / "transcript.jsonl").write_text("".join(lines))
    return path
