"""What both branches of the inner loop share: tryouts, verdicts, the outcome."""

from dataclasses import dataclass, field

import msgspec

from messages.bus import GoalHandle
from messages.plan import Evaluate, Implement, Implemented, Line, Samples, Stage, Working
from messages.training import Learning
from messages.verdict import JUDGE, Evidence, Verdict
from messages.world import GuardReport
from models.outcomes import FAULTS, run_in_words
from nodes.common.goals.budget import LEAST_EPISODES
from nodes.common.goals.guard_counts import together
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.playing.portions import longest_episode, play_what_fits
from nodes.fast_agent.playing.seeds import trial_seeds
from nodes.fast_agent.playing.stage_playing import Play, Played, leading_programs

Implementing = GoalHandle[Implement, Working]


@dataclass
class SpentSteps:
    """Primitive steps that this goal has cost so far, of ``limit`` that it may; None: any."""

    limit: int | None = None
    training: int = 0
    trial: int = 0
    guards: list[GuardReport] = field(default_factory=list)  # what they did in its tryouts

    def tried(self, played: Played) -> None:
        """Count a tryout."""
        self.trial += played.steps
        self.guards = together([*self.guards, *played.guards])

    @property
    def left(self) -> int | None:
        return None if self.limit is None else max(0, self.limit - self.training - self.trial)

    def samples(self) -> Samples:
        return Samples(training=self.training, trial=self.trial)


@dataclass
class BestAttempt:
    """The best of the attempts so far, and its verdict.

    Attributes:
        seeds: of the episodes of the tryout that the verdict is about.
        pace: mean primitive steps of its episodes, what runs before it included.
        skill: the name of the skill that it is, if it is one.
    """

    verdict: Verdict = field(
        default_factory=lambda: Verdict(
            success=False, success_rate=0.0, reason="No attempt could run."
        )
    )
    stage: Stage | None = None
    macros: list[str] = field(default_factory=list)
    attempts: int = 0
    seeds: list[int] = field(default_factory=list[int])
    pace: float = 0.0
    skill: str = ""
    learning: Learning | None = None

    @property
    def episodes(self) -> int:
        """Of the tryout that the verdict is about, however many one has by now."""
        return len(self.seeds)

    def offer(
        self,
        stage: Stage,
        verdict: Verdict,
        macros: list[str],
        played: Played,
        learning: Learning | None = None,
    ) -> bool:
        """Keep this attempt if its tryout is better than the best so far, or equal in fewer steps.
        Returns whether it was kept."""
        seeds = [episode.seed for episode in played.episodes]
        pace = played.steps / max(1, len(seeds))
        better = self.stage is None or _merit(verdict, pace) > _merit(self.verdict, self.pace)
        if better:
            self.stage, self.verdict, self.macros = stage, verdict, macros
            # A training's outcome is also reported where a program is chosen instead of its policy.
            self.seeds, self.pace, self.learning = seeds, pace, learning or self.learning
        return better

    def implemented(self, goal: Implementing, spent: SpentSteps) -> Implemented:
        line = Line(
            sub_action=goal.request.sub_action,
            attempts=self.attempts,
            verdict=self.verdict,
            macros=self.macros,
            skill=self.skill,
            learning=self.learning,
        )
        return Implemented(
            stage=self.stage, line=line, samples=spent.samples(), guards=spent.guards
        )


def _merit(verdict: Verdict, pace: float) -> tuple[float, float, float]:
    # Among attempts that never succeeded, fewer steps are no advantage.
    return verdict.success_rate, verdict.progress, -pace if verdict.success_rate > 0 else 0.0


def failed(reason: str) -> Verdict:
    return Verdict(success=False, success_rate=0.0, reason=reason)


