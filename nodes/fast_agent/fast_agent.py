"""The fast agent node: the inner loop (implement one sub-action), evaluations, performances."""

import os
from pathlib import Path

from messages.bus import GoalHandle, RemoteError
from messages.plan import (
    EVALUATE,
    IMPLEMENT,
    MAKE_GUARD,
    PERFORM,
    WORKING,
    Evaluate,
    Evaluated,
    GuardMade,
    Implemented,
    MakeGuard,
    Performed,
    Stage,
    Working,
)
from messages.program import ProgramReport
from messages.world import JUDGED
from models.outcomes import FAULTS
from nodes.common.goals.session_ends import worth_a_retry
from nodes.common.skills.skill_library import Library
from nodes.common.skills.skills import LibraryError
from nodes.common.storage.whole_files import UnusableFile
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.code_branch import implement_by_code
from nodes.fast_agent.guard_making.guard_branch import make_guard
from nodes.fast_agent.implementing import BestAttempt, Implementing, SubActionWork
from nodes.fast_agent.judging import failed, judge_whole
from nodes.fast_agent.known_skills.run_skills import RunSkills
from nodes.fast_agent.known_skills.skill_branch import implement_by_skill
from nodes.fast_agent.known_skills.skill_keeping import SkillKeeping
from nodes.fast_agent.known_skills.skill_lookup import SkillLookup
from nodes.fast_agent.learning.further_training import train_further
from nodes.fast_agent.learning.rl_branch import implement_by_rl
from nodes.fast_agent.learning.warm_starts import WarmStarts
from nodes.fast_agent.playing.performing import Performing, perform
from nodes.fast_agent.playing.portions import OutOfSamples, play_what_fits
from nodes.fast_agent.playing.seeds import evaluation_seeds
from nodes.fast_agent.playing.stage_playing import Play, Played
from nodes.fast_agent.tried_programs import TriedPrograms
from nodes.fast_agent.work import GuardWork


def _explaining(played: Played, stages: list[Stage]) -> list[ProgramReport]:
    """Reports by which episodes that failed are explained: where a policy came last, that an
    earlier program came to its end explains nothing."""
    if stages and stages[-1].program is not None:
        return played.all_reports
    return [report for report in played.all_reports if report.status in FAULTS]


class FastAgent(Agent):
    """Implements sub-actions, evaluates what was implemented, performs goals."""

    def setup(self) -> None:
        super().setup()
        skills = RunSkills(self._library(), self.run, self.config, self.log)
        self.lookup = SkillLookup(skills, self.memory)
        self.keeping = SkillKeeping(skills)
        self.starts = WarmStarts(self.lookup, self.memory)
        self.tried = TriedPrograms(self.memory)
        self.advertise(WORKING)
        self.serve_action(IMPLEMENT, self.implement)
        self.serve_action(MAKE_GUARD, self.make_guard)
        self.serve_action(EVALUATE, self.evaluate)
        self.serve_action(PERFORM, self.perform)

    def implement(self, goal: Implementing) -> Implemented:
        work = SubActionWork(self, goal)
        try:
            outcome = self._implement(work)
        except OutOfSamples as reason:
            outcome = BestAttempt(failed(str(reason)), attempts=1)
        except RemoteError as error:
            # Failures that the sub-action did not cause are raised; the goal resumes once they are
            # fixed.
            if worth_a_retry(error):
                raise
            # One sub-action that cannot be implemented is a verdict like any other, and what was
            # spent on it is counted.
            self.log.error("%s could not be implemented: %s", goal.id, error)
            outcome = BestAttempt(failed(f"It could not be implemented: {error}"), attempts=1)
        implemented = outcome.implemented(work)
        if self.parameters.critic:  # else it is not known whether it worked
            self.keeping.keep(goal, implemented, outcome.seeds)
        verdict = implemented.line.verdict
        word = "succeeded" if verdict.success else "failed"
        rate = f"{verdict.success_rate:.2f}" if verdict.episodes else "not judged"
        self.log.info("%s %s (%s): %s", goal.id, word, rate, verdict.reason)
        return implemented

    def _implement(self, work: SubActionWork) -> BestAttempt:
        """By the policy that is trained further, by a skill where one does it, else by the
        sub-action's method."""
        if (more := work.request.further) is not None:
            return train_further(work, more, self.starts)
        looked_up = self.lookup.for_sub_action(self, work.goal)
        if looked_up.skill is not None:
            known = implement_by_skill(work, self.keeping, looked_up.skill)
            if known is not None and known.verdict.success:
                return known
        if work.request.sub_action.method == "code":
            return implement_by_code(work, self.tried, looked_up)
        return implement_by_rl(work, self.starts, self.tried, looked_up)

    def make_guard(self, goal: GoalHandle[MakeGuard, Working]) -> GuardMade:
        made = make_guard(GuardWork(self, goal), self.lookup)
        line = made.line
        self.log.info("%s %s", goal.id, "was made" if line.made else f"was not made: {line.reason}")
        return made

    def evaluate(self, goal: GoalHandle[Evaluate, Working]) -> Evaluated:
        request = goal.request
        stages = len(request.stages)
        self.working(goal, f"evaluating {stages} {'stage' if stages == 1 else 'stages'}")
        play = Play(
            task=request.task,
            size=self.parameters.evaluation_episodes,
            seeds=evaluation_seeds(self.seed),
            stages=request.stages,
            record=request.record,
            pictures=self.pictures if request.task.success.kind == JUDGED else None,
            persist=self.parameters.persist,
            look=True,
        )
        id = f"{goal.id}/episodes"
        try:
            played = play_what_fits(self.player, id, play, request.samples, lambda: goal.withdrawn)
        except OutOfSamples as reason:
            self.log.warning("%s: %s", goal.id, reason)
            return Evaluated(success_rate=0.0, episodes=[], steps=0, cut=True)
        successes = sum(episode.success for episode in played.episodes)
        rate = successes / len(played.episodes) if played.episodes else 0.0
        if request.task.success.kind == JUDGED:
            rate = judge_whole(self, goal.id, request, played).success_rate
        self.log.info("%s: %d of %d episodes", goal.id, successes, len(played.episodes))
        evaluated = Evaluated(
            success_rate=rate,
            episodes=played.episodes,
            steps=played.steps,
            video=played.video,
            reports=_explaining(played, request.stages),
            held=played.held,
            lost=played.lost,
            cut=len(played.episodes) < self.player.remembered(f"{id}/size", play.size),
            guards=played.guards,
        )
        self.keeping.count_evaluation(request, evaluated)
        self.keeping.keep_guards(goal.id, request, evaluated)
        return evaluated

    def _library(self) -> Library | None:
        folder = self.parameters.skills
        if folder is None:
            return None
        try:
            return Library(self.run / Path(os.path.expanduser(folder)))
        except LibraryError as error:
            raise UnusableFile(
                f"{error}; or go without: nodes.fast_agent.parameters.skills=null"
            ) from error

    def perform(self, goal: Performing) -> Performed:
        performed = perform(self, goal)
        self.log.info("%s: performed with success %.2f", goal.id, performed.success_rate)
        return performed
