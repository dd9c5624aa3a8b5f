"""The policies that a training may begin from: of earlier iterations, else of the library.

Which one it was is remembered under the goal's id, so that a goal that is started again trains as
it did before.
"""

import threading

import msgspec

from messages.training import Policy, Trained, TrainingSpec
from nodes.common.storage.node_memory import Memory
from nodes.fast_agent.implementing import Implementing
from nodes.fast_agent.known_skills.skill_lookup import SkillLookup
from worlds import card


class _Start(msgspec.Struct, frozen=True, kw_only=True):
    policy: Policy | None = None


class _Earlier(msgspec.Struct, frozen=True, kw_only=True):
    policy: Policy
    spec: TrainingSpec


class WarmStarts:
    """From any thread: the node may work on several goals side by side."""

    def __init__(self, lookup: SkillLookup, memory: Memory) -> None:
        self._lookup = lookup
        self._memory = memory
        self._lock = threading.Lock()  # from a list that is read to the longer one that is kept

    def find(self, goal: Implementing, spec: TrainingSpec) -> Policy | None:
        """An earlier policy that training may begin from: of this sub-action in the latest
        iteration, or the library's best with the same aim; its interface is the spec's."""
        name = f"{goal.id}/start"
        if (known := self._memory.find(name, _Start)) is not None:
            return known.policy
        earlier = self._memory.find(earlier_name(goal), list[_Earlier]) or []
        fitting = [each.policy for each in earlier if same_interface(each.spec, spec)]
        if not fitting:
            fitting = self._lookup.policies(
                spec.interface.success, lambda kept: same_interface(kept, spec)
            )
        policy = fitting[-1] if fitting else None
        self._memory.keep(name, _Start(policy=policy))
        return policy

    def remember(self, goal: Implementing, spec: TrainingSpec, trained: Trained) -> None:
        """Remember a policy, however good, for later iterations to begin from."""
        name = earlier_name(goal)
        with self._lock:
            earlier = self._memory.find(name, list[_Earlier]) or []
            if all(each.policy != trained.policy for each in earlier):
                self._memory.keep(name, [*earlier, _Earlier(policy=trained.policy, spec=spec)])


def same_interface(one: TrainingSpec, other: TrainingSpec) -> bool:
    """Whether a policy of the one means the same by what it sees and chooses in the other, of the
    same game. The learner sees the names and sizes of these alone."""

    def shown(spec: TrainingSpec) -> list[object]:
        interface = spec.interface
        macros = [(macro.name, macro.source, macro.interrupt) for macro in interface.macros]
        items = card(spec.task.game).specs.counted_items(interface, spec.task.success)
        items = items if "inventory" in interface.observations else []
        memory = interface.memory_size if interface.memory != "none" else 0
        return [interface.observations, interface.actions, macros, interface.targets, items, memory]

    return one.task.game == other.task.game and shown(one) == shown(other)


def earlier_name(goal: Implementing) -> str:
    """The name in the node's memory of the policies that there were for a goal's sub-action."""
    sub_action = goal.request.sub_action
    return f"policies/{msgspec.json.encode([sub_action.name, sub_action.success]).decode()}"
