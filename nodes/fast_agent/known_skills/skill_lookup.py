"""Looks up the library's skills before a sub-action, a guard or a policy is made.

What was looked up is remembered under the goal's id, so that a goal that is started again asks
and plays what it did before, whatever has come into the library meanwhile.
"""

from collections.abc import Callable, Collection

import msgspec

from messages.bus import GoalHandle
from messages.chat import GuardNote, SkillNote
from messages.plan import MakeGuard, Working
from messages.training import Policy, TrainingSpec
from messages.world import Condition, Guard, Interface
from nodes.common.goals.goal_ids import slug
from nodes.common.goals.guard_counts import GOOD_SHARE
from nodes.common.skills.skills import Skill, follows, holds
from nodes.common.storage.node_memory import Memory
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.implementing import Implementing
from nodes.fast_agent.known_skills.run_skills import RunSkills

MOST_NOTES = 4  # skills that the language model is shown
MOST_GUARD_NOTES = 2


class LookedUp(msgspec.Struct, frozen=True, kw_only=True):
    """What the library had for a goal."""

    skill: Skill | None = None  # does the same from such a start
    notes: list[SkillNote] = []  # may be called
    sources: dict[str, str] = {}  # of those, by name

    def without(self, names: Collection[str]) -> "LookedUp":
        """Without the skills to be called by names that mean something else."""
        return msgspec.structs.replace(
            self,
            notes=[note for note in self.notes if note.name not in names],
            sources={name: text for name, text in self.sources.items() if name not in names},
        )


class GuardFound(msgspec.Struct, frozen=True, kw_only=True):
    """What the library had for a guard."""

    guard: Guard | None = None
    name: str = ""  # the skill's
    notes: list[GuardNote] = []  # others of the same game, as examples


class SkillLookup:
    def __init__(self, skills: RunSkills, memory: Memory) -> None:
        self._skills = skills
        self._memory = memory

    def for_sub_action(self, agent: Agent, goal: Implementing) -> LookedUp:
        """What fits the goal, as it was when the goal was first begun."""
        name = f"{goal.id}/skills"
        if (known := self._memory.find(name, LookedUp)) is not None:
            return known
        found = LookedUp()
        with self._skills.forgiving():
            found = self._search(agent, goal)
        return self._memory.keep(name, found)

    def for_guard(self, agent: Agent, goal: GoalHandle[MakeGuard, Working]) -> GuardFound:
        """A guard of the proposal's name that worked, as it was when the goal was first begun."""
        name = f"{goal.id}/skills"
        if (known := self._memory.find(name, GuardFound)) is not None:
            return known
        found = GuardFound()
        with self._skills.forgiving():
            found = self._search_guards(agent.parameters, goal.request)
        return self._memory.keep(name, found)

    def policies(self, wanted: Condition, fits: Callable[[TrainingSpec], bool]) -> list[Policy]:
        """Policies of the library with its aim and an interface that fits, the best last."""
        with self._skills.forgiving():
            return self._search_policies(wanted, fits)
        return []

    # ---- inside

    def _search(self, agent: Agent, goal: Implementing) -> LookedUp:
        request, parameters = goal.request, agent.parameters
        fitting: list[Skill] = []
        for skill in self._skills.readable():
            learned = skill.learned
            if (
                learned.provenance.world == self._skills.world
                and learned.task.game == request.task.game
                and skill.counts.rate >= parameters.reuse_rate
                and learned.guard is None
                and holds(request.task.inventory, learned.start)
                and follows(learned, request.before)
                and (learned.spec is None or _fits(parameters, learned.spec.interface))
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
            skill=next(filter(self._skills.is_whole, same), None),
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

    def _search_guards(self, parameters: Agent.Parameters, request: MakeGuard) -> GuardFound:
        known = [
            (skill, guard)
            for skill in self._skills.readable()
            if (guard := skill.learned.guard) is not None
            and (guard.interface is None or _allowed(parameters, guard.interface))
            and skill.learned.method == request.proposal.method
            and skill.learned.provenance.world == self._skills.world
            and skill.learned.task.game == request.task.game
            and skill.counts.rate >= GOOD_SHARE
        ]
        known.sort(key=lambda each: (-each[0].counts.rate, -each[0].counts.episodes, each[0].name))
        wanted = slug(request.proposal.name)
        same = (each for each in known if each[1].name == wanted and self._skills.is_whole(each[0]))
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

    def _search_policies(
        self, wanted: Condition, fits: Callable[[TrainingSpec], bool]
    ) -> list[Policy]:
        found: list[tuple[float, int, Policy]] = []
        for skill in self._skills.readable():
            learned, condition = skill.learned, skill.learned.condition
            if (
                learned.spec is not None
                and learned.provenance.world == self._skills.world
                and condition.aim == wanted.aim
                and fits(learned.spec)
                and self._skills.is_whole(skill)
            ):
                assert skill.policy is not None
                found.append((skill.counts.rate, skill.counts.episodes, skill.policy))
        found.sort(key=lambda each: each[:2])
        return [policy for _, _, policy in found]


def _fits(parameters: Agent.Parameters, interface: Interface) -> bool:
    """Whether policies of this run may see, do and have crafted what one of this interface does."""
    return parameters.autocraft == interface.autocraft and _allowed(parameters, interface)


def _allowed(parameters: Agent.Parameters, interface: Interface) -> bool:
    """Whether policies of this run, and learned guards, may see and do what one of this interface
    does."""
    sees = parameters.observations in (None, tuple(interface.observations))
    return sees and (parameters.macros or not interface.macros)


def _playable(skill: Skill, guard: Guard) -> Guard:
    """A guard of the library; its policy is the library's copy."""
    policy = skill.policy
    if policy is None:
        return guard
    return msgspec.structs.replace(guard, policy=policy.id, checkpoint=policy.checkpoint)
