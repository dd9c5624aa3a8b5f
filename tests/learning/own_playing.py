"""`env_server/play_on` of toy env servers: the actor decides, and the toy's own step carries it
out, to the end of the stage."""

from collections.abc import Callable
from typing import Any

import numpy as np

from messages.world import Opened, PlayedOn, PlayOn, Stepped
from models.actor import PlainActor


def played_on(
    request: PlayOn, opened: Opened, step: Callable[[np.ndarray[Any, Any]], Stepped]
) -> PlayedOn:
    """``opened``: the session as it stands."""
    assert request.actor is not None
    actor = PlainActor(request.actor)
    chance = None if request.actor.greedy else np.random.default_rng(request.seed)
    features, mask, size = opened.features, opened.mask, len(opened.features)
    memory = np.zeros((size, actor.memory_size), np.float32)
    over, late = np.zeros(size, bool), np.zeros(size, bool)
    steps, choices = 0, []
    while not over.all():
        drawn = None if chance is None else chance.random(size)
        choices.append(actor.choose(features, mask | over[:, None], drawn, memory))
        stepped = step(choices[-1])
        steps += int(stepped.steps.sum())
        late |= ~over & stepped.truncated & ~stepped.terminated
        over |= stepped.terminated | stepped.truncated | (stepped.steps == 0)
        features, mask = stepped.features, stepped.mask
    return PlayedOn(steps=steps, over=over, late=late, choices=np.array(choices, np.uint16))
