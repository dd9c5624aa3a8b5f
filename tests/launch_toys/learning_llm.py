"""The llm node with a rulebook that also uses rl for an intermediate item: logs are found by code
and dug by a policy, which needs hardly any training."""

from typing import Any

import msgspec

from messages.chat import (
    ChatMessage,
    DecomposeAnswer,
    DecomposeQuestion,
    MacroDraft,
    ProgramAnswer,
    ProgramQuestion,
    Question,
    SpecAnswer,
    SpecQuestion,
)
from messages.plan import SubAction
from messages.world import Condition, RewardTerm
from nodes.llm.backend import Backend, Completion
from nodes.llm.llm import Llm
from nodes.llm.rulebook.rulebook_backend import RulebookBackend
from nodes.llm.rulebook.rules import Book

LOG = Condition(kind="have", name="log")
FIND = SubAction(name="find a tree", method="code", success=Condition(kind="facing", name="wood"))
DIG = SubAction(name="dig", method="rl", success=LOG)


class Learning(RulebookBackend):
    def complete(
        self,
        question: Question,
        prompt: list[ChatMessage],
        schema: dict[str, Any],
        repeats: int = 0,
    ) -> Completion:
        answer = self._own(question)
        if answer is None:
            return super().complete(question, prompt, schema)
        return Completion(msgspec.json.encode(answer).decode())

    def _own(self, question: Question) -> msgspec.Struct | None:
        if isinstance(question, DecomposeQuestion) and question.subtask.success == LOG:
            return DecomposeAnswer(sub_actions=[FIND, DIG])
        if isinstance(question, ProgramQuestion) and question.sub_action == FIND:
            stock = ["walk_up_to.py", "walk_up_to_patiently.py"]
            file = stock[min(len(question.attempts), 1)]
            return ProgramAnswer(source=Book().program(file, LOG))
        if isinstance(question, SpecQuestion) and question.sub_action == DIG:
            return SpecAnswer(
                observations=["facing", "inventory"],
                actions=["forward", "jump"],
                macros=[MacroDraft(name="cut", source=Book().program("dig.py", LOG))],
                rewards=[RewardTerm(kind="success", weight=1.0)],
                horizon=200,
                targets=["wood"],
                budget=100_000,
            )
        return None


class LearningLlm(Llm):
    def _backend(self) -> Backend:
        return Learning()


if __name__ == "__main__":
    LearningLlm.main()
