"""The fast agent's skills: looked up before a sub-action is implemented, kept when it worked.

What was looked up is remembered under the goal's id, so that a goal that is started again asks
and plays what it did before, whatever has come into the library meanwhile. The library is optional:
its failure in the middle of a run is reported, and the run continues without it.
"""

import hashlib
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from messages.bus import GoalHandle
from messages.chat import GuardNote, SkillNote
from messages.plan import Evaluate, Evaluated, Implemented, MakeGuard, Stage, Working
from messages.training import Policy, TrainingSpec
from messages.world import Condition, Guard, Task
from nodes.common.goals.goal_ids import slug
from nodes.common.goals.guard_counts import GOOD_SHARE, LEAST_TURNS, done, whole_turns
from nodes.common.running.commit import current_commit
from nodes.common.skills.skill_library import Library
from nodes.common.skills.skills import (
    Counts,
    Learned,
    LibraryError,
    Provenance,
    Skill,
    follows,
    guard_key,
    holds,
    skill_key,
)
from nodes.common.storage.node_memory import Memory
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.implementing import Implementing

MOST_NOTES = 4  # skills that the language model is shown
MOST_GUARD_NOTES = 2
_Kept = TypeVar("_Kept")


class LookedUp(msgspec.Struct, frozen=True, kw_only=True):
    """What the library had for a goal."""

    skill: Skill | None = None  # does the same from such a start
    notes: list[SkillNote] = []  # may be called
    sources: dict[str, str] = {}  # of those, by name


class GuardFound(msgspec.Struct, frozen=True, kw_only=True):
    """What the library had for a guard."""

    guard: Guard | None = None
    name: str = ""  # the skill's
    notes: list[GuardNote] = []  # others of the same game, as examples


