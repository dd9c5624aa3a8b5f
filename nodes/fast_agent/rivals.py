"""What was made for a sub-action, against the best program that was tried for it before: the better
of the two is kept."""

from collections.abc import Sequence

import msgspec

from messages.plan import Stage
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.implementing import BestAttempt, SubActionWork
from nodes.fast_agent.playing.portions import OutOfSamples
from nodes.fast_agent.tried_programs import TriedProgram, best_of


def rival_of(work: SubActionWork, tried: Sequence[TriedProgram]) -> TriedProgram | None:
    """The best of the ``tried`` programs that was to do the sub-action. None: there is none that
    ever succeeded, or nothing is compared."""
    return best_of(tried, work.request.sub_action.success) if compares(work.agent) else None


def compares(agent: Agent) -> bool:
    """Whether what was made is compared: without a critic no tryout has a rate."""
    return agent.parameters.better_of and agent.parameters.critic


def compare(
    work: SubActionWork, rival: TriedProgram, outcome: BestAttempt, tryout: int | None
) -> None:
    """Try the rival out on the starts of ``tryout``, in which the ``outcome`` was; None: nothing
    could be tried, so the rival is kept. Else the better one is kept; on a tie, the quicker one.
    Where a policy was to be learned and the program is kept, that is no success."""
    learned = work.request.sub_action.method == "rl"
    own, other = ("policy", "program") if learned else ("new one", "earlier one")
    work.report(f"trying the program {rival.name!r} where the {own} was tried")
    request = work.request
    stage = Stage(sub_action=request.sub_action, program=rival.program, guards=request.guards)
    made, episodes, pace = outcome.verdict, outcome.episodes, outcome.pace
    try:
        played = work.try_out("program", stage, work.spent.left, seeds_of=tryout)
    except OutOfSamples as reason:
        work.agent.log.info("%s: the program %s is not tried: %s", work.goal.id, rival.name, reason)
        return
    count = len(played.episodes)
    if tryout is not None and count != episodes:
        # Of other episodes than the other's: where samples ran out, one of them had fewer.
        return
    verdict = work.judge("program", stage, played)
    kept = other if outcome.offer(stage, verdict, played) else own
    worked = f"the program {rival.name} worked in {round(verdict.success_rate * count)}"
    if tryout is None:
        compared = f"{made.reason} The program {rival.name} of before is kept: {verdict.reason}"
    else:
        compared = (
            f"{outcome.verdict.reason} On the same starts {worked} and the {own} in "
            f"{round(made.success_rate * episodes)} of {count} episodes: the {kept} is kept."
        )
        if verdict.success_rate == made.success_rate:
            compared += (
                f" The program {rival.name} took {played.steps / count:.0f} steps an episode, "
                f"the {own} {pace:.0f}."
            )
    success = outcome.verdict.success and not (learned and kept == other)
    outcome.verdict = msgspec.structs.replace(outcome.verdict, success=success, reason=compared)
