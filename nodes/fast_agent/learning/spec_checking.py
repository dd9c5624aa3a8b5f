"""Checks a training spec, its programs with the env server's help, and leaves out of it what it
cannot have."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from messages.chat import MacroDraft, SpecAnswer, SpecQuestion
from messages.program import CHECK, CheckProgram, Program
from messages.world import RewardTerm
from nodes.common.checks.spec_check import clonable, macro_problems, picture_problems, spec_problems
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.known_skills.inlining import clashes, with_skills
from nodes.fast_agent.learning.actions_taken import lacking, with_taken
from nodes.fast_agent.learning.single_steps import keeping_up, never_found
from worlds import card
from worlds.common.pictures import picture_shape

_NONE: Mapping[str, str] = {}


class SpecChecker:
    """Checks the answers to one question.

    Args:
        id: of the question. Its largest budget is remembered by it: after a restart the answers
            come again, and are to be judged as they were, whatever is set by then.
        skills: the sources of skills that programs may call.
        sources: those that a macro without a source may be, by name.
    """

    def __init__(
        self,
        agent: Agent,
        id: str,
        question: SpecQuestion,
        skills: Mapping[str, str] = _NONE,
        sources: Mapping[str, str] = _NONE,
    ) -> None:
        self._agent = agent
        self._question = question
        self._specs = card(question.task.game).specs
        self._skills = skills
        # What the sub-action's goal comes from: a block, a mob. A guard's is another matter.
        self._source = ""
        if question.guard is None:
            planning = card(question.task.game).planning
            self._source = planning.source(question.sub_action.success, question.task.inventory)
        self._sources = sources
        self._most_samples = agent.memory.first(f"{id}/most", agent.parameters.most_samples)

    def macros(self, answer: SpecAnswer) -> list[Program]:
        return [self._macro(draft) for draft in answer.macros]

    def problems(self, answer: SpecAnswer) -> list[str]:
        """Every problem at once, in sentences."""
        question = self._question
        problems = [*lacking(answer, question), *self._never_found(answer)]
        problems += spec_problems(
            answer,
            question.observations,
            question.actions,
            question.macros_allowed,
            self._most_samples,
            question.task.game,
            clonable(question),
        )
        if question.guard is not None:
            problems += picture_problems(answer.observations)
        for draft in answer.macros:
            problems += self._macro_problems(draft)
        for term in answer.rewards:
            problems += self._reward_problems(term)
        return problems

    def as_seen(self, answer: SpecAnswer) -> SpecAnswer:
        """The answer with the names that its targets and rewards are seen by. Where nothing is
        called so, a block's own name can mean no other one: ``wood`` for ``log``."""
        specs = self._specs

        def named(name: str, problem: Callable[[str], str]) -> str:
            return _first_right([name, specs.seen_name(name)], problem) or name

        targets = [named(name, specs.target_problem) for name in answer.targets]
        rewards = self._named(answer.rewards, lambda term: named(term.name, self._problem_of(term)))
        return msgspec.structs.replace(
            answer, targets=list(dict.fromkeys(targets)), rewards=rewards
        )

    def _problem_of(self, term: RewardTerm) -> Callable[[str], str]:
        """What is wrong with the term under another name."""
        return lambda name: self._specs.reward_problem(msgspec.structs.replace(term, name=name))

    def fixed(self, answer: SpecAnswer) -> tuple[SpecAnswer, list[str]]:
        """The answer without what it cannot have, and what is wrong with it then."""
        usable = self._without_mistakes(answer)
        problems = self.problems(usable)
        if not problems:
            wrong = " ".join(self.problems(answer))
            self._agent.log.warning("the spec is put right, of which this was wrong: %s", wrong)
        return usable, problems

    def _without_mistakes(self, answer: SpecAnswer) -> SpecAnswer:
        """The answer without macros and reward functions that cannot be played (a name that is
        taken, a number out of range, a program with a mistake), without programs to clone that do
        not exist, without a guard's pictures, and without targets and rewards that name nothing: a
        policy can be trained without them. It has the actions that its sub-action takes. A name
        that is right elsewhere is put right instead, and a bad copy of a program that was tried is
        that program. Where single steps never succeeded, macros repeat those that take many."""
        kept: list[MacroDraft] = []
        taken = set(self._question.actions)
        for draft in answer.macros if self._question.macros_allowed else []:
            if draft.name in self._sources and self._macro_problems(draft):
                # A bad copy of the program whose name it has.
                draft = msgspec.structs.replace(draft, source="")
            if not macro_problems(draft, taken) and not self._macro_problems(draft):
                kept.append(draft)
                taken.add(draft.name)
        if self._never_found(msgspec.structs.replace(answer, macros=kept)):
            kept += keeping_up(answer.actions, self._specs.kept_up, taken)
        known = clonable(self._question)
        clone = [name for name in answer.clone if name in known]
        observations = answer.observations
        if self._question.guard is not None:
            observations = [name for name in observations if picture_shape(name) is None]
        return msgspec.structs.replace(
            answer,
            actions=with_taken(msgspec.structs.replace(answer, macros=kept), self._question),
            macros=kept,
            clone=clone,
            observations=observations,
            targets=self._fixed_targets(answer),
            rewards=self._fixed_rewards(answer),
        )

    def _never_found(self, answer: SpecAnswer) -> list[str]:
        return never_found(answer, self._question, self._specs.kept_up, self._sources)

    def _fixed_targets(self, answer: SpecAnswer) -> list[str]:
        problem = self._specs.target_problem
        right = [_first_right(self._meant(name), problem) for name in answer.targets]
        return [name for name in dict.fromkeys(right) if name]

    def _fixed_rewards(self, answer: SpecAnswer) -> list[RewardTerm]:
        playable = [
            term
            for term in answer.rewards
            if term.kind != "code" or (term.source and not self._reward_problems(term))
        ]
        return self._named(
            playable, lambda term: _first_right(self._meant(term.name), self._problem_of(term))
        )

    def _named(
        self, rewards: Sequence[RewardTerm], name_of: Callable[[RewardTerm], str]
    ) -> list[RewardTerm]:
        """The rewards with these names, where their kind has names. Left out are those that get
        none, and those that get the name of another one: they would be paid twice."""
        specs = self._specs
        kept: list[RewardTerm] = []
        for term in rewards:
            if term.kind not in specs.rewards or term.kind in specs.nameless:
                kept.append(term)
                continue
            name = name_of(term)
            paid = [(each.kind, each.name) for each in (*rewards, *kept)]
            if name and (name == term.name or (term.kind, name) not in paid):
                kept.append(msgspec.structs.replace(term, name=name))
        return kept

    def _meant(self, name: str) -> list[str]:
        """What a name may mean that is as it is seen: itself, or else what the sub-action's goal
        comes from, as a policy that is told of nothing cannot go to it."""
        return [each for each in (name, self._source) if each]

    def _macro_problems(self, draft: MacroDraft) -> list[str]:
        macro = self._macro(draft)
        found = clashes(draft.source, self._skills)
        found += self._agent.call(CHECK, CheckProgram(program=macro)).problems
        return [f"Macro {macro.name!r}, line {each.line}: {each.message}" for each in found]

    def _reward_problems(self, term: RewardTerm) -> list[str]:
        if term.kind != "code":
            return []
        check = CheckProgram(program=Program(name="reward", source=term.source), kind="reward")
        return [
            f"Reward function, line {problem.line}: {problem.message}"
            for problem in self._agent.call(CHECK, check).problems
        ]

    def _macro(self, draft: MacroDraft) -> Program:
        """A draft without a source and with the name of a skill, or of a program that was tried,
        is that one."""
        if not draft.source.strip() and draft.name in self._sources:
            source = self._sources[draft.name]
        else:
            source = with_skills(draft.source, self._skills)
        interrupt = None
        if self._question.guard is None:
            interrupt = draft.interrupt and (self._agent.parameters.interrupt or draft.interrupt)
        return Program(
            name=draft.name,
            source=source,
            purpose=draft.purpose,
            max_steps=draft.max_steps,
            interrupt=interrupt,
        )


def _first_right(names: Iterable[str], problem: Callable[[str], str]) -> str:
    """The first name with which nothing is wrong; empty if there is none."""
    return next((name for name in names if not problem(name)), "")
