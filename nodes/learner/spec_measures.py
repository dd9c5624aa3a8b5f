"""What a training's spec comes to in numbers: rewards, discount, and how long things may take."""

from collections.abc import Sequence

from messages.program import Program
from messages.training import TrainingSpec
from messages.world import Lead
from nodes.common.parameters.hyperparameters import Hyperparameters
from worlds import card


def reward_scale(spec: TrainingSpec) -> float:
    """The factor that makes the largest weight 1, so that one learning rate suits all specs."""
    return 1.0 / (max((abs(term.weight) for term in spec.interface.rewards), default=0.0) or 1.0)


def discount(parameters: Hyperparameters, spec: TrainingSpec) -> float:
    """The discount of a primitive step in the training of this spec."""
    if not parameters.worth_at_horizon:
        return parameters.gamma
    return max(parameters.gamma, parameters.worth_at_horizon ** (1.0 / spec.interface.horizon))


def longest_reset(prefix: Sequence[Program], lead: Sequence[Lead]) -> int:
    """Primitive steps that the reset of one environment may take."""
    steps = sum(program.max_steps for program in prefix)
    for stage in lead:
        if stage.program is not None:
            steps += stage.program.max_steps
        elif stage.interface is not None:
            steps += stage.interface.horizon
    return steps


def turn(macro: Program) -> int:
    """Primitive steps that a macro may take before the policy chooses again."""
    return min(macro.max_steps, macro.interrupt or macro.max_steps)


def longest_decision(spec: TrainingSpec) -> int:
    """Primitive steps that one decision of one environment may take."""
    interface = spec.interface
    longest = max((turn(macro) for macro in interface.macros), default=1)
    if interface.autocraft:
        longest += card(spec.task.game).specs.most_assisted
    if spec.guard is None:  # else they take over between its turns
        # After its last step each guard may take over once.
        longest += sum(guard.max_steps for guard in spec.guards)
    return max(1, min(longest, interface.horizon))


def longest_episode(spec: TrainingSpec, reset: int) -> int:
    """Primitive steps that one episode may take, with its reset of ``reset`` steps."""
    interface = spec.interface
    assisted = card(spec.task.game).specs.most_assisted if interface.autocraft else 0
    return reset + interface.horizon + assisted
