"""Skills: coded actions and policies that worked, with their aim and their start.

`nodes/common/skills/skill_library.py` keeps them.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from messages.plan import Method, Stage, SubAction
from messages.program import Program
from messages.training import Policy, TrainingSpec
from messages.world import Condition, Guard, Task

CHECKPOINT = "checkpoint.pt"
"""The name of the file in a skill's folder, where it is a policy."""


class LibraryError(Exception):
    """The library, or a skill of it, cannot be used; the text is one sentence."""


class Provenance(msgspec.Struct, frozen=True, kw_only=True):
    """Where a skill came from."""

    run: str  # the run folder
    goal: str  # id of the goal that implemented it
    commit: str = ""  # of this project's checkout
    model: str = ""  # the language model's profile
    world: str = ""  # the world's kind


class Learned(msgspec.Struct, frozen=True, kw_only=True):
    """What is fixed about a skill. Of a guard ``condition`` is the aim of the sub-actions that it
    interrupted, and its own is in ``guard``."""

    purpose: str
    method: Method
    condition: Condition  # its aim
    start: dict[str, int]  # items that it starts with, at least
    before: list[Stage]  # the stages before it when it was learned
    task: Task
    provenance: Provenance
    program: Program | None = None
    spec: TrainingSpec | None = None  # of a policy
    guard: Guard | None = None


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """A skill's results. Tryouts count by its own condition; ``used`` counts episodes of
    evaluations that it was a part of, and how many of them reached the task's success. Of a guard
    each turn that was not cut short counts, and succeeded if its condition no longer held after
    it."""

    successes: int = 0
    episodes: int = 0
    used_successes: int = 0
    used_episodes: int = 0
    samples: int = 0  # primitive steps that it took to learn it and to try it out

    @property
    def rate(self) -> float:
        return self.successes / self.episodes if self.episodes else 0.0


class Skill(msgspec.Struct, frozen=True, kw_only=True):
    name: str  # an identifier: a program may call it by this
    key: str
    created: float  # seconds since 1970
    learned: Learned
    counts: Counts
    folder: str  # absolute

    @property
    def policy(self) -> Policy | None:
        learned = self.learned
        if learned.program is not None or (learned.guard is not None and learned.guard.program):
            return None
        return Policy(id=f"skill/{self.name}", checkpoint=str(Path(self.folder) / CHECKPOINT))

    def stage(self, sub_action: SubAction) -> Stage:
        """The sub-action, done by this skill."""
        return Stage(
            sub_action=sub_action,
            program=self.learned.program,
            policy=self.policy,
            spec=self.learned.spec,
        )

    def check(self) -> None:
        """Raises LibraryError if its checkpoint is missing."""
        path = Path(self.folder) / CHECKPOINT
        if self.policy is not None and not path.is_file():
            raise LibraryError(
                f"the skill `{self.name}` has no checkpoint: {path} is missing; "
                f"`rlgpt skill remove {self.name}` forgets it"
            )


def skill_key(
    world: str, condition: Condition, program: Program | None, checkpoint: Path | None
) -> str:
    """What makes two skills the same: the world, the condition, and the program or the weights."""
    what = hashlib.sha256(msgspec.json.encode([world, condition]))
    if program is not None:
        what.update(program.source.encode())
    if checkpoint is not None:
        what.update(checkpoint.read_bytes())
    return what.hexdigest()


def guard_key(world: str, guard: Guard, weights: Path | None) -> str:
    """The key of a guard: its condition and its program or weights make it. The policy's name does
    not: it is that of the goal, which other runs have as well."""
    source = guard.program.source if guard.program else ""
    what = hashlib.sha256(msgspec.json.encode([world, guard.when, source, guard.max_steps]))
    if weights is not None:
        what.update(weights.read_bytes())
    return what.hexdigest()


def holds(have: Mapping[str, int], needed: Mapping[str, int]) -> bool:
    """Whether an inventory has at least what is needed."""
    return all(have.get(item, 0) >= quantity for item, quantity in needed.items())


def follows(skill: Learned, before: list[Stage]) -> bool:
    """Whether the stages before end where the skill begins: with the same condition; a skill that
    was learned from an episode's start may begin anywhere."""
    if not skill.before:
        return True
    return bool(before) and before[-1].sub_action.success == skill.before[-1].sub_action.success
