"""How the page's server follows a run: what it subscribes to, and what it says of changes."""

import threading
from pathlib import Path
from typing import Any

import pytest
import yaml

from messages.bus import Bus
from messages.calling import calls
from messages.system import Description, description
from rlgpt.composing.configuration import load
from rlgpt.dash.follow.node_messages import NodeMessages
from tests.bus_processes import eventually
from tests.launch_toys.talker import CHATTER


def configure(run: Path) -> None:
    nodes = {"talker": {"module": "tests.launch_toys.talker"}}
    config = {"name": "toys", "run": str(run), "nodes": nodes}
    (run / "config.yaml").write_text(yaml.safe_dump(config))


@pytest.mark.parametrize("node", ["talker", "launcher"])
def test_a_node_that_is_shown_need_not_publish_its_calls(run_folder: Path, node: str) -> None:
    """It would encode every request and reply for a page that shows none of them."""
    configure(run_folder)
    bus = Bus(run_folder, node)
    heard = CHATTER.at(node)
    bus.advertise(heard)
    names = [each.name for each in bus.endpoints]
    assert names.index(calls(node).name) < names.index(heard.name)  # they come in this order
    found = Description(node=node, epoch="1", pid=1, endpoints=bus.endpoints)
    bus.publish(description(node), found)
    over = threading.Event()
    serving = threading.Thread(target=bus.spin, args=(over,))
    serving.start()
    shown: dict[str, Any] = {}
    messages = NodeMessages(run_folder, load(run_folder), shown.__setitem__)
    try:
        eventually(lambda: bus.subscribed(heard))
        assert not bus.subscribed(calls(node))
        eventually(lambda: calls(node).name in shown.get("graph", {}).get("topics", []))
    finally:
        messages.close()
        over.set()
        bus.wake()
        serving.join()
        bus.close()
