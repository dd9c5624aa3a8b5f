"""The critic node: one line per sub-action. The numbers decide, the language model explains."""

from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from messages.bounds import Share
from messages.bus import ServiceError
from messages.chat import (
    JudgeAnswer,
    JudgeQuestion,
    LookAnswer,
    LookQuestion,
    PictureNote,
    digest,
)
from messages.verdict import JUDGE, Evidence, Verdict
from messages.world import JUDGED, Picture
from models.outcomes import (
    count_in_words,
    outcome_in_words,
    progress,
    succeeded,
    success_rate,
    too_few_in_words,
)
from nodes.common.checks.task_check import condition_problem
from nodes.common.parameters.vision import (
    StrictPictures,
    check_that_the_model_sees,
    pictures_for_the_critic,
)
from nodes.common.questions.asking import NoAnswer, ask, render
from nodes.config import ConfigError
from nodes.critic.chosen_pictures import choose
from nodes.node import Node


class Critic(Node):
    """Judges how an attempt at a sub-action went, and says what to change."""

    name = "critic"

    class Parameters(Node.Parameters, kw_only=True, forbid_unknown_fields=True):
        # In place of the rate that the evidence asks for.
        required_rate: Share | None = None
        vision: bool = False  # show the language model pictures of some of the episodes?
        pictures: StrictPictures = StrictPictures()  # that tryouts bring, if it is to see any
        most_pictures: Annotated[int, msgspec.Meta(ge=2)] = 12  # in one question

    parameters: Parameters
    live = frozenset({"required_rate", "most_pictures"})

    def setup(self) -> None:
        if self.parameters.vision:
            check_that_the_model_sees(self.config)
            pictures_for_the_critic(self.config)  # refuses what cannot be taken
        self.check_parameters(self.parameters)
        self.serve(JUDGE, self.judge, background=True)

    def check_parameters(self, wanted: Any) -> None:
        each = wanted.pictures.each
        if wanted.vision and wanted.most_pictures < each:
            raise ConfigError(
                f"nodes.critic.parameters.most_pictures is {wanted.most_pictures}: an episode has "
                f"{each} pictures (pictures.each), and is shown whole or not at all"
            )

    def judge(self, evidence: Evidence) -> Verdict:
        if problem := condition_problem(evidence.success, evidence.game):
            raise ServiceError(f"evidence.{problem}", code="invalid")
        if self.parameters.required_rate is not None:
            evidence = msgspec.structs.replace(
                evidence, required_rate=self.parameters.required_rate
            )
        if evidence.success.kind == JUDGED:
            return self._judge_by_sight(evidence)
        rate = success_rate(evidence)
        success = succeeded(evidence, rate)
        if rate == 1:
            # There is nothing to explain, also where the episodes are too few to count.
            return Verdict(
                success=success,
                success_rate=rate,
                reason=outcome_in_words(evidence),
                episodes=len(evidence.episodes),
                progress=1.0,
            )
        try:
            answer = self._ask(evidence, rate, self._chosen(evidence))
        except NoAnswer:
            answer = JudgeAnswer(success=success, reason=outcome_in_words(evidence))
        if answer.success != success:
            # A judgement is grounded in what was counted; the text may explain, not overrule.
            self.log.info("%s: the numbers overrule the answer", evidence.id)
            answer = msgspec.structs.replace(
                answer, reason=f"{count_in_words(evidence)} {answer.reason}".strip()
            )
        return Verdict(
            success=success,
            success_rate=rate,
            reason=_one_line(answer.reason),
            suggestion=_one_line(answer.suggestion),
            episodes=len(evidence.episodes),
            progress=progress(evidence),
        )

    def _judge_by_sight(self, evidence: Evidence) -> Verdict:
        """Where nothing was counted: what the language model sees decides, of all episodes that it
        is shown at once."""
        shown = self._chosen(evidence)
        if not shown:
            why = "there were none" if self.parameters.vision else "the critic is shown none"
            reason = f"Only pictures can show whether it was done, and {why}."
            return Verdict(success=False, success_rate=0.0, reason=reason)
        try:
            answer = self._ask(evidence, 0.0, shown)
        except NoAnswer as error:
            return Verdict(success=False, success_rate=0.0, reason=_one_line(error.message))
        rate = float(answer.success)
        return Verdict(
            success=succeeded(evidence, rate),
            success_rate=rate,
            reason=f"{_one_line(answer.reason)} {too_few_in_words(evidence)}".strip(),
            suggestion=_one_line(answer.suggestion),
            episodes=len({picture.environment for picture in shown}),
        )

    def _chosen(self, evidence: Evidence) -> list[Picture]:
        """The pictures that the language model is shown: none where it is not to see any."""
        return choose(evidence, self.parameters.most_pictures) if self.parameters.vision else []

    def _ask(
        self, evidence: Evidence, rate: float, shown: list[Picture]
    ) -> JudgeAnswer | LookAnswer:
        """The language model's verdict, from the pictures too if any are ``shown``."""
        # The question is written into the transcript: there, pictures are named and not repeated.
        bare = msgspec.structs.replace(evidence, pictures=[])
        if not shown:
            judging = JudgeQuestion(evidence=bare, success_rate=rate)
            return _without_the_example(judging, ask(self, evidence.id, judging, JudgeAnswer))
        notes = [
            PictureNote(
                environment=picture.environment, step=picture.step, digest=digest(picture.png)
            )
            for picture in shown
        ]
        question = LookQuestion(evidence=bare, success_rate=rate, pictures=notes)
        files = [picture.png for picture in shown]
        answer = ask(self, evidence.id, question, LookAnswer, pictures=files)
        return _without_the_example(question, answer)


_Seen = TypeVar("_Seen", JudgeAnswer, LookAnswer)


_FEWEST_WORDS = 4
"""The fewest words of a text that is taken from the prompt if it stands there: fewer may be there
by chance."""


def _without_the_example(question: JudgeQuestion | LookQuestion, answer: _Seen) -> _Seen:
    """Without what it repeats of the prompt, as small models do of its example: that is about other
    episodes, and the fast agent would follow the advice."""
    system, _ = render(Path(__file__).parent / "prompts", question)
    prompt = _one_line(system.content).lower()
    reason, suggestion = (
        "" if _repeats(text, prompt) else text for text in (answer.reason, answer.suggestion)
    )
    if not reason:
        reason = _without_a_reason(question.evidence, answer.success)
    return msgspec.structs.replace(answer, reason=reason, suggestion=suggestion)


def _without_a_reason(evidence: Evidence, success: bool) -> str:
    """What is known where the language model gave no reason of its own."""
    if evidence.success.kind == JUDGED:  # nothing was counted
        return f"The pictures {'show' if success else 'do not show'} it done."
    return outcome_in_words(evidence)


def _repeats(text: str, prompt: str) -> bool:
    words = text.lower().strip(" .").split()
    return len(words) >= _FEWEST_WORDS and " ".join(words) in prompt


def _one_line(text: str) -> str:
    return " ".join(text.split())
