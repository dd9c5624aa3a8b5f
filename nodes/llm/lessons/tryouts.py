"""Programs whose tryout fell short, as a question tells of them, for lessons in which another one
is written."""

import random
from typing import Literal

import msgspec

from messages.chat import ProgramAttempt, ProgramQuestion
from messages.plan import Line, Tried
from messages.program import Program, ProgramReport
from messages.verdict import Verdict

_EPISODES = 20
_Status = Literal["finished", "step_limit", "episode_over"]
_ENDS: dict[_Status, str] = {
    "finished": "the program came to its end",
    "step_limit": "the program reached its limit of steps",
    "episode_over": "the program ran until its episode was over",
}
_PRIMITIVES = ("attack", "forward", "sprint", "use", "turn(90)", "noop")


def tried_in_vain(question: ProgramQuestion, source: str, chance: random.Random) -> ProgramQuestion:
    """The question after ``source`` was tried: in this iteration, or in the one before."""
    worked = chance.choice((0, 0, 0, 0, 1, 2, 4, 7))
    status: _Status = chance.choice(tuple(_ENDS))
    report = ProgramReport(
        program=question.sub_action.name.replace(" ", "-"),
        status=status,
        count=_EPISODES - worked,
        steps=chance.randrange(1, 1200),
        last_primitive=chance.choice(_PRIMITIVES),
        environments=list(range(_EPISODES - worked)),
    )
    verdict = f"In {report.count} runs {_ENDS[status]}; one of them after {report.steps} steps."
    if chance.random() < 0.7:
        attempt = ProgramAttempt(source=source, reports=[report], verdict=verdict)
        return msgspec.structs.replace(question, attempts=[attempt], best=0)
    line = Line(
        sub_action=question.sub_action,
        attempts=1,
        verdict=Verdict(
            success=False, success_rate=worked / _EPISODES, reason=verdict, episodes=_EPISODES
        ),
    )
    program = Program(name=question.sub_action.name.replace(" ", "_"), source=source)
    tried = Tried(iteration=0, line=line, program=program)
    return msgspec.structs.replace(question, history=[line], tried=[tried])
