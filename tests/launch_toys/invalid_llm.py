"""The llm node with a model whose first answers to every question are invalid, in every way that
there is, and whose last one is valid."""

from typing import Any

import msgspec

from messages.chat import (
    ChatMessage,
    DecomposeAnswer,
    DecomposeQuestion,
    JudgeAnswer,
    JudgeQuestion,
    MacroDraft,
    PlanAnswer,
    PlanQuestion,
    ProgramAnswer,
    ProgramQuestion,
    Question,
    SpecAnswer,
    SpecQuestion,
)
from messages.plan import SubAction, Subtask
from messages.world import Condition, RewardTerm
from nodes.llm.backend import Backend, Completion
from nodes.llm.llm import Llm
from nodes.llm.rulebook.rules import Book

PLANKS = Condition(kind="have", name="planks", quantity=4)
LOG = Condition(kind="have", name="log")
PLAN = [Subtask(name="log", success=LOG), Subtask(name="planks", success=PLANKS)]
IMPOSSIBLE = Subtask(name="x", success=Condition(kind="have", name="unobtainium"))
PLANS = [
    [IMPOSSIBLE, *PLAN],
    # Planks from nothing, and in a circle.
    [Subtask(name="two", success=msgspec.structs.replace(PLANKS, quantity=2)), *PLAN],
    [],
]
FIND = SubAction(name="find", method="code", success=Condition(kind="facing", name="wood"))
DIG = SubAction(name="dig", method="rl", success=LOG)
SPLITS = [
    [],
    [FIND, FIND, DIG],
    [SubAction(name="find", method="code", success=Condition(kind="facing", name="tree")), DIG],
]
PROGRAMS = {
    "loops": "def action(obs):\n    obs = noop()\n    while True:\n        pass\n",
    "allocates": "def action(obs):\n    obs, x = noop(), [0]\n    while True:\n        x = x + x\n",
    "throws": "def action(obs):\n    obs = noop()\n    x = 1 / (obs.steps - obs.steps)\n",
    "nonsense": "let me think about this",
    "yields nonsense": "def action(obs):\n    yield 5\n",
    "acts nonsense": "def action(obs):\n    turn('round')\n",
    "imports": "import os\n\n\ndef action(obs):\n    os.system('true')\n",
    "dunders": "def action(obs):\n    obs.__class__.__bases__[0].__subclasses__()\n",
}
SPEC = SpecAnswer(
    observations=["facing", "inventory"],
    actions=["forward", "jump"],
    macros=[MacroDraft(name="cut", source=Book().program("dig.py", LOG))],
    rewards=[RewardTerm(kind="success", weight=1.0)],
    horizon=200,
    targets=["wood"],
    budget=2000,
)
CODE = "def reward(before, after):\n    big = 1e9\n    return {}\n"
LARGE = " * ".join(["big"] * 40)


def _spec(**changes: Any) -> SpecAnswer:
    return msgspec.structs.replace(SPEC, **changes)


SPECS = [
    _spec(observations=["smell"]),
    _spec(rewards=[RewardTerm(kind="step", weight=1e300)]),
    _spec(targets=["unobtainium"], horizon=10**12, budget=10**12),
    _spec(macros=[MacroDraft(name="cut", source=PROGRAMS["imports"])]),
    _spec(rewards=[RewardTerm(kind="code", weight=1.0, source=CODE.format("__import__('os')"))]),
    # What may be trained on, and pays nothing: infinity, and no number.
    _spec(
        rewards=[
            *SPEC.rewards,
            RewardTerm(kind="code", weight=1.0, source=CODE.format(LARGE)),
            RewardTerm(kind="code", weight=1.0, source=CODE.format(f"{LARGE} - {LARGE}")),
            RewardTerm(kind="code", weight=1.0, source=CODE.format("'much'")),
        ]
    ),
]
NO_JSON = '{"thoughts": NaN, "subtasks": 1e999'


class Invalid:
    model = "invalid"
    varies = False

    def __init__(self) -> None:
        self._asked: dict[type[msgspec.Struct], int] = {}
        self._broken: set[type[msgspec.Struct]] = set()

    def complete(
        self,
        question: Question,
        prompt: list[ChatMessage],
        schema: dict[str, Any],
        repeats: int = 0,
    ) -> Completion:
        kind = type(question)
        if kind not in self._broken:
            self._broken.add(kind)
            return Completion(NO_JSON)
        number = self._asked.get(kind, 0)
        self._asked[kind] = number + 1
        return Completion(msgspec.json.encode(self._answer(question, number)).decode())

    def _answer(self, question: Question, number: int) -> msgspec.Struct:
        if isinstance(question, PlanQuestion):
            return PlanAnswer(subtasks=PLANS[number] if number < len(PLANS) else PLAN)
        if isinstance(question, DecomposeQuestion):
            if question.subtask.success == PLANKS:
                craft = SubAction(name="craft", method="code", success=PLANKS)
                return DecomposeAnswer(sub_actions=[craft])
            return DecomposeAnswer(
                sub_actions=SPLITS[number] if number < len(SPLITS) else [FIND, DIG]
            )
        if isinstance(question, ProgramQuestion):
            if question.sub_action.name == "craft":
                return ProgramAnswer(source=Book().program("craft.py", PLANKS))
            sources = [*PROGRAMS.values(), Book().program("walk_up_to.py", LOG)]
            return ProgramAnswer(source=sources[number])
        if isinstance(question, SpecQuestion):
            return SPECS[number]
        assert isinstance(question, JudgeQuestion)
        return JudgeAnswer(success=question.success_rate > 0.5, reason="It was counted.")


class InvalidLlm(Llm):
    def _backend(self) -> Backend:
        return Invalid()


if __name__ == "__main__":
    InvalidLlm.main()
