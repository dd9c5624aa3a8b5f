"""Keeps what worked in the library, and counts how its skills do in tryouts and evaluations."""

import hashlib
from pathlib import Path
from typing import NamedTuple

import msgspec

from messages.plan import Evaluate, Evaluated, Implemented, Stage
from messages.world import Guard, GuardReport, Task
from nodes.common.goals.guard_counts import GOOD_SHARE, LEAST_TURNS, done, whole_turns
from nodes.common.skills.skills import Counts, Learned, Skill
from nodes.fast_agent.implementing import Implementing
from nodes.fast_agent.known_skills.run_skills import RunSkills, is_copy


class _Occasion(NamedTuple):
    """The episodes that a skill is counted by."""

    what: str
    task: Task
    seeds: list[int]
    stages: list[Stage]  # those played, or those before it


class SkillKeeping:
    def __init__(self, skills: RunSkills) -> None:
        self._skills = skills

    def keep(self, goal: Implementing, implemented: Implemented, seeds: list[int]) -> None:
        """Add a goal's implementation to the library if its verdict is success, which is about an
        episode on each of ``seeds``."""
        stage, verdict = implemented.stage, implemented.line.verdict
        if self._skills.library is None or stage is None or not verdict.success:
            return
        counts = Counts(
            successes=round(verdict.success_rate * len(seeds)),
            episodes=len(seeds),
            samples=implemented.samples.training + implemented.samples.trial,
        )
        with self._skills.forgiving():
            learned = self._learned(goal, stage)
            occasion = _Occasion("tryout", goal.request.task, seeds, goal.request.before)
            checkpoint = self._skills.checkpoint(stage)
            self._add(occasion, stage.sub_action.name, learned, checkpoint, counts)

    def count_failure(
        self, goal: Implementing, skill: Skill, rate: float, seeds: list[int], steps: int
    ) -> None:
        """A skill failed for a goal, in an episode on each of ``seeds``."""
        counts = Counts(successes=round(rate * len(seeds)), episodes=len(seeds), samples=steps)
        occasion = _Occasion("tryout", goal.request.task, seeds, goal.request.before)
        with self._skills.forgiving():
            self._count(occasion, skill.key, counts)

    def count_evaluation(self, request: Evaluate, evaluated: Evaluated) -> None:
        """Stages were evaluated together: those that are skills are counted."""
        if self._skills.library is None:
            return
        seeds = [episode.seed for episode in evaluated.episodes]
        episodes = len(seeds)
        # By the critic's judgement where only pictures show it.
        successes = round(evaluated.success_rate * episodes)
        for index, stage in enumerate(request.stages):
            if stage.left_out:
                continue
            counts = Counts(used_successes=successes, used_episodes=episodes)
            last = index == len(request.stages) - 1
            if last and stage.sub_action.success == request.task.success:
                counts = msgspec.structs.replace(counts, successes=successes, episodes=episodes)
            occasion = _Occasion(f"evaluation {index}", request.task, seeds, request.stages)
            with self._skills.forgiving():
                self._count(occasion, self._skills.key(stage), counts)

    def keep_guards(self, goal_id: str, request: Evaluate, evaluated: Evaluated) -> None:
        """Stages were evaluated with guards: those that did what they are for are kept, and those
        that are skills are counted."""
        if self._skills.library is None:
            return
        guards = {guard.name: guard for stage in request.stages for guard in stage.guards}
        seeds = [episode.seed for episode in evaluated.episodes]
        for report in evaluated.guards:
            guard = guards.get(report.name)
            if guard is not None and whole_turns(report):
                occasion = _Occasion(f"guard {report.name}", request.task, seeds, request.stages)
                with self._skills.forgiving():
                    self._keep_guard(goal_id, guard, report, occasion)

    # ---- inside

    def _keep_guard(
        self, goal_id: str, guard: Guard, report: GuardReport, occasion: _Occasion
    ) -> None:
        turns = whole_turns(report)
        counts = Counts(successes=report.ended.get("over", 0), episodes=turns, samples=report.steps)
        if turns < LEAST_TURNS or done(report) < GOOD_SHARE or is_copy(guard.policy):
            self._count(occasion, self._skills.guard_key(guard), counts)
            return
        learned = Learned(
            purpose=guard.purpose,
            method="code" if guard.program is not None else "rl",
            condition=occasion.task.success,
            start={},
            before=[],
            task=occasion.task,
            provenance=self._skills.provenance(goal_id),
            guard=guard,
        )
        checkpoint = self._skills.guard_checkpoint(guard)
        self._add(occasion, guard.name, learned, checkpoint, counts)

    def _learned(self, goal: Implementing, stage: Stage) -> Learned:
        request = goal.request
        return Learned(
            purpose=stage.sub_action.description or stage.sub_action.name,
            method=stage.sub_action.method,
            condition=stage.sub_action.success,
            start=dict(request.task.inventory),
            before=[self._lasting(each) for each in request.before],
            task=request.task,
            provenance=self._skills.provenance(goal.id),
            program=stage.program,
            spec=stage.spec,
        )

    def _lasting(self, stage: Stage) -> Stage:
        """A stage as it can be played when the run is deleted: a policy by its copy in the
        library."""
        if stage.policy is None or is_copy(stage.policy.id):
            return stage
        key = self._skills.key(stage)
        copy = next((skill for skill in self._skills.readable() if skill.key == key), None)
        return stage if copy is None else copy.stage(stage.sub_action)

    def _add(
        self, occasion: _Occasion, name: str, learned: Learned, weights: Path | None, counts: Counts
    ) -> None:
        if (library := self._skills.library) is not None:
            kept = library.add(self._id_of(occasion), name, learned, weights, counts)
            self._skills.log.info("%s: kept as the skill %s", learned.provenance.goal, kept)

    def _count(self, occasion: _Occasion, key: str, counts: Counts) -> None:
        """Count for the skill of this ``key``, if the library has it."""
        if (library := self._skills.library) is not None and key:
            library.count(self._id_of(occasion), key, counts)

    def _id_of(self, occasion: _Occasion) -> str:
        """The same episodes, played again by another run of the same seed, are no new evidence."""
        what, task, seeds, stages = occasion
        played = [(self._skills.key(stage), stage.guards) for stage in stages]
        episodes = (what, self._skills.world, task, seeds, played)
        return hashlib.sha256(msgspec.json.encode(episodes, order="sorted")).hexdigest()
