"""How many primitive steps one decision of a policy may take."""

from collections.abc import Iterable

from messages.program import Program
from messages.world import Guard, Interface


def longest_decision(interface: Interface, guards: Iterable[Guard], assisted: int) -> int:
    """Primitive steps that one decision of one environment may take. ``guards`` may take over in
    it; ``assisted``: the steps that a game's assistant takes at most after it."""
    longest = max((_turn(macro) for macro in interface.macros), default=1) + assisted
    longest += sum(guard.max_steps for guard in guards)  # after its last step, each of them once
    return max(1, min(longest, interface.horizon))


def _turn(macro: Program) -> int:
    """Primitive steps that a macro may take before the policy chooses again."""
    return min(macro.max_steps, macro.interrupt or macro.max_steps)
