"""The meta tasks: what a step pays, and when the task is done.

Independent of the engine: a world reports its tally after every *tick*. MineDojo's functional
actions (drop, craft, equip, place, destroy) take three ticks and return only the last one's reward
and done. To do the same, a world calls ``step`` in every tick and ignores the first two results.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

from voxeldojo.meta_tasks import terms
from voxeldojo.meta_tasks.tally import Tally
from voxeldojo.tasks import TaskSpec, meta_task_named, task_kwargs, tech_items
from voxeldojo.tasks.horizons import PLAYTHROUGH_STEPS

DRAGON_EGG = "dragon_egg"


class Outcome(NamedTuple):
    reward: float
    success: bool
    done: bool  # success, or the time limit that playthrough alone has
    truncated: bool  # done by the time limit


class MetaTask(ABC):
    """``reset`` at the start of each episode, then ``step`` after every tick."""

    time_limit: int | None = None  # steps

    def __init__(self) -> None:
        self.wanted: list[str] = []  # items to have or to use, or mobs to hunt
        self._start = self._before = Tally()
        self._steps = 0
        self._begun = False

    def reset(self, now: Tally, start: Tally | None = None) -> None:
        """``now``: the tally when the episode begins. ``start``: the tally from which success is
        counted, if it is an earlier one: after a fast reset MineDojo counts from before the initial
        mobs were summoned, which takes one tick per mob."""
        self._start = now if start is None else start
        self._before = now
        self._steps = 0
        self._begun = True

    def step(self, now: Tally) -> Outcome:
        """The last tick's reward, and whether the task is done.

        Raises:
            RuntimeError: before the first reset.
        """
        if not self._begun:
            raise RuntimeError("the task has not begun: call reset before the first step")
        reward = self.reward(self._before, now)
        success = self.success(self._start, now)
        self._before = now
        self._steps += 1
        late = self.time_limit is not None and self._steps >= self.time_limit
        return Outcome(reward, success, success or late, late and not success)

    @abstractmethod
    def reward(self, before: Tally, now: Tally) -> float: ...

    @abstractmethod
    def success(self, start: Tally, now: Tally) -> bool: ...


class Harvest(MetaTask):
    def __init__(self, quantities: Mapping[str, int], weights: Mapping[str, float]) -> None:
        super().__init__()
        self.quantities, self.weights = dict(quantities), dict(weights)
        self.wanted = list(self.quantities)

    def reward(self, before: Tally, now: Tally) -> float:
        return terms.inventory_reward(self.weights, before, now)

    def success(self, start: Tally, now: Tally) -> bool:
        return terms.any_gained(self.quantities, start, now)


class Combat(MetaTask):
    def __init__(self, quantities: Mapping[str, int], weights: Mapping[str, float]) -> None:
        super().__init__()
        self.quantities, self.weights = dict(quantities), dict(weights)
        self.wanted = list(self.quantities)

    def reward(self, before: Tally, now: Tally) -> float:
        return terms.kill_reward(self.weights, before, now)

    def success(self, start: Tally, now: Tally) -> bool:
        return terms.any_killed(self.quantities, start, now)


class TechTree(MetaTask):
    """Getting an item pays, using it pays more; done when every item of the tech was used."""

    def __init__(self, obtain: Mapping[str, float], use: Mapping[str, float]) -> None:
        super().__init__()
        self.obtain, self.use = dict(obtain), dict(use)
        self.wanted = list(self.use)

    def reward(self, before: Tally, now: Tally) -> float:
        having = terms.inventory_reward(self.obtain, before, now)
        return having + terms.use_reward(self.use, before, now)

    def success(self, start: Tally, now: Tally) -> bool:
        return terms.all_used(list(self.use), start, now)


class Survival(MetaTask):
    """The final reward is paid in every step after the last day, as in MineDojo; an episode ends
    with the first of them."""

    def __init__(self, days: int, per_day: float, final: float | None) -> None:
        super().__init__()
        self.days, self.per_day = days, per_day
        self.final = final or days * per_day  # a final reward of 0 counts as not given

    def reward(self, before: Tally, now: Tally) -> float:
        final = self.final if terms.survived(self.days, now) else 0.0
        return terms.day_reward(self.per_day, before, now) + final

    def success(self, start: Tally, now: Tally) -> bool:
        return terms.survived(self.days, now)


class Playthrough(MetaTask):
    """The dragon's egg, within 115,200 steps."""

    time_limit = PLAYTHROUGH_STEPS

    def __init__(self, weight: float) -> None:
        super().__init__()
        self.weight = weight
        self.wanted = [DRAGON_EGG]

    def reward(self, before: Tally, now: Tally) -> float:
        return self.weight * terms.any_gained({DRAGON_EGG: 1}, self._start, now)

    def success(self, start: Tally, now: Tally) -> bool:
        return terms.any_gained({DRAGON_EGG: 1}, start, now)


class Unrewarded(MetaTask):
    """Creative and open-ended: never pays, never done."""

    def reward(self, before: Tally, now: Tally) -> float:
        return 0.0

    def success(self, start: Tally, now: Tally) -> bool:
        return False


def make_meta_task(name: str, kwargs: dict[str, Any]) -> MetaTask:
    """The meta task of that name. ``kwargs``: from ``make_kwargs``.

    Raises:
        UnknownTask: there is no such meta task.
    """
    kind = meta_task_named(name)
    if kind in ("harvest", "combat"):
        of_targets = Harvest if kind == "harvest" else Combat
        return of_targets(kwargs["target_quantities"], kwargs["reward_weights"])
    if kind == "techtree":
        items = tech_items(kwargs["tech"], kwargs["tech_item"])
        obtain, use = kwargs["obtain_items_reward_weights"], kwargs["use_items_reward_weights"]
        return TechTree({item: obtain[item] for item in items}, {item: use[item] for item in items})
    if kind == "survival":
        days, per_day = kwargs["target_days"], kwargs["per_day_reward"]
        return Survival(days, per_day, kwargs["success_reward"])
    if kind == "playthrough":
        return Playthrough(kwargs["obtain_dragon_egg_reward"])
    return Unrewarded()


def meta_task_of(spec: TaskSpec) -> MetaTask:
    """The meta task of a ready-made task, with its own arguments."""
    # The arguments need a size of pictures, which rewards do not depend on.
    return make_meta_task(spec.kind, task_kwargs(spec, image_size=1))


def prompt_of(name: str, kwargs: dict[str, Any]) -> str:
    """The prompt that MineDojo makes for a meta task with these arguments ("" for those that have
    none). ``kwargs``: from ``make_kwargs``."""
    kind = meta_task_named(name)
    if kind in ("harvest", "combat"):
        wanted = kwargs["target_quantities"].items()
        targets = ", ".join(f"{count} {target.replace('_', ' ')}" for target, count in wanted)
        return f"{'Harvest' if kind == 'harvest' else 'Hunt'} {targets}."
    if kind == "techtree":
        tech = kwargs["tech"] or kwargs["tech_item"].replace("_", " ")
        return f"Unlock {tech} technology."
    if kind == "survival":
        return f"Survive for {kwargs['target_days']} days."
    if kind == "playthrough":
        return "Defeat the Ender Dragon and obtain the trophy dragon egg."
    return ""