class Skills:
    """``library`` is None where skills are off."""

    def __init__(
        self,
        library: Library | None,
        memory: Memory,
        run: Path,
        config: Mapping[str, Any],
        log: logging.Logger,
    ) -> None:
        self._library = library
        self._memory = memory
        self._run = run
        self._log = log
        self._reported: set[str] = set()  # about skills that are passed over, each of them once
        profile = config.get("llm") or {}
        self._model = str(profile.get("model") or profile.get("kind") or "")
        self._world = str((config.get("world") or {}).get("kind") or "")
        self._commit = current_commit() or "" if library is not None else ""

    def look_up(self, agent: Agent, goal: Implementing) -> LookedUp:
        """What fits the goal, as it was when the goal was first begun."""
        name = f"{goal.id}/skills"
        if (known := self._memory.find(name, LookedUp)) is not None:
            return known
        found = self._safely(lambda: self._search(agent, goal), LookedUp())
        return self._memory.keep(name, found)

    def look_up_guards(self, goal: GoalHandle[MakeGuard, Working]) -> GuardFound:
        """A guard of the proposal's name that worked, as it was when the goal was first begun."""
        name = f"{goal.id}/skills"
        if (known := self._memory.find(name, GuardFound)) is not None:
            return known
        found = self._safely(lambda: self._search_guards(goal.request), GuardFound())
        return self._memory.keep(name, found)

    def guarded(self, goal_id: str, request: Evaluate, evaluated: Evaluated) -> None:
        """Stages were evaluated with guards: those that did what they are for are kept, and those
        that are skills are counted."""
        library = self._library
        guards = {guard.name: guard for stage in request.stages for guard in stage.guards}
        seeds = [episode.seed for episode in evaluated.episodes]
        if library is None:
            return
        for report in evaluated.guards:
            turns = whole_turns(report)
            guard = guards.get(report.name)
            if guard is None or not turns:
                continue
            counts = Counts(
                successes=report.ended.get("over", 0), episodes=turns, samples=report.steps
            )
            what = f"guard {report.name}"
            copied = guard.policy.startswith("skill/")  # of the library already
            if turns >= LEAST_TURNS and done(report) >= GOOD_SHARE and not copied:
                learned = Learned(
                    purpose=guard.purpose,
                    method="code" if guard.program is not None else "rl",
                    condition=request.task.success,
                    start={},
                    before=[],
                    task=request.task,
                    provenance=self._provenance(goal_id),
                    guard=guard,
                )
                name = self._safely(
                    lambda what=what, guard=guard, learned=learned, counts=counts: library.add(
                        self._occasion(what, request.task, seeds, request.stages),
                        guard.name,
                        learned,
                        self._weights(guard),
                        counts,
                    ),
                    "",
                )
                if name:
                    self._log.info("%s: kept as the skill %s", goal_id, name)
            else:
                key = self._safely(lambda guard=guard: self._guard_key(guard), "")
                if key:
                    self._count(what, request.task, seeds, request.stages, key, counts)

    def policies(self, wanted: Condition, fits: Callable[[TrainingSpec], bool]) -> list[Policy]:
        """Policies of the library with its aim and an interface that fits, the best last."""
        return self._safely(lambda: self._policies(wanted, fits), [])

    def failed(
        self, goal: Implementing, skill: Skill, rate: float, seeds: list[int], steps: int
    ) -> None:
        """Record that a skill failed for a goal, in an episode on each of ``seeds``."""
        successes = round(rate * len(seeds))
        counts = Counts(successes=successes, episodes=len(seeds), samples=steps)
        self._count("tryout", goal.request.task, seeds, goal.request.before, skill.key, counts)

    def keep(self, goal: Implementing, implemented: Implemented, seeds: list[int]) -> None:
        """Add a goal's implementation to the library if its verdict is success, which is about an
        episode on each of ``seeds``."""
        library, stage, verdict = self._library, implemented.stage, implemented.line.verdict
        if library is None or stage is None or not verdict.success:
            return
        counts = Counts(
            successes=round(verdict.success_rate * len(seeds)),
            episodes=len(seeds),
            samples=implemented.samples.training + implemented.samples.trial,
        )
        name = self._safely(
            lambda: library.add(
                self._occasion("tryout", goal.request.task, seeds, goal.request.before),
                stage.sub_action.name,
                self._learned(goal, stage),
                self._checkpoint(stage),
                counts,
            ),
            "",
        )
        if name:
            self._log.info("%s: kept as the skill %s", goal.id, name)

    def evaluated(self, request: Evaluate, evaluated: Evaluated) -> None:
        """Stages were evaluated together: those that are skills are counted."""
        library = self._library
        if library is None:
            return
        seeds = [episode.seed for episode in evaluated.episodes]
        episodes = len(seeds)
        # By the critic's judgement where only pictures show it.
        successes = round(evaluated.success_rate * episodes)
        for index, stage in enumerate(request.stages):
            counts = Counts(used_successes=successes, used_episodes=episodes)
            last = index == len(request.stages) - 1
            if last and stage.sub_action.success == request.task.success:
                counts = msgspec.structs.replace(counts, successes=successes, episodes=episodes)
            key = self._safely(lambda stage=stage: self._key(stage), "")
            if key:
                what = f"evaluation {index}"
                self._count(what, request.task, seeds, request.stages, key, counts)

    # ---- inside

    def _search(self, agent: Agent, goal: Implementing) -> LookedUp:
        if self._library is None:
            return LookedUp()
        request, parameters = goal.request, agent.parameters
        fitting: list[Skill] = []
        for skill in self._readable(self._library):
            learned = skill.learned
            macros = learned.spec.interface.macros if learned.spec is not None else []
            if (
                learned.provenance.world == self._world
                and skill.counts.rate >= parameters.reuse_rate
                and learned.guard is None
                and holds(request.task.inventory, learned.start)
                and follows(learned, request.before)
                and (parameters.macros or not macros)
            ):
                fitting.append(skill)
        # The best first; names make the order one.
        fitting.sort(
            key=lambda s: (not s.learned.before, -s.counts.rate, -s.counts.episodes, s.name)
        )
        same = [
            skill
            for skill in fitting
            if skill.learned.condition == request.sub_action.success
            and skill.learned.method == request.sub_action.method
        ]
        programs = [skill for skill in fitting if skill.learned.program is not None][:MOST_NOTES]
        if not parameters.macros:
            programs = []
        return LookedUp(
            skill=next(filter(self._whole, same), None),
            notes=[
                SkillNote(
                    name=skill.name,
                    purpose=skill.learned.purpose[:160],
                    success=skill.learned.condition,
                    rate=round(skill.counts.rate, 2),
                )
                for skill in programs
            ],
            sources={s.name: s.learned.program.source for s in programs if s.learned.program},
        )

    def _guard_key(self, guard: Guard) -> str:
        """Of the skill that a guard is, whether it is in the library or not."""
        if guard.policy.startswith("skill/") and self._library is not None:
            skill = self._library.find(guard.policy.removeprefix("skill/"))
            return skill.key if skill is not None else ""
        return guard_key(self._world, guard, self._weights(guard))

    def _weights(self, guard: Guard) -> Path | None:
        return self._run / guard.checkpoint if guard.checkpoint else None

    def _search_guards(self, request: MakeGuard) -> GuardFound:
        if self._library is None:
            return GuardFound()
        known = [
            (skill, skill.learned.guard)
            for skill in self._readable(self._library)
            if skill.learned.guard is not None
            and skill.learned.method == request.proposal.method
            and skill.learned.provenance.world == self._world
            and skill.learned.task.game == request.task.game
            and skill.counts.rate >= GOOD_SHARE
        ]
        known.sort(key=lambda each: (-each[0].counts.rate, -each[0].counts.episodes, each[0].name))
        wanted = slug(request.proposal.name)
        same = (each for each in known if each[1].name == wanted and self._whole(each[0]))
        found = next(same, None)
        return GuardFound(
            guard=None if found is None else _playable(*found),
            name="" if found is None else found[0].name,
            notes=[
                GuardNote(
                    name=guard.name,
                    purpose=guard.purpose[:160],
                    when=guard.when,
                    source=guard.program.source if guard.program else "",
                    rate=round(skill.counts.rate, 2),
                )
                for skill, guard in known[:MOST_GUARD_NOTES]
            ],
        )

    def _policies(self, wanted: Condition, fits: Callable[[TrainingSpec], bool]) -> list[Policy]:
        if self._library is None:
            return []
        found: list[tuple[float, int, Policy]] = []
        for skill in self._readable(self._library):
            learned, condition = skill.learned, skill.learned.condition
            if (
                learned.spec is not None
                and learned.provenance.world == self._world
                and condition.aim == wanted.aim
                and fits(learned.spec)
                and self._whole(skill)
            ):
                assert skill.policy is not None
                found.append((skill.counts.rate, skill.counts.episodes, skill.policy))
        found.sort(key=lambda each: each[:2])
        return [policy for _, _, policy in found]

    def _whole(self, skill: Skill) -> bool:
        """Whether it can be used; the others can be all the same."""
        try:
            skill.check()
        except LibraryError as error:
            self._warn(f"{error}")
            return False
        return True

    def _readable(self, library: Library) -> list[Skill]:
        return library.readable(lambda problem: self._warn(f"{problem}; the others are used"))

    def _warn(self, problem: str) -> None:
        """A library is looked up for each sub-action."""
        if problem not in self._reported:
            self._reported.add(problem)
            self._log.warning("%s", problem)

    def _learned(self, goal: Implementing, stage: Stage) -> Learned:
        request = goal.request
        return Learned(
            purpose=stage.sub_action.description or stage.sub_action.name,
            method=stage.sub_action.method,
            condition=stage.sub_action.success,
            start=dict(request.task.inventory),
            before=[self._standing(stage) for stage in request.before],
            task=request.task,
            provenance=self._provenance(goal.id),
            program=stage.program,
            spec=stage.spec,
        )

    def _provenance(self, goal_id: str) -> Provenance:
        return Provenance(
            run=str(self._run),
            goal=goal_id,
            commit=self._commit,
            model=self._model,
            world=self._world,
        )

    def _standing(self, stage: Stage) -> Stage:
        """A stage as it can be played when the run is deleted: a policy by its copy in the
        library."""
        if stage.policy is None or stage.policy.id.startswith("skill/") or self._library is None:
            return stage
        key = self._key(stage)
        copy = next((skill for skill in self._readable(self._library) if skill.key == key), None)
        return stage if copy is None else copy.stage(stage.sub_action)

    def _key(self, stage: Stage) -> str:
        """Of the skill that a stage is, whether it is in the library or not."""
        policy = stage.policy
        if policy is not None and policy.id.startswith("skill/") and self._library is not None:
            skill = self._library.find(policy.id.removeprefix("skill/"))
            return skill.key if skill is not None else ""
        condition = stage.sub_action.success
        return skill_key(self._world, condition, stage.program, self._checkpoint(stage))

    def _checkpoint(self, stage: Stage) -> Path | None:
        return None if stage.policy is None else self._run / stage.policy.checkpoint

    def _occasion(self, what: str, task: Task, seeds: list[int], stages: list[Stage]) -> str:
        """Names the episodes that a skill is counted by: the same ones, played again by another run
        of the same seed, are no new evidence. ``stages``: those played, or those before it."""
        played = [(self._key(stage), stage.guards) for stage in stages]
        episodes = (what, self._world, task, seeds, played)
        return hashlib.sha256(msgspec.json.encode(episodes, order="sorted")).hexdigest()

    def _count(
        self,
        what: str,
        task: Task,
        seeds: list[int],
        stages: list[Stage],
        key: str,
        counts: Counts,
    ) -> None:
        library = self._library
        if library is not None:
            self._safely(
                lambda: library.count(self._occasion(what, task, seeds, stages), key, counts), None
            )

    def _safely(self, ask: Callable[[], _Kept], otherwise: _Kept) -> _Kept:
        try:
            return ask()
        except (LibraryError, OSError) as error:
            self._log.warning("the run goes on without its skills here: %s", error)
            return otherwise


def _playable(skill: Skill, guard: Guard) -> Guard:
    """A guard of the library; its policy is the library's copy."""
    policy = skill.policy
    if policy is None:
        return guard
    return msgspec.structs.replace(guard, policy=policy.id, checkpoint=policy.checkpoint)
