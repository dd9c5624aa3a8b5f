"""The skill library as a run uses it, if the run has one.

The library is optional: its failure in the middle of a run is reported, and the run continues
without it.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from messages.plan import Stage
from messages.world import Guard
from nodes.common.running.commit import current_commit
from nodes.common.skills.skill_library import Library
from nodes.common.skills.skills import LibraryError, Provenance, Skill, guard_key, skill_key

_COPY = "skill/"
"""How the id of a policy begins that is the library's copy; the skill's name follows."""


class RunSkills:
    """
    Args:
        library: None where skills are off.
        run: the run folder.
        config: the run's.
        log: the node's.

    Attributes:
        world: the kind of world that is played in: skills of another one are of no use.
    """

    def __init__(
        self, library: Library | None, run: Path, config: Mapping[str, Any], log: logging.Logger
    ) -> None:
        self.library = library
        self.log = log
        self._run = run
        self._reported: set[str] = set()  # about skills that are passed over, each of them once
        profile = config.get("llm") or {}
        self._model = str(profile.get("model") or profile.get("kind") or "")
        self.world = str((config.get("world") or {}).get("kind") or "")
        self._commit = current_commit() or "" if library is not None else ""

    @contextmanager
    def forgiving(self) -> Iterator[None]:
        """Where the library fails within this, that is reported, and the run goes on after it."""
        try:
            yield
        except (LibraryError, OSError) as error:
            self.log.warning("the run goes on without its skills here: %s", error)

    def readable(self) -> list[Skill]:
        """Every skill that can be read, by name; none where skills are off."""
        if self.library is None:
            return []
        return self.library.readable(lambda problem: self._warn(f"{problem}; the others are used"))

    def is_whole(self, skill: Skill) -> bool:
        """Whether it can be used; the others can be all the same."""
        try:
            skill.check()
        except LibraryError as error:
            self._warn(f"{error}")
            return False
        return True

    def key(self, stage: Stage) -> str:
        """Of the skill that a stage is, whether it is in the library or not."""
        if stage.policy is not None and (copied := self._copied(stage.policy.id)) is not None:
            return copied
        condition = stage.sub_action.success
        return skill_key(self.world, condition, stage.program, self.checkpoint(stage))

    def guard_key(self, guard: Guard) -> str:
        """Of the skill that a guard is, whether it is in the library or not."""
        if (copied := self._copied(guard.policy)) is not None:
            return copied
        return guard_key(self.world, guard, self.guard_checkpoint(guard))

    def checkpoint(self, stage: Stage) -> Path | None:
        """The file with the weights of a stage's policy."""
        return None if stage.policy is None else self._run / stage.policy.checkpoint

    def guard_checkpoint(self, guard: Guard) -> Path | None:
        """The file with the weights of a guard's policy."""
        return self._run / guard.checkpoint if guard.checkpoint else None

    def provenance(self, goal_id: str) -> Provenance:
        """Where a skill comes from that this goal implemented."""
        return Provenance(
            run=str(self._run),
            goal=goal_id,
            commit=self._commit,
            model=self._model,
            world=self.world,
        )

    def _copied(self, policy: str) -> str | None:
        """The key of the skill whose copy a policy is: empty where it was removed; None: the policy
        is no copy."""
        if self.library is None or not is_copy(policy):
            return None
        skill = self.library.find(policy.removeprefix(_COPY))
        return "" if skill is None else skill.key

    def _warn(self, problem: str) -> None:
        """A library is looked up for each sub-action."""
        if problem not in self._reported:
            self._reported.add(problem)
            self.log.warning("%s", problem)


def is_copy(policy: str) -> bool:
    """Whether the policy of this id is the library's copy, which is a skill already."""
    return policy.startswith(_COPY)
