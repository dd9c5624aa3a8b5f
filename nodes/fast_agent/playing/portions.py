"""Plays as many of a play's episodes as the samples that are left are enough for.

What an episode will take is not known before, only what it may take. So those episodes are played
that fit in any case, and then, with what they left over, further ones: a play never takes more than
it may, and plays all its episodes if they are short.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from messages.plan import Stage
from messages.program import Program, ProgramReport
from messages.world import ChoiceUse, SeedRange, Task
from nodes.common.goals.guard_counts import together
from nodes.fast_agent.playing.stage_playing import Play, Played, Player


class OutOfSamples(Exception):
    """Not one episode fits; the message has the figures."""


def longest_episode(task: Task, stages: Sequence[Stage], prefix: Sequence[Program] = ()) -> int:
    """Primitive steps that one episode may take, those of a prefix counted."""
    steps = sum(
        task.horizon if stage.program is None else stage.program.max_steps for stage in stages
    )
    return sum(program.max_steps for program in prefix) + max(1, min(task.horizon, steps))


def next_portion(size: int, played: int, left: int | None, episode: int) -> int:
    """How many of the ``size`` episodes are played next."""
    return size - played if left is None else min(size - played, left // episode)


def rest_of(seeds: SeedRange, played: int) -> SeedRange:
    return SeedRange(first=seeds.first + played, count=seeds.count - played)


def portion_id(id: str, number: int) -> str:
    return id if number == 0 else f"{id}/more-{number}"


def play_what_fits(
    player: Player, id: str, play: Play, most: int | None, cancelled: Callable[[], bool]
) -> Played:
    """``most``: primitive steps that it may take; None: any.

    Raises:
        OutOfSamples: not one episode fits.
        RemoteError, GoalCancelled: as ``Player.play``.
    """
    size = player.remembered(f"{id}/size", play.size)
    episode = longest_episode(play.task, play.stages, play.prefix)
    portions: list[Played] = []
    played, left = 0, most
    while (fits := next_portion(size, played, left, episode)) > 0:
        portion = msgspec.structs.replace(
            play,
            size=fits,
            seeds=rest_of(play.seeds, played),
            record=play.record and not portions,
            pictures=None if portions else play.pictures,
        )
        portions.append(player.play(portion_id(id, len(portions)), portion, cancelled))
        played += fits
        left = None if left is None else left - portions[-1].steps
    if not portions:
        raise OutOfSamples(
            f"The samples are spent: an episode may take {episode:,}, and {max(0, most or 0):,} "
            "are left for it."
        )
    return portions[0] if len(portions) == 1 else _together(portions)


def _together(portions: Sequence[Played]) -> Played:
    """One play of all episodes of the ``portions``, renumbered consecutively."""
    first = portions[0]
    episodes = list(first.episodes)
    reports, every = list(first.reports), list(first.all_reports)
    for portion in portions[1:]:
        before = len(episodes)
        episodes += [
            msgspec.structs.replace(each, environment=before + each.environment)
            for each in portion.episodes
        ]
        for report in portion.reports:
            _add(reports, report, before)
        for report in portion.all_reports:
            _add(every, report, before)
    return Played(
        episodes=episodes,
        steps=sum(portion.steps for portion in portions),
        reports=sorted(reports, key=lambda report: -report.count),
        video=first.video,
        pictures=first.pictures,
        all_reports=every,
        held=[_sum(each) for each in zip(*(p.held for p in portions), strict=True)],
        lost=[sum(each) for each in zip(*(p.lost for p in portions), strict=True)],
        choices=added_up(portion.choices for portion in portions),
        mistakes=_added(portion.mistakes for portion in portions),
        guards=together(report for portion in portions for report in portion.guards),
    )


def added_up(uses: Iterable[Sequence[ChoiceUse]]) -> list[ChoiceUse]:
    """What was chosen in several plays, the most frequent first."""
    found: dict[str, ChoiceUse] = {}
    for use in (each for play in uses for each in play):
        known = found.get(use.name, ChoiceUse(name=use.name, times=0))
        found[use.name] = ChoiceUse(
            name=use.name,
            times=known.times + use.times,
            endings=_added((known.endings, use.endings)),
        )
    return sorted(found.values(), key=lambda use: -use.times)


def _added(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total.most_common())


def _sum(counts: Sequence[int | None]) -> int | None:
    """None where there is nothing to count."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _add(reports: list[ProgramReport], report: ProgramReport, before: int) -> None:
    """Count a report to the one that ended alike, if there is one; else it comes after those of the
    same program, so that the reports of several stages stay in their order."""
    rows = [before + row for row in report.environments]
    for number, known in enumerate(reports):
        if (known.program, known.status, known.line) == (
            report.program,
            report.status,
            report.line,
        ):
            reports[number] = msgspec.structs.replace(
                known,
                count=known.count + report.count,
                environments=[*known.environments, *rows],
            )
            return
    same = [number for number, known in enumerate(reports) if known.program == report.program]
    place = same[-1] + 1 if same else len(reports)
    reports.insert(place, msgspec.structs.replace(report, environments=rows))
