"""The page where a run may not be read: the other runs are listed and shown."""

import json
import shutil
from pathlib import Path

import pytest

from rlgpt.report.writing import write
from tests.commands.test_runs import close, ran
from tests.dash.dash_served import served
from tests.report_run import goal_report


def test_a_run_that_may_not_be_read_is_left_out_of_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = ran(tmp_path, "over")
    write(over, goal_report())
    ran(tmp_path, "closed")
    close(monkeypatch, 1)
    with served(over) as page:
        found = page.json("/api/runs")
        assert (found["first"], [each["run"] for each in found["runs"]]) == ("over", ["over"])
        status, body, _ = page.ask("/api/runs/closed/plan")
        assert status == 403
        assert json.loads(body)["error"].endswith(" may not be read")
        assert page.json("/api/runs/over/plan")["goals"] is not None


def test_a_run_whose_name_is_no_text_is_left_out_of_the_list(tmp_path: Path) -> None:
    over = ran(tmp_path, "over")
    shutil.copytree(over, over.with_name("odd\udcff"))
    with served(over) as page:
        assert [each["run"] for each in page.json("/api/runs")["runs"]] == ["over"]
