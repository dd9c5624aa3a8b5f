"""The rulebook's verdicts: what ended the episodes that failed, and what to do about it."""

from typing import get_args, get_type_hints

import msgspec
import pytest

from messages.chat import (
    JudgeQuestion,
)
from messages.program import ProgramReport
from messages.world import Episode
from nodes.llm.rulebook.rulebook_backend import (
    judge,
)
from tests.planning.rulebook_questions import evidence, view


def tryout(*ended: str) -> list[Episode]:
    """Episodes that ended so; those that ended in success have their log."""
    return [
        msgspec.structs.replace(
            evidence().episodes[0],
            environment=row,
            ended=how,
            after=view(logs=int(how == "success")),
        )
        for row, how in enumerate(ended)
    ]


def runs(status: str, rows: list[int], **changes: object) -> ProgramReport:
    fields = {"program": "p", "status": status, "count": len(rows), "steps": 3, **changes}
    return ProgramReport(environments=rows, **fields)  # pyright: ignore[reportArgumentType]


WORKED_TWICE = tryout("success", "death", "horizon", "death", "running", "success")


@pytest.mark.parametrize(
    ("changes", "rate", "said", "advised"),
    [
        ({"episodes": tryout("success")}, 1.0, "It worked in 1 of 1 episodes.", ""),
        # The first report is the most frequent, and of episodes that succeeded too: what it says is
        # not what the others died of.
        (
            {
                "episodes": WORKED_TWICE,
                "reports": [runs("episode_over", [0, 1, 2, 3, 5]), runs("finished", [4])],
            },
            2 / 6,
            "It worked in 2 of 6 episodes; 2 died, 1 reached the horizon, 1 ended when the program "
            "came to its end.",
            "Keep away from what kills",
        ),
        (
            {
                "episodes": tryout("running", "running", "death"),
                "reports": [runs("error", [0, 1], line=7, error="no {odd}."), runs("finished", [])],
            },
            0.0,
            "It worked in 0 of 3 episodes; 2 ended when the program failed at line 7: no {odd}, "
            "1 died.",
            "Repair line 7.",
        ),
        # With a program that was killed its episodes are cut off, as by their horizon.
        (
            {
                "episodes": tryout("horizon", "horizon", "death"),
                "reports": [runs("killed", [0, 1], line=5, error="it hung")],
            },
            0.0,
            "It worked in 0 of 3 episodes; 2 ended when the program had its process ended "
            "for taking too much time or memory, 1 died.",
            "Take less time and memory",
        ),
        (
            {"method": "rl", "episodes": tryout("success", "horizon", "horizon")},
            1 / 3,
            "It worked in 1 of 3 episodes; 2 reached the horizon.",
            "Give the policy a coded action",
        ),
        (
            {"method": "rl", "macros": ["dig"], "episodes": tryout("running", "success")},
            0.5,
            "It worked in 1 of 2 episodes; 1 ended without it.",
            "Train for longer.",
        ),
    ],
)
def test_verdicts_have_what_the_failed_episodes_ended_with(
    changes: dict[str, object], rate: float, said: str, advised: str
):
    judged = judge(JudgeQuestion(evidence=evidence(**changes), success_rate=rate))
    assert judged.success == (rate >= 0.9)
    assert judged.reason == said
    assert judged.suggestion.startswith(advised)
    assert bool(judged.suggestion) == bool(advised)


def test_every_ending_has_a_reason_and_a_suggestion():
    endings = [*get_args(get_type_hints(Episode)["ended"]), "finished", "step_limit"]
    for ended in (*endings, "fuel_exhausted", "time_limit", "error", "killed"):
        inside = ended in get_args(get_type_hints(ProgramReport)["status"])
        failed = tryout("running" if inside else ended)
        failed = [msgspec.structs.replace(each, after=view()) for each in failed]
        reports = [runs(ended, [0], line=3, error="no")] if inside else []
        asked = evidence(episodes=failed, reports=reports)
        judged = judge(JudgeQuestion(evidence=asked, success_rate=0.0))
        assert judged.reason.startswith("It worked in 0 of 1 episodes; 1 ")
        assert judged.suggestion
