"""A run that ended, whose transcript has a refused answer and a good one."""

import json
from pathlib import Path

import msgspec

from nodes.llm.examples.example import Example


def run_folder(path: Path, example: Example, success: bool) -> Path:
    """A run whose planner was refused once and then answered well."""
    (path / "llm").mkdir(parents=True)
    (path / "summary.json").write_text(json.dumps({"success": success}))
    lines: list[str] = []
    for number, answer in enumerate(['{"subtasks": []}', example.answer]):
        entry = {
            "time": 0.0,
            "agent": "planner",
            "asked": "PlanQuestion",
            "question": msgspec.json.decode(example.question),
            "prompt": [],
            "schema": {},
            "answered": {
                "type": "Answered",
                "id": f"goal/plan-{number}",
                "answer": answer,
                "model": "strong",
            },
        }
        lines.append(json.dumps(entry) + "\n")
    (path / "llm" / "transcript.jsonl").write_text("".join(lines))
    return path
