"""What every node may know of a game."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from messages.plan import Subtask
from messages.world import Condition, Episode, Interface, RewardTerm, Task, View
from voxeldojo.names import near
from worlds.language import Language


class Feature(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a policy may see, as float32 columns with values around 1. ``size`` is their
    number, 0 where it is that of the interface's choices."""

    name: str
    size: int
    description: str


class Unreachable(ValueError):
    """No rule of the game leads to what is wanted; the message names it."""


class Conditions(ABC):
    """What can be seen to hold in a game. ``have`` is of every game: at least ``quantity`` more of
    a counter of `View.inventory` than there was."""

    kinds: Mapping[str, str]
    """Each kind that there is, and when a condition of it holds, in words for a language model."""
    counted: frozenset[str] = frozenset({"have"})
    """Kinds whose quantity is a count: more is enough, too."""

    def implies(self, condition: Condition, other: Condition) -> bool:
        """Whether ``other`` holds wherever the condition does."""
        if condition.aim != other.aim:
            return False
        if condition.kind in self.counted:
            return condition.quantity >= other.quantity
        return condition.quantity == other.quantity

    def problem(self, condition: Condition) -> str:
        """What is wrong with it, in a sentence; empty if nothing is."""
        if condition.kind not in self.kinds:
            kinds = sorted(self.kinds)
            hint = near(condition.kind, kinds) or f"; there are {', '.join(kinds)}"
            return f"there is no condition {condition.kind!r}{hint}"
        return self.problem_of_kind(condition)

    @abstractmethod
    def problem_of_kind(self, condition: Condition) -> str:
        """What is wrong with a condition of a known kind, in a sentence."""

    @abstractmethod
    def words(self, condition: Condition) -> str:
        """The condition in words for a prompt: ``at least 3 more of `log` in the inventory``."""

    @abstractmethod
    def short(self, condition: Condition) -> str:
        """The condition in words for a table: ``3 more log in the inventory``."""

    @abstractmethod
    def holds(self, condition: Condition, episode: Episode) -> bool:
        """Whether a condition holds by an episode's views; whether its player died in the end is
        not checked here."""

    def count(self, condition: Condition, view: View) -> int:
        """How much a view has of what a condition of a counted kind counts, in a unit that grows
        with each bit of it. By default its counter in `View.inventory`."""
        return view.inventory.get(condition.name, 0)

    def left(self, condition: Condition, episode: Episode) -> Condition:
        """A condition of a counted kind with the quantity that the episode still lacks, at least 1;
        any other one as it is."""
        if condition.kind not in self.counted:
            return condition
        more = self.count(condition, episode.after) - self.count(condition, episode.before)
        return msgspec.structs.replace(condition, quantity=max(1, condition.quantity - more))

    def steps_needed(self, condition: Condition) -> int:
        """Primitive steps that an episode has to have for the condition to come to hold in it, by
        its kind and quantity alone."""
        return 1

    def progress(self, condition: Condition, episode: Episode) -> float:
        """How much of a condition an episode brought about, 0 to 1; it ranks attempts that failed
        equally often. By default 0 or 1, and 0 if the player died."""
        return float(episode.ended != "death" and self.holds(condition, episode))


class Unclear(ValueError):
    """A goal in words that is not understood; the message is a sentence with what comes near."""


class Goals(ABC):
    """Goals by name and in words."""

    kinds: Sequence[str]
    """The kinds of the tasks that the game has by name."""

    @abstractmethod
    def names(self, kind: str = "") -> list[str]:
        """The names of its tasks, or of those of one kind.

        Raises:
            ValueError: there is no such kind.
        """

    @abstractmethod
    def task(self, name: str) -> Task:
        """The task of that name: its start, its success and its horizon.

        Raises:
            ValueError: there is none; the message is a sentence with what comes near.
        """

    @abstractmethod
    def kind(self, name: str) -> str:
        """The kind of the task of that name."""

    def guidance(self, name: str) -> str:
        """Advice for the task of that name, in words; empty where there is none."""
        return ""

    @abstractmethod
    def open_task(self, prompt: str) -> Task:
        """A goal in words as a task whose success is yet to be made: how its episodes begin. Words
        of which no condition that counts can be made may be a task of the game as a whole."""

    @abstractmethod
    def understood(self, prompt: str) -> Condition:
        """The condition that words ask for, by rules alone.

        Raises:
            Unclear: they are no goal that the rules understand.
        """

    def nearest(self, prompt: str) -> list[str]:
        """Prompts that are understood word for word and come near, the nearest first."""
        return []


