"""The critic node: one line per sub-action. The numbers decide, the language model explains."""

import msgspec

from messages.bus import RemoteError
from messages.chat import JudgeAnswer, JudgeQuestion
from messages.verdict import JUDGE, Evidence, Verdict
from nodes.asking import ask
from nodes.critic.conditions import success_rate
from nodes.node import Node


class Critic(Node):
    name = "critic"

    class Parameters(Node.Parameters, kw_only=True, forbid_unknown_fields=True):
        required_rate: float | None = None  # in place of the rate that the evidence asks for

    parameters: Parameters
    live = frozenset({"required_rate"})

    def setup(self) -> None:
        self.serve(JUDGE, self.judge, background=True)

    def judge(self, evidence: Evidence) -> Verdict:
        if self.parameters.required_rate is not None:
            evidence = msgspec.structs.replace(
                evidence, required_rate=self.parameters.required_rate
            )
        rate = success_rate(evidence.success, evidence.episodes)
        success = bool(evidence.episodes) and rate >= evidence.required_rate
        question = JudgeQuestion(evidence=evidence, success_rate=rate)
        try:
            answer = ask(self, evidence.id, question, JudgeAnswer)
        except RemoteError as error:
            if error.code != "no_answer":
                raise
            answer = JudgeAnswer(success=success, reason=_counted(evidence, rate))
        if answer.success != success:
            # A judgement is grounded in what was counted; the text may explain, not overrule.
            self.log.info("%s: the numbers overrule the answer", evidence.id)
            answer = msgspec.structs.replace(
                answer, reason=f"{_counted(evidence, rate)} {answer.reason}".strip()
            )
        return Verdict(
            success=success,
            success_rate=rate,
            reason=_one_line(answer.reason),
            suggestion=_one_line(answer.suggestion),
        )


def _counted(evidence: Evidence, rate: float) -> str:
    count = len(evidence.episodes)
    return f"It worked in {round(rate * count)} of {count} episodes."


def _one_line(text: str) -> str:
    return " ".join(text.split())
