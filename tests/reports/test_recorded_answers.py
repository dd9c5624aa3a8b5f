"""The project's recorded answers still answer the questions that are asked today, and reach their
goals with them: questions change with the agents, and then they have to be recorded again."""

from pathlib import Path

import msgspec
import pytest

from rlgpt.table.result import CellResult
from tests.launch_toys.launched import rlgpt


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("task", ["harvest_log", "milk_bucket", "wool", "stick"])
def test_a_recording_is_replayed_to_its_goal(task: str, tmp_path: Path) -> None:
    """Seed 2: only with it a subtask took a second iteration, whose questions have a history."""
    only = ("--only", "llm=recorded_reader", f"task={task}", "seed=2")
    done = rlgpt("table", "ablation-llm", *only, "--results", "results", cwd=tmp_path, timeout=800)
    assert done.returncode == 0, done.stdout + done.stderr
    results = sorted(tmp_path.glob(f"results/{task}/*+recorded_reader/seed-2.json"))
    assert len(results) == 2  # by code alone, and by both
    for path in results:
        result = msgspec.json.decode(path.read_bytes(), type=CellResult)
        assert result.reached
        assert result.episodes == 30
