"""Nodes that the launcher ends on request, however long their end takes: one that Ray placed on
another host has its files fetched first."""

import time
from collections.abc import Callable, Sequence

from messages.bus import Bus, RemoteError
from messages.interface import Service
from messages.system import NodeName, NodeState
from nodes.common.running.standard_error import to_stderr

_LOOK = 0.1  # seconds between two looks at the states


def ended_by_launcher(
    bus: Bus,
    service: Service[NodeName, NodeState],
    request: NodeName,
    states: Callable[[], Sequence[NodeState]],
) -> NodeState:
    """Have the launcher restart, kill or release a node; its state once its process has ended.
    ``states``: as the launcher has them. The launcher kills what does not end in its time.

    Raises:
        BusError: the launcher rejects that, or does not answer.
    """
    before = next((s.pid for s in states() if s.node == request.node), 0)
    try:
        return bus.call(service, request)
    except RemoteError as error:
        if error.code != "timeout":
            raise
        to_stderr(error.message)
    while True:
        state = next(s for s in states() if s.node == request.node)
        # It is ready without a process for the moment between its end and its start.
        if state.pid != before and (state.pid or state.state != "ready"):
            return state
        time.sleep(_LOOK)
