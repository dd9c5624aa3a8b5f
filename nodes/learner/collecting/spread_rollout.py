"""A rollout of a batch that several env servers share: how many decisions each of them may make
without the others, and how it is asked for them."""

import msgspec

from messages.roll_out import RolledOut, RollOut
from messages.training import TrainingSpec
from nodes.learner.collecting.session import TrainingSession
from nodes.learner.collecting.spread_answers import one_after_another
from nodes.learner.spec_measures import decision_steps, longest_reset

MOST_STEPS = 20_000
"""Primitive steps that the decisions of one request may take in all environments, as a training can
only be ended between two requests. One decision may take more."""


class SureDecisions:
    """How many decisions of a rollout begin whatever those before them take.

    Args:
        spec: what is played.
        size: environments on all servers together.
    """

    def __init__(self, spec: TrainingSpec, size: int) -> None:
        self._decision = size * decision_steps(spec)
        self._with_reset = self._decision + size * longest_reset(spec.prefix, [])

    def of(self, request: RollOut) -> int:
        """At least one, of those that are asked for."""
        counts = [
            len(request.drawn),
            -(-request.samples // self._decision),
            MOST_STEPS // self._decision,
        ]
        if request.in_all is not None:
            counts.append(request.in_all // self._with_reset + 1)
        return max(1, min(counts))


def roll_out_share(
    session: TrainingSession, request: RollOut, rows: slice, decisions: int
) -> RolledOut:
    """The first ``decisions`` of a request for the whole batch, in the ``rows`` that this session
    plays. It is asked again while its answers have fewer. The request's limits are for all
    environments: as these decisions begin within them, they end none of this share.

    Raises:
        SessionLost: see `TrainingSession.step`.
    """
    drawn = request.drawn[:decisions, rows]
    asked = msgspec.structs.replace(request, drawn=drawn)
    answers = [session.roll_out(asked)]
    made = len(answers[0].choices)
    while made < decisions:
        asked = msgspec.structs.replace(asked, drawn=drawn[made:], actor=None)
        answers.append(session.roll_out(asked))
        made += len(answers[-1].choices)
    return one_after_another(answers)