class Planning(ABC):
    """How what is wanted comes about, by the rules of the game."""

    places: Collection[str] = ()
    """Counters of the inventories of plans that are no items: which place the player is at."""

    def begun(self, task: Task) -> dict[str, int]:
        """What a plan of a task starts from: its inventory, and the place where it begins."""
        return dict(task.inventory)

    def wrong_start(self, task: Task, success: Condition) -> str:
        """Why no plan that begins where a task's episodes do brings about a condition, where that
        is for where they begin; empty if one may."""
        return ""

    def task_from(self, task: Task, held: Mapping[str, int]) -> Task:
        """The task as it begins with what a plan expects, at the place that ``held`` names."""
        items = {name: count for name, count in held.items() if name not in self.places}
        return msgspec.structs.replace(task, inventory=items)

    def practised_from(self, task: Task, held: Mapping[str, int]) -> Task:
        """The task as a subtask of it is practised, which a plan expects to begin with so much. It
        must not be easier so than where the whole task is performed."""
        return self.task_from(task, held)

    @abstractmethod
    def plan_for(self, success: Condition, inventory: Mapping[str, int]) -> list[Subtask]:
        """The subtasks that lead from an inventory to a condition, none superfluous.

        Raises:
            Unreachable: the rules know no way.
        """

    def source(self, success: Condition, inventory: Mapping[str, int]) -> str:
        """What the last step to a condition is done to, by the name that it is seen by: the block
        that is dug, the mob that is hunted. Empty where there is no such thing, or no way."""
        return ""

    def how(self, success: Condition, inventory: Mapping[str, int]) -> str:
        """The verb of the last step to a condition: ``dig``, ``craft``, ``kill``, or another one of
        the game's ways. Empty where the rules know none. Prompts choose their examples by it."""
        return ""

    def taken_by(self, success: Condition) -> Sequence[Sequence[str]]:
        """The primitive actions that the last step to a condition takes, for each way to it: a
        policy with all of one way can get there. Empty where the rules do not say."""
        return []

    def gained(self, success: Condition) -> tuple[str, int] | None:
        """What a condition brings, of all that plans count: an item, or a place, and how much of
        it. None if nothing."""
        return (success.name, success.quantity) if success.kind == "have" else None

    def gains(self, subtasks: Sequence[Subtask]) -> list[tuple[str, int]]:
        """What those of the subtasks bring that bring something, as `gained` has it."""
        return [found for each in subtasks if (found := self.gained(each.success)) is not None]

    @abstractmethod
    def sums(self, success: Condition, inventory: Mapping[str, int]) -> str:
        """How the plan's quantities were counted, from the goal back, in a line; empty where there
        is nothing to count.

        Raises:
            Unreachable: the rules know no way.
        """

    @abstractmethod
    def shortfalls(self, subtasks: Sequence[Subtask], inventory: Mapping[str, int]) -> list[str]:
        """A sentence for each subtask that could not be done when its turn comes."""

    @abstractmethod
    def expected(
        self,
        subtasks: Sequence[Subtask],
        inventory: Mapping[str, int],
        later: Sequence[Subtask] = (),
    ) -> dict[str, int]:
        """The inventory after these subtasks, by the rules alone. ``later``: those that come after
        them.

        Raises:
            Unreachable: the rules know no way.
        """

    @abstractmethod
    def at_hand(self, view: View, goal: Condition, beside: bool = True) -> dict[str, int]:
        """What a plan that is made again in the middle of an episode starts from: the inventory,
        with what serves as another item counted as that, and ``beside`` what stands near and can be
        used."""

    def worn(self, held: Mapping[str, int], episode: Episode) -> Mapping[str, int]:
        """What is held, with how much its tools were worn in the episode where views show that: a
        plan from it replaces them in time. By default they are as new."""
        return held

    @abstractmethod
    def chain(
        self, success: Condition, inventory: Mapping[str, int], quantities: bool = False
    ) -> list[str]:
        """How a goal comes about, a line for each item, for a prompt. ``quantities``: with how many
        of it are missing.

        Raises:
            Unreachable: the rules know no way.
        """


class Specs(ABC):
    """What a training spec may name."""

    features: Mapping[str, Feature]
    actions: Sequence[str]
    """Primitive actions, without those that take an item."""
    with_item: Sequence[str] = ()
    """The verbs of those that take an item, ``craft`` of ``craft:planks``: those that the prompt
    offers (``spec_more_actions``)."""
    rewards: Mapping[str, str] = {}
    """Each kind of reward term that is the game's own, and what it is paid for, as in ``kinds`` of
    conditions."""
    nameless: Collection[str] = ()
    """The kinds of ``rewards`` whose terms name nothing."""
    kept_up: Collection[str] = ()
    """Those of ``actions`` that do nothing until they have been taken many times in a row."""
    most_assisted: int = 0
    """Steps that may follow a decision, at most, where the interface has ``autocraft``."""

    def action_problem(self, name: str) -> str:
        """What is wrong with a name that is none of ``actions``: empty for an action that takes an
        item, ``craft:planks``, and is right."""
        known = ", ".join(sorted(self.actions))
        return f"There is no action called {name!r}: choose from {known}."

    @abstractmethod
    def reward_problem(self, term: RewardTerm) -> str:
        """What is wrong with a term of a kind that is the game's own: its kind or its name. Empty
        if nothing is."""

    @abstractmethod
    def target_problem(self, name: str) -> str: ...

    def seen_name(self, name: str) -> str:
        """What targets and reward terms call what has this name elsewhere, as ``wood`` for the item
        ``log``; a name that has no other stays as it is."""
        return name

    def reward_words(self, term: RewardTerm) -> str:
        """What a term of a kind that is the game's own is paid for, for a table."""
        return f"{term.kind} {term.name}".strip()

    def counted_items(self, interface: Interface, success: Condition) -> list[str]:
        """Items whose quantities the ``inventory`` feature has, in its order."""
        return []


