"""A step of a batch by several threads at once.

Worlds share nothing but the rules, which no step changes. So each of them is the same, bit by bit,
whichever thread steps it.
"""

import numpy as np

from voxeldojo.engine.compiling.direct_calls import direct
from voxeldojo.engine.compiling.kernels import entry_kernel
from voxeldojo.engine.rulebook import Rules
from voxeldojo.engine.state import State
from voxeldojo.engine.stepping import act, first_fault
from voxeldojo.engine.threads.thread_crew import Crew
from voxeldojo.world_interface import Bools, Ints

FEWEST = 128
"""Worlds from which on threads pay: to wake them takes as long as stepping fifty."""


@entry_kernel
def check_all(state, actions, active):
    """What first_fault found."""
    return first_fault(state, actions, active)


@entry_kernel
def act_some(state, rules, actions, rows):
    """Takes the actions of these worlds."""
    for number in range(rows.shape[0]):
        w = rows[number]
        act(state, rules, w, actions[w])


CHECK, ACT = direct(check_all), direct(act_some)


def load_kernels(state: State, rules: Rules, actions: Ints, active: Bools) -> None:
    """Load what `step_shared` calls: in the jail no files can be read."""
    CHECK(state, actions, np.zeros_like(active))
    ACT(state, rules, actions, np.zeros(0, np.int64))


def step_shared(
    crew: Crew, state: State, rules: Rules, actions: Ints, active: Bools
) -> tuple[int, int]:
    """Checks all actions, then takes them. Returns what `first_fault` found. ``actions`` (B, 8)
    and ``active`` (B,) are as `stepping.act_all` has them."""
    fault = CHECK(state, actions, active)
    if fault[0] < 0:
        rows = np.flatnonzero(active)
        crew.share_out(len(rows), lambda some: ACT(state, rules, actions, rows[some]))
    return fault


def pays(crew: Crew, active: Bools) -> bool:
    """Whether to share a step of the worlds that are ``active``, (B,)."""
    return crew.threads > 1 and int(np.count_nonzero(active)) >= FEWEST
