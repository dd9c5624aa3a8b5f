"""The parts that time is spent on, what they are called, and what each of them is."""

from collections.abc import Mapping

import msgspec

TITLES = {
    "starting": "starting",
    "language_model": "language model",
    "agents": "agents",
    "world": "world",
    "features": "features",
    "programs": "programs",
    "session": "sessions",
    "film": "films",
    "network": "network",
    "update": "update",
    "learner": "learner",
    "bus": "bus",
    "waiting": "waiting",
    "other": "other",
}
"""Parts in the order in which they are shown, with their names for people."""

MEANINGS = {
    "starting": "from the launch until all nodes are ready, where nothing else is done",
    "language_model": "questions, from their arrival in the llm node to the answer",
    "agents": "what planner, slow agent, fast agent and critic do themselves",
    "world": "worlds are loaded, made, reset and stepped",
    "features": "features and masks are made for policies",
    "programs": "coded actions, conditions and rewards that are code; checking them",
    "session": "rewards, successes, records, and the way to the jailed process",
    "film": "frames of films are drawn and encoded",
    "network": "a policy decides",
    "update": "a policy learns: PPO, imitation, cloning",
    "learner": "the learner's own loop: rollouts, checkpoints, curves",
    "bus": "requests and replies in transit and in queues",
    "waiting": "for a breakpoint, an absent or paused node, a lost session, a turn on the GPU",
    "other": "the rest: time that no node recorded",
}


class PartTime(msgspec.Struct, frozen=True, kw_only=True):
    """A part's share of the time.

    Attributes:
        seconds: of the time on the clock. Where several parts were worked on at once they share
            it, so that all parts together come to the whole.
        work: seconds of work, all that was done at once counted in full.
        share: ``seconds`` as a share of the whole, 0 to 1.
    """

    part: str
    seconds: float
    work: float
    share: float


def in_order(
    seconds: Mapping[str, float], work: Mapping[str, float], whole: float
) -> list[PartTime]:
    """The parts that took any time, as they are shown."""
    known = [part for part in TITLES if part in seconds]
    unknown = sorted(seconds.keys() - TITLES.keys())
    return [
        PartTime(
            part=part,
            seconds=round(seconds[part], 3),
            work=round(work.get(part, seconds[part]), 3),
            share=round(seconds[part] / whole, 4) if whole > 0 else 0.0,
        )
        for part in [*known, *unknown]
        if seconds[part] > 0.0
    ]
