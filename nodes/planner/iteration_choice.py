"""Which iteration is chosen for a subtask of a plan, and which performance was the better one."""

from collections.abc import Collection

from messages.plan import Iteration, Performed, SubtaskReport
from nodes.common.goals.budget import LEAST_EPISODES

WORTH = 0.01
"""The least time that a quicker iteration saves, as a share of the task's horizon. For less, no
performance is played."""


def chosen_iteration(
    achieved: SubtaskReport, iterations: list[Iteration], set_aside: Collection[int] = ()
) -> Iteration | None:
    """The iteration that plays a subtask in a plan of several: the one that achieved it, else
    the one that succeeded most often in its last tryout and its evaluation together. Here an
    evaluation may choose, as performances measure the goal again, on seeds of their own. Iterations
    that never worked in their evaluation, or that validations did worse with, give way."""
    chosen = next((each for each in iterations if each.number == achieved.chosen), None)
    if chosen is None or (achieved.success and chosen.number not in set_aside):
        return chosen
    worked = [i for i in iterations if i.success_rate > 0 and i.number not in set_aside]
    return max(worked, key=_evidence, default=chosen)


def _evidence(iteration: Iteration) -> tuple[bool, float, int]:
    """Whether it was played often enough to displace another one, how often it succeeded, and on a
    tie the later one."""
    tried = iteration.tryout_episodes
    episodes = tried + iteration.episodes
    successes = iteration.tried_out * tried + iteration.success_rate * iteration.episodes
    return episodes >= LEAST_EPISODES, successes / episodes, iteration.number


def quicker(
    chosen: Iteration, iterations: list[Iteration], set_aside: Collection[int], horizon: int
) -> Iteration | None:
    """The iteration that takes the fewest steps for a success in its evaluation, if that saves
    something against the chosen one. All evaluations of a subtask have the same starts."""
    worked = [i for i in iterations if i.success_rate > 0 and i.number not in set_aside]
    least = min(worked, key=steps_for_a_success, default=chosen)
    saved = steps_for_a_success(chosen) - steps_for_a_success(least)
    return least if saved >= WORTH * horizon else None


def steps_for_a_success(iteration: Iteration) -> float:
    """Primitive steps of its evaluation, those of episodes that failed too, for each success."""
    return iteration.samples.evaluation / (iteration.success_rate * iteration.episodes)


def lost_to_time(performance: Performed) -> bool:
    """Whether at least half of the episodes that it lost had used up their steps."""
    lost = [each for each in performance.episodes if not each.success]
    return 2 * sum(each.ended == "horizon" for each in lost) >= len(lost) > 0


def merit(performance: Performed) -> tuple[float, int]:
    """How well it went: how often it reached the goal, then how far its episodes came."""
    return performance.success_rate, sum(performance.milestones.values())
