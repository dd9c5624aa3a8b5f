"""What a training's spec comes to in numbers: rewards, discount, and how long things may take."""

from collections.abc import Sequence

from messages.program import Program
from messages.training import TrainingSpec
from messages.world import Lead
from nodes.common.checks.longest_decision import longest_decision
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


def decision_steps(spec: TrainingSpec) -> int:
    """Primitive steps that one decision of one environment may take."""
    guards = spec.guards if spec.guard is None else []  # else they take over between its turns
    return longest_decision(spec.interface, guards, _assisted(spec))


def longest_episode(spec: TrainingSpec, reset: int) -> int:
    """Primitive steps that one episode may take, with its reset of ``reset`` steps."""
    return reset + spec.interface.horizon + _assisted(spec)


def _assisted(spec: TrainingSpec) -> int:
    """Steps that the game takes at most after a decision."""
    return card(spec.task.game).specs.most_assisted if spec.interface.autocraft else 0
