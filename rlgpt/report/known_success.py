"""What is known of a goal's success: its own rate, or, as long as there is none, that of the best
iteration, with words that say which."""

import msgspec

from messages.plan import Iteration
from rlgpt.report.account import Account
from rlgpt.report.summary import chosen_iteration
from rlgpt.report.words import cut_short, evaluated_in_words


class KnownSuccess(msgspec.Struct, frozen=True, kw_only=True):
    """``rate`` None: nothing was evaluated yet. ``of``: what it is the rate of. ``whole``: it is
    the goal's own. ``subtask``: whose iteration it is of; empty where it is of none."""

    rate: float | None
    of: str
    whole: bool
    subtask: str = ""


def known_success(report: Account) -> KnownSuccess:
    """The success of a goal or a training as far as it has come."""
    if (alone := report.trained) is not None:
        return _whole(alone.success_rate, "of the recent training episodes")
    if (performed := report.performance) is not None:
        played = f"of the whole goal, {len(performed.episodes)} unseen episodes"
        return _whole(performed.success_rate, played + cut_short(performed.cut))
    several = len(report.subtasks) > 1
    chosen = chosen_iteration(report)
    if not several and chosen is not None and chosen.episodes:
        counts = evaluated_in_words(chosen, report.task, "{} of {} unseen episodes")
        cut = cut_short(chosen.cut)
        of = f"{counts}, iteration {chosen.number}{cut}"
        return _whole(chosen.success_rate, of, chosen.subtask)
    over = report.whole is not None
    unperformed = "; the whole goal was never performed" if several and over else ""
    evaluated = [each for each in report.iterations if each.episodes]
    if not evaluated:
        of = f"no iteration was evaluated{unperformed}"
        return KnownSuccess(rate=None, of=of, whole=False)
    best = max(evaluated, key=_worth)
    which = f"{best.subtask}, iteration {best.number}" if several else f"iteration {best.number}"
    return KnownSuccess(
        rate=best.success_rate,
        of=f"best iteration{'' if over else ' so far'}: {which}{cut_short(best.cut)}{unperformed}",
        whole=False,
        subtask=best.subtask,
    )


def rate_in_words(rate: float | None, whole: bool) -> str:
    """The rate for a cell of a table: ``0.93``, ``0.83 (best iteration)``, ``-``."""
    if rate is None:
        return "-"
    return f"{rate:.2f}{'' if whole else ' (best iteration)'}"


def _whole(rate: float, of: str, subtask: str = "") -> KnownSuccess:
    return KnownSuccess(rate=rate, of=of, whole=True, subtask=subtask)


def _worth(turn: Iteration) -> tuple[float, bool, int]:
    return turn.success_rate, not turn.cut, turn.episodes
