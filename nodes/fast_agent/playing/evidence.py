"""Summarises a training and its policy's tryout for the critic and the next spec question."""

from messages.training import Learning, Trained
from nodes.fast_agent.playing.stage_playing import Played

MOST_POINTS = 8


def learning_of(trained: Trained, played: Played | None = None) -> Learning:
    """``played``: the policy's tryout; a guard's has none of its own."""
    return Learning(
        samples=trained.samples,
        curve=_points(trained.curve),
        returns=_points(trained.returns),
        stopped=trained.reason,
        choices=played.choices if played is not None else [],
        mistakes=played.mistakes if played is not None else {},
        demonstrated=trained.demonstrated,
        clone_kl=trained.clone_kl,
        clone_fade=trained.clone_fade,
        tryouts=trained.tryouts,
        best=trained.best,
    )


def _points(curve: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """A few of its points, evenly spaced, first and last among them."""
    if len(curve) <= MOST_POINTS:
        return curve
    last = len(curve) - 1
    return [curve[round(last * part / (MOST_POINTS - 1))] for part in range(MOST_POINTS)]