Tables = Mapping[str, Any]
"""What a rule file has under ``tables``: of the game's own form."""


class RulebookRules(ABC):
    """What the rulebook's files are filled in with. Its methods raise `Unreachable` where the
    rulebook knows no way to a goal."""

    files: Path
    """Folder of the rule files, ``rules.yaml`` and its variants."""
    programs: Path
    """Folder of the stock of programs."""

    @property
    def guards(self) -> Path:
        """Folder of the stock of guards: of each its program and its condition."""
        return self.programs.parent / "guards"

    @abstractmethod
    def kind_of(
        self, goal: Condition, inventory: Mapping[str, int], alone: bool, tables: Tables
    ) -> str:
        """The section of ``subtasks`` that a goal belongs to; ``alone``: it is the whole goal."""

    @abstractmethod
    def words(
        self, goal: Condition, inventory: Mapping[str, int], alone: bool, tables: Tables
    ) -> dict[str, object]:
        """What stands for the braces of a rule. ``alone``: as for `kind_of`."""

    @abstractmethod
    def constants(
        self, goal: Condition, inventory: Mapping[str, int], alone: bool, tables: Tables
    ) -> dict[str, str | int | list[str]]:
        """What a program's constants (``ITEM = ...``) are set to, by name. ``alone``: as for
        `kind_of`."""

    def lists(
        self, goal: Condition, inventory: Mapping[str, int], tables: Tables
    ) -> dict[str, list[str]]:
        """Lists that training specs name, ``{sources}``, of all lists that there are."""
        return {}


class Published(NamedTuple):
    """A score that others have published."""

    score: float
    who: str
    steps: str
    """Environment steps that it learned from."""
    source: str


class Score(ABC):
    """What a game's players are compared by: how often episodes have each of some counters."""

    title: str
    counted: Sequence[str]
    """Counters of `View.inventory`; an episode has one of which it gained any. No spaces in them.
    """
    most: float
    """The highest score: where every episode has all."""
    published: Sequence[Published]
    progress: Sequence[Published] = ()
    """Published means of the share of ``counted`` that an episode has, in percent."""
    differs: str
    """Advantages of this project's players over the published ones, for a table."""

    @abstractmethod
    def of(self, rates: Mapping[str, float]) -> float:
        """``rates``: for each of ``counted`` the share of episodes that have it."""

    def rates(self, episodes: Iterable[Collection[str]]) -> dict[str, float]:
        """The share of episodes, 0 to 1, that have each of ``counted`` among theirs.

        Raises:
            ValueError: there is no episode.
        """
        found = list(episodes)
        if not found:
            raise ValueError("no score without an episode")
        return {name: sum(name in each for each in found) / len(found) for name in self.counted}


START = ("biome", "inventory", "world")
"""The fields of a task that set how an episode starts."""


def _no_problems(task: Task) -> Iterator[str]:
    yield from ()


def _no_lack(task: Task, kind: str) -> str:
    return ""


def _no_setting(task: Task) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, kw_only=True)
class Card:
    """A game, for every node."""

    name: str
    title: str
    """``Minecraft``, in prompts: *You write programs that play Minecraft.*"""
    conditions: Conditions
    planning: Planning
    specs: Specs
    rulebook: RulebookRules
    prompts: Path
    """A folder of templates that the agents' prompts include: ``environment.jinja``, and those of
    ``nodes/prompts/`` that the game has in words of its own (docs/adding_a_game.md)."""
    language: Language
    """What programs are written in."""
    start: Collection[str] = ()
    """What a task may set of how an episode starts, of `START`; what is not named is refused."""
    task_problems: Callable[[Task], Iterator[str]] = _no_problems
    """What is wrong with a task beyond its condition, each beginning with where it stands."""
    world_lacks: Callable[[Task, str], str] = _no_lack
    """What a kind of world lacks that a task is to begin with, as a sentence; empty if nothing."""
    setting: Callable[[Task], Mapping[str, str]] = _no_setting
    """Where a task's episodes begin, for prompts: ``{"Biome": "forest"}``."""
    goals: Goals | None = None
    """The goals of the game; None: it has no tasks by name and understands no goals in words."""
    names_taken: Sequence[str] = ()
    """Names of the stub that programs are likely to take for their own, for prompts."""
    worlds: Mapping[str, str] = field(default_factory=dict)
    """How a table describes its kinds of world: ``the published game``."""
    fingerprints: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The fingerprints of kinds of world that may change: a module and its arguments, which prints
    digits that differ where the world does."""
    score: Score | None = None
    """What its players are compared by beside success, if there is something."""
    packages: Sequence[str] = ()
    """What has to be installed for the game to be played, by the names that are imported."""
