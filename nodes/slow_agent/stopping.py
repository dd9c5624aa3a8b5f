"""When the outer loop stops, and which of its iterations is kept then."""

import msgspec

from messages.plan import Further, Iteration, Limits
from messages.training import TrainingSpec
from nodes.common.goals.budget import LEAST_EPISODES, counted


def spent(iterations: list[Iteration]) -> int:
    """Primitive steps of all iterations, whatever they were spent on."""
    return sum(iteration.samples.total for iteration in iterations)


def stop_reason(
    iterations: list[Iteration], limits: Limits, least: int, again: int, known: int = 0
) -> str | None:
    """Why to stop after the last of these iterations; None: go on. ``least``: samples below which
    none is begun; ``again``: below which no further one is. ``known``: how many of them there were
    before, whose samples are counted already and after which a performance fell short."""
    samples = spent(iterations[known:])
    if not iterations:
        return None if limits.samples >= least else _too_few(samples, limits, least)
    last, goes_on = iterations[-1], len(iterations) == known
    if not goes_on and reached(last, limits):
        return reached_in_words(last, limits)
    if limits.samples - samples < again:
        return _too_few(samples, limits, again)
    if counted(iterations) >= limits.iterations:
        return f"The iterations are spent: {limits.iterations}."
    if not goes_on and any(_tried(earlier) == _tried(last) for earlier in iterations[:-1]):
        return (
            f"Dead loop: iteration {last.number} tried what an earlier one had tried, "
            "and with the same verdicts."
        )
    return None


def further(
    iterations: list[Iteration], limits: Limits, again: int, known: int = 0
) -> Further | None:
    """What to train further where the loop stopped short of the rate and samples are left for
    another iteration (``again``): the policy that the best iteration ends with, if it
    succeeded at all. Only the last stage, as its tryout alone is of all stages. None: nothing."""
    new = iterations[known:]
    best = chosen(iterations, limits)
    if not new or best is None or reached(best, limits) or any(each.further for each in new):
        return None
    if limits.samples - spent(new) < again or len(best.stages) < len(best.lines):
        return None
    line, stage = best.lines[-1], best.stages[-1]
    if stage.policy is None or stage.spec is None or line.learning is None:
        return None
    # Without a critic no tryout is counted.
    worked = line.verdict.episodes > 0 and best.tried_out > 0
    return Further(stage=stage, learning=line.learning) if worked else None


def _too_few(samples: int, limits: Limits, least: int) -> str:
    return (
        f"{limits.samples - samples:,} of the {limits.samples:,} samples of this subtask are left, "
        f"and an iteration needs at least {least:,}."
    )


def reached(iteration: Iteration, limits: Limits) -> bool:
    """Whether this iteration achieved the subtask. Episodes of its evaluation that there were no
    samples for might have failed."""
    whole = iteration.episodes > 0 and not iteration.cut
    return whole and iteration.success_rate >= limits.success_rate


def reached_in_words(iteration: Iteration, limits: Limits) -> str:
    return (
        f"The success rate is {iteration.success_rate:.2f} "
        f"(wanted: {limits.success_rate:.2f}) after iteration {iteration.number}."
    )


def chosen(iterations: list[Iteration], limits: Limits) -> Iteration | None:
    """The iteration whose stages are the result of the loop: the last where it achieved the
    subtask, else the one that did best in its tryouts, if those were of enough episodes; on a tie,
    the one that came further in them, then the later one. Evaluations never choose among iterations
    that missed the rate: a rate that selects no longer measures. None where no iteration has all
    its stages."""
    whole = [each for each in iterations if each.episodes > 0]
    if whole and reached(whole[-1], limits):
        return whole[-1]
    return max(whole, key=_merit, default=None)


def _merit(iteration: Iteration) -> tuple[bool, float, float, int]:
    """A rate of a few episodes, where samples were not enough for more, displaces no better one."""
    enough = iteration.tryout_episodes >= LEAST_EPISODES
    return enough, iteration.tried_out, iteration.progress, iteration.number


def _tried(iteration: Iteration) -> list[object]:
    """What was tried, and its outcome. The rate is left out: it varies by chance. A policy that is
    trained further is another one than before."""
    guards = [
        (guard.when, guard.program.source if guard.program else guard.policy)
        for guard in (iteration.stages[0].guards if iteration.stages else [])
    ]
    programs = {stage.sub_action.name: stage.program for stage in iteration.stages}
    made = {each.sub_action.name for each in iteration.stages if each.program or each.policy}
    specs = {stage.sub_action.name: _unlimited(stage.spec) for stage in iteration.stages}
    return [
        guards,
        *(
            (
                line.sub_action.name,
                line.sub_action.method,
                line.sub_action.success,
                sorted(line.macros),
                program.source if (program := programs.get(line.sub_action.name)) else "",
                specs.get(line.sub_action.name),
                line.verdict.success,
                # Where nothing could be played, only the verdict has the reason.
                "" if line.sub_action.name in made else line.verdict.reason,
            )
            for line in iteration.lines
        ),
    ]


def _unlimited(spec: TrainingSpec | None) -> TrainingSpec | None:
    """The spec without what the samples that are left decide."""
    return spec and msgspec.structs.replace(spec, budget=0, most=None, grows_to=None)
