"""What all ways to implement a sub-action share: tryouts with their verdicts, and the best of
them."""

from dataclasses import dataclass, field

import msgspec

from messages.bus import GoalHandle
from messages.plan import Implement, Implemented, Line, Stage, Working
from messages.training import Learning
from messages.verdict import Evidence, Verdict
from nodes.common.goals.budget import LEAST_EPISODES
from nodes.fast_agent.judging import failed, judge, unjudged
from nodes.fast_agent.playing.portions import longest_episode
from nodes.fast_agent.playing.seeds import trial_seeds
from nodes.fast_agent.playing.stage_playing import Play, Played, leading_programs
from nodes.fast_agent.work import Work

Implementing = GoalHandle[Implement, Working]


class SubActionWork(Work[Implement]):
    """A sub-action to be implemented."""

    @property
    def least_episodes(self) -> int:
        """The fewest episodes of a tryout whose rate counts."""
        return min(LEAST_EPISODES, self.agent.parameters.trial_episodes)

    def try_out(
        self,
        name: int | str,
        stage: Stage,
        most: int | None,
        seeds_of: int | str | None = None,
        reused: bool = False,
    ) -> Played:
        """Play the stage on seeds of its own, or on those of the goal's tryout ``seeds_of``, after
        what runs before it, in at most so many primitive steps. ``reused``: it is a skill.

        Raises:
            OutOfSamples: not one episode fits.
            RemoteError, GoalCancelled: as ``Player.play``.
        """
        play = self._tryout(stage)
        id = f"{self.goal.id}/trial-{name}"
        whose = id if seeds_of is None else f"{self.goal.id}/trial-{seeds_of}"
        seeds = (self.agent.reuses if reused else self.agent.tryouts).seeds(whose, play.size)
        # As many as there were, if another number was set since.
        play = msgspec.structs.replace(play, seeds=seeds, size=seeds.count)
        return self.play(id, play, most)

    def longest_tryout(self, stage: Stage) -> tuple[int, int]:
        """Primitive steps that one episode of a tryout, and all of them, may take."""
        play = self._tryout(stage)
        episode = longest_episode(play.task, play.stages, play.prefix)
        return episode, episode * play.size

    def judge(
        self, name: int | str, stage: Stage, played: Played, learning: Learning | None = None
    ) -> Verdict:
        """Ask the critic what it makes of a tryout."""
        agent = self.agent
        if not agent.parameters.critic:
            return unjudged(played)
        sub_action = self.request.sub_action
        return judge(
            agent,
            Evidence(
                id=f"{self.goal.id}/judge-{name}",
                sub_action=sub_action.name,
                description=sub_action.description,
                method=sub_action.method,
                success=sub_action.success,
                required_rate=agent.parameters.required_rate,
                episodes=played.episodes,
                least_episodes=self.least_episodes,
                reports=played.reports,
                macros=_macros(stage),
                learning=learning,
                game=self.request.task.game,
                pictures=played.pictures,
            ),
        )

    def _tryout(self, stage: Stage) -> Play:
        before, parameters = self.request.before, self.agent.parameters
        prefix = leading_programs(before)
        # What a reset cannot run (a policy, and all after it) is played as stages.
        played_before = [] if len(prefix) == len(before) else before
        return Play(
            task=self.request.task,
            size=parameters.trial_episodes,
            seeds=trial_seeds(self.agent.seed),
            stages=[*played_before, stage],
            prefix=[] if played_before else prefix,
            guards=self.request.guards,
            pictures=self.agent.pictures,
            persist=parameters.persist,
        )


@dataclass
class BestAttempt:
    """The best of the attempts so far, and its verdict.

    Attributes:
        seeds: of the episodes of the tryout that the verdict is about.
        pace: mean primitive steps of its episodes, what runs before it included.
        skill: the name of the skill that it is, if it is one.
        none_left: all episodes of the tryout were over, so that nothing can follow.
    """

    verdict: Verdict = field(default_factory=lambda: failed("No attempt could run."))
    stage: Stage | None = None
    attempts: int = 0
    seeds: list[int] = field(default_factory=list[int])
    pace: float = 0.0
    skill: str = ""
    learning: Learning | None = None
    none_left: bool = False

    @property
    def episodes(self) -> int:
        """Of the tryout that the verdict is about, however many one has by now."""
        return len(self.seeds)

    def offer(
        self, stage: Stage, verdict: Verdict, played: Played, learning: Learning | None = None
    ) -> bool:
        """Keep this attempt if its tryout is better than the best so far, or equal in fewer steps.
        Returns whether it was kept."""
        seeds = [episode.seed for episode in played.episodes]
        pace = played.steps / max(1, len(seeds))
        better = self.stage is None or _merit(verdict, pace) > _merit(self.verdict, self.pace)
        if better:
            self.stage, self.verdict = stage, verdict
            # A training's outcome is also reported where a program is chosen instead of its policy.
            self.seeds, self.pace, self.learning = seeds, pace, learning or self.learning
            over = [each.ended in ("horizon", "death") for each in played.episodes]
            self.none_left = bool(over) and all(over)
        return better

    def does_better_than(self, other: "BestAttempt") -> bool:
        """By their tryouts, be they of other episodes; equal in fewer steps is better."""
        if self.stage is None or other.stage is None:
            return self.stage is not None
        return _merit(self.verdict, self.pace) > _merit(other.verdict, other.pace)

    def implemented(self, work: SubActionWork) -> Implemented:
        """The reply to the goal, as far as it has come."""
        request = work.request
        last = request.sub_action.success == request.task.success
        line = Line(
            sub_action=request.sub_action,
            attempts=self.attempts,
            verdict=self.verdict,
            macros=_macros(self.stage),
            skill=self.skill,
            learning=self.learning,
            none_left=self.none_left and not last,
        )
        spent = work.spent
        return Implemented(
            stage=self.stage, line=line, samples=spent.samples(), guards=spent.guards
        )


def _macros(stage: Stage | None) -> list[str]:
    """The names of the coded actions that a policy may choose."""
    spec = None if stage is None else stage.spec
    return [] if spec is None else [macro.name for macro in spec.interface.macros]


def _merit(verdict: Verdict, pace: float) -> tuple[float, float, float]:
    # Among attempts that never succeeded, fewer steps are no advantage.
    return verdict.success_rate, verdict.progress, -pace if verdict.success_rate > 0 else 0.0
