"""A node that is ready describes all its endpoints: none is added when it is first used."""

import importlib
import pkgutil
import threading
from pathlib import Path
from typing import Any

import pytest

import messages
from messages.bus import BusError
from messages.interface import Action, Service, Topic
from messages.plan import PLAN
from messages.system import description
from nodes.critic.critic import Critic
from nodes.env_server.env_server import EnvServer
from nodes.fast_agent.fast_agent import FastAgent
from nodes.learner.learner import Learner
from nodes.llm.llm import Llm
from nodes.node import Node
from nodes.planner.planner import Planner
from nodes.slow_agent.slow_agent import SlowAgent
from nodes.testing import MockBus, start
from rlgpt import interfaces


def declared(node: str) -> set[str]:
    """The names of the topics, services and actions that messages/ declares for a node."""
    names: set[str] = set()
    for module in pkgutil.iter_modules(messages.__path__, "messages."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, Topic | Service | Action) and value.node == node:
                names.add(value.name)
            if isinstance(value, Action) and value.node == node:
                names.add(f"{value.name}/feedback")
    return names


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        (Planner, {}),
        (SlowAgent, {}),
        (FastAgent, {}),
        (Learner, {}),
        (Critic, {}),
        (Llm, {}),
        (EnvServer, {"jail": False}),
    ],
)
def test_every_endpoint_of_a_node_is_described_when_it_is_ready(
    tmp_path: Path, kind: type[Node], parameters: dict[str, Any]
) -> None:
    bus = MockBus(kind.name)
    node = start(kind, bus, tmp_path, **parameters)
    described = bus.published(description(kind.name))[-1]
    names = {endpoint.name for endpoint in described.endpoints}
    assert names <= set(interfaces.declared(kind.name))  # the tools know the types of all of them
    assert declared(kind.name), kind.name
    assert declared(kind.name) <= names
    common = ("heartbeat", "description", "describe", "get_parameters", "set_parameters", "pause")
    assert {f"{kind.name}/{name}" for name in common} <= names
    node.shutdown()
    if isinstance(node, Llm):
        node.transcript.close()
    for thread in threading.enumerate():
        if thread.name == "imports":  # of torch, by the learner; it must not outlive the test
            thread.join()


class Forgetful(Node):
    name = "planner"


def test_publishing_on_a_topic_that_was_not_advertised_is_rejected(tmp_path: Path) -> None:
    node = start(Forgetful, MockBus("planner"), tmp_path)
    with pytest.raises(BusError, match="planner/plan is not advertised; call"):
        node.publish(PLAN, None)  # type: ignore[arg-type]
