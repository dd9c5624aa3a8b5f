"""Skills: coded actions and policies that worked, with their aim and their start.

`nodes/common/skills/skill_library.py` keeps them.
"""

import hashlib
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from messages.plan import Method, Stage, SubAction
from messages.program import Program
from messages.training import Policy, TrainingSpec
from messages.world import Condition, Guard, Task
from models.archive_damage import damaged_part

CHECKPOINT = "checkpoint.pt"
"""The name of the file in a skill's folder, where it is a policy."""
SPEC = "spec.json"
"""The name of the file beside it with the spec that it was trained on."""


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


_Count = Annotated[int, msgspec.Meta(ge=0)]


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """A skill's results. Tryouts count by its own condition; ``used`` counts episodes of
    evaluations that it was a part of, and how many of them reached the task's success. Of a guard
    each turn that was not cut short counts, and succeeded if its condition no longer held after
    it."""

    successes: _Count = 0
    episodes: _Count = 0
    used_successes: _Count = 0
    used_episodes: _Count = 0
    samples: _Count = 0  # primitive steps that it took to learn it and to try it out

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
        """Raises LibraryError if a file that its policy is played from is missing or damaged. A
        training or a play that got such a skill would fail, each time it is tried again."""
        if self.policy is None:
            return
        path, spec = Path(self.folder) / CHECKPOINT, Path(self.folder) / SPEC
        if not path.is_file():
            raise self._unusable(f"has no checkpoint: {path} is missing")
        if problem := _damage(path):
            raise self._unusable(f"has a damaged checkpoint: {path}: {problem}")
        if self.learned.spec is None:  # a guard's
            return
        try:
            msgspec.json.decode(spec.read_bytes(), type=TrainingSpec)
        except FileNotFoundError:
            raise self._unusable(f"has no training spec: {spec} is missing") from None
        except (OSError, ValueError) as error:  # msgspec's errors are ValueErrors
            raise self._unusable(f"has a damaged training spec: {spec}: {error}") from error

    def _unusable(self, why: str) -> LibraryError:
        return LibraryError(
            f"the skill `{self.name}` {why}; `rlgpt skill remove {self.name}` forgets it"
        )


def _damage(checkpoint: Path) -> str:
    """What is wrong with the file itself, which is a zip archive with checksums; empty if it is
    whole. What it holds only the learner can tell."""
    try:
        part = damaged_part(checkpoint)
    except (OSError, zipfile.BadZipFile, EOFError, NotImplementedError, zlib.error) as error:
        return str(error) or "it is cut off"
    return f"{part} fails its checksum" if part else ""


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
