"""`env_server/play_on` and `env_server/roll_out` of toy env servers: the actor decides, and the
toy's own step carries it out."""

from collections.abc import Callable
from typing import Any

import numpy as np

from messages.roll_out import RolledOut, RollOut
from messages.roll_out import rolled_out as together
from messages.world import Actor, Opened, PlayedOn, PlayOn, Stepped
from models.actor import PlainActor


def played_on(
    request: PlayOn, opened: Opened, step: Callable[[np.ndarray[Any, Any]], Stepped]
) -> PlayedOn:
    """To the end of the stage. ``opened``: the session as it stands."""
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


def rolled_out(
    request: RollOut, actor: Actor, opened: Opened, step: Callable[[np.ndarray[Any, Any]], Stepped]
) -> RolledOut:
    """``actor``: the last one that was sent. ``opened``: the session as it stands."""
    plain = PlainActor(actor)
    features, mask = opened.features, opened.mask
    chosen, log_probs, found = [], [], list[Stepped]()
    samples = spent = 0
    for drawn in np.asarray(request.drawn):
        choices, likelihood = plain.draw(features, mask, drawn)
        chosen.append(choices)
        log_probs.append(likelihood)
        found.append(step(choices))
        features, mask = found[-1].features, found[-1].mask
        samples += int(found[-1].steps.sum())
        spent = samples + sum(each.prefix_steps for each in found)
        if samples >= request.samples or (request.in_all is not None and spent > request.in_all):
            break
    return together(chosen, log_probs, found)
