"""A language model that gets everything wrong before it gets it right: each bad plan,
decomposition, program, spec and reward is answered with a sentence, counted, and none ends the
run. The nodes are the real ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.launch_toys.invalid_llm import PLANS, PROGRAMS, SPECS, SPLITS
from tests.launch_toys.launched import launched
from tests.launch_toys.watching import ended, summary

OVERRIDES = (
    "task=stick",
    "task.id=planks",
    "task.success.name=planks",
    "task.success.quantity=4",
    "task.biome=forest",
    "task.horizon=500",
    "skills=null",
    "limits.iterations=1",
    "limits.success_rate=0.1",
    "nodes.llm.module=tests.launch_toys.invalid_llm",
    "nodes.planner.parameters.repairs=4",
    "nodes.slow_agent.parameters.repairs=4",
    "nodes.fast_agent.parameters.repairs=9",
    "nodes.fast_agent.parameters.program_steps=300",
    "nodes.fast_agent.parameters.trial_episodes=4",
    "nodes.fast_agent.parameters.evaluation_episodes=6",
    "nodes.fast_agent.parameters.required_rate=0.5",
    "nodes.learner.parameters.environments=4",
    "nodes.learner.parameters.hidden=16",
)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_no_invalid_answer_of_the_model_ends_the_run(run_folder: Path) -> None:
    run = run_folder / "run"
    with launched("launch", "diamond", f"run={run}", *OVERRIDES, cwd=run_folder, run=run) as launch:
        assert ended(launch) == 0, launch.text
        assert "Traceback" not in launch.text
    assert summary(run)["restarts"] == dict.fromkeys(summary(run)["restarts"], 0)
    asked: dict[str, list[dict[str, Any]]] = {}
    for line in (run / "llm" / "transcript.jsonl").read_text().splitlines():
        entry = json.loads(line)
        asked.setdefault(entry["asked"], []).append(entry)

    # What is no answer at all went back to the model, once for each kind of question.
    for kind, entries in asked.items():
        assert len(entries[0]["failures"]) == 1, kind

    said = [entry["question"]["problems"] for entry in asked["PlanQuestion"]]
    assert len(said) == len(PLANS) + 1
    assert "there is no item 'unobtainium'" in said[1][0]
    assert any("as subtask 1 does" in problem for problem in said[2])
    assert any("uses up" in problem or "needs" in problem for problem in said[2])
    assert "empty" in said[3][0]

    of_log = [e for e in asked["DecomposeQuestion"] if e["question"]["subtask"]["name"] == "log"]
    said = [entry["question"]["problems"] for entry in of_log]
    assert len(said) == len(SPLITS) + 1
    assert "empty" in said[1][0]
    assert "unique" in said[2][0]
    assert "no block or mob called 'tree'" in said[3][0]

    of_find = [e for e in asked["ProgramQuestion"] if e["question"]["sub_action"]["name"] == "find"]
    assert len(of_find) == len(PROGRAMS) + 1
    attempts = of_find[-1]["question"]["attempts"]
    assert [attempt["source"] for attempt in attempts] == list(PROGRAMS.values())
    words = dict(zip(PROGRAMS, map(sentences, attempts), strict=True))
    for what, fragment in {
        "loops": "fuel_exhausted",
        "throws": "ZeroDivisionError",
        "imports": "import",
        "dunders": "__class__",
        "acts nonsense": "turn",
    }.items():
        assert fragment in words[what], words
    assert all(words.values()), words

    said = [entry["question"]["problems"] for entry in asked["SpecQuestion"]]
    assert len(said) == len(SPECS)
    for problems, fragment in zip(
        said[1:],
        ("'smell'", "finite", "unobtainium", "Macro 'cut'", "Reward function"),
        strict=True,
    ):
        assert any(fragment in problem for problem in problems), said
    # The rewards that pay nothing are in the env server's log, with how often.
    log = (run / "env_server" / "node.log").read_text()
    assert log.count("a reward was 0") >= 3
    assert summary(run)["samples"]["training"] > 0
    assert summary(run)["performance"] is not None


def sentences(attempt: dict[str, Any]) -> str:
    """All that the model was told of a program."""
    problems = [problem["message"] for problem in attempt["problems"]]
    reports = [
        f"{report['status']} {report['error']}"
        for report in attempt["reports"]
        if report["status"] != "finished"
    ]
    return "; ".join([*problems, *reports])
