"""What a node says can be listened to before it is said."""

import threading
from pathlib import Path
from typing import Any

import pytest

from messages.interface import Topic
from messages.plan import ITERATIONS, PLAN, WORKING
from messages.training import PROGRESS
from nodes.fast_agent.fast_agent import FastAgent
from nodes.learner.learner import Learner
from nodes.node import Node
from nodes.planner.planner import Planner
from nodes.slow_agent.slow_agent import SlowAgent
from nodes.testing import MockBus, start


@pytest.mark.parametrize(
    ("kind", "topic"),
    [(Planner, PLAN), (SlowAgent, ITERATIONS), (FastAgent, WORKING), (Learner, PROGRESS)],
)
def test_a_topic_is_there_from_the_start(
    tmp_path: Path, kind: type[Node], topic: Topic[Any]
) -> None:
    bus = MockBus(kind.name)
    node = start(kind, bus, tmp_path)
    assert topic.name in [door.name for door in bus.doors]
    node.shutdown()
    for thread in threading.enumerate():
        if thread.name == "imports":  # of torch, by the learner; it is not to outlive the test
            thread.join()