def try_out(
    agent: Agent,
    goal: Implementing,
    number: int | str,
    stage: Stage,
    most: int | None,
    seeds_of: int | str | None = None,
    reused: bool = False,
) -> Played:
    """Play the stage on seeds of its own, or on those of the goal's tryout ``seeds_of``, after what
    runs before it, in at most so many primitive steps. ``reused``: it is a skill.

    Raises:
        OutOfSamples: not one episode fits.
    """
    play = _tryout(agent, goal, stage)
    id = f"{goal.id}/trial-{number}"
    whose = id if seeds_of is None else f"{goal.id}/trial-{seeds_of}"
    seeds = (agent.reuses if reused else agent.tryouts).seeds(whose, play.size)
    # As many as there were, if another number was set since.
    play = msgspec.structs.replace(play, seeds=seeds, size=seeds.count)
    return play_what_fits(agent.player, id, play, most, lambda: goal.withdrawn)


def longest_tryout(agent: Agent, goal: Implementing, stage: Stage) -> tuple[int, int]:
    """Primitive steps that one episode of a tryout, and all of them, may take."""
    play = _tryout(agent, goal, stage)
    episode = longest_episode(play.task, play.stages, play.prefix)
    return episode, episode * play.size


def least_episodes(agent: Agent) -> int:
    """The fewest episodes of a tryout whose rate counts."""
    return min(LEAST_EPISODES, agent.parameters.trial_episodes)


def _tryout(agent: Agent, goal: Implementing, stage: Stage) -> Play:
    before = goal.request.before
    prefix = leading_programs(before)
    # What a reset cannot run (a policy, and all after it) is played as stages.
    played_before = [] if len(prefix) == len(before) else before
    return Play(
        task=goal.request.task,
        size=agent.parameters.trial_episodes,
        seeds=trial_seeds(agent.seed),
        stages=[*played_before, stage],
        prefix=[] if played_before else prefix,
        guards=goal.request.guards,
        pictures=agent.pictures,
        persist=agent.parameters.persist,
    )


def unjudged(played: Played) -> Verdict:
    """The verdict on a tryout without a critic: whether a program of it failed. Whether the
    sub-action was done is not checked."""
    wrong = next((each for each in played.reports if each.status in FAULTS), None)
    if wrong is not None:
        runs = sum(each.count for each in played.reports)
        how = run_in_words(wrong.status, wrong.line, wrong.error)
        return failed(f"In {wrong.count} of {runs} runs the program {how}.")
    return Verdict(success=True, success_rate=1.0, reason="It ran; it was not judged.")


def judge(
    agent: Agent,
    goal: Implementing,
    number: int | str,
    played: Played,
    macros: list[str],
    learning: Learning | None = None,
) -> Verdict:
    """Ask the critic what it makes of a tryout."""
    if not agent.parameters.critic:
        return unjudged(played)
    sub_action = goal.request.sub_action
    return _verdict(
        agent,
        Evidence(
            id=f"{goal.id}/judge-{number}",
            sub_action=sub_action.name,
            description=sub_action.description,
            method=sub_action.method,
            success=sub_action.success,
            required_rate=agent.parameters.required_rate,
            episodes=played.episodes,
            least_episodes=least_episodes(agent),
            reports=played.reports,
            macros=macros,
            learning=learning,
            game=goal.request.task.game,
            pictures=played.pictures,
        ),
    )


def judge_whole(agent: Agent, id: str, evaluated: Evaluate, played: Played) -> Verdict:
    """Ask the critic whether an evaluation's pictures show the whole task done."""
    task = evaluated.task
    return _verdict(
        agent,
        Evidence(
            id=f"{id}/judge",
            sub_action=task.prompt,
            description=task.prompt,
            method=evaluated.stages[-1].sub_action.method,
            success=task.success,
            required_rate=agent.parameters.required_rate,
            episodes=played.episodes,
            reports=played.reports,
            game=task.game,
            pictures=played.pictures,
        ),
    )


def _verdict(agent: Agent, evidence: Evidence) -> Verdict:
    """Remembered, so that a goal that begins again goes on from the same verdict: the required rate
    may be another one by then, and a question that had no answer may have one."""
    if (known := agent.memory.find(evidence.id, Verdict)) is not None:
        return known
    return agent.memory.keep(evidence.id, agent.call(JUDGE, evidence))
