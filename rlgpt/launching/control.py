"""The launcher's own endpoints: the list of nodes; restart, kill, release, reclaim."""

import os
from collections.abc import Callable

from messages.bus import Bus, ServiceError
from messages.empty import Empty
from messages.system import (
    CRASHES,
    KILL,
    LIST,
    RECLAIM,
    RELEASE,
    RESTART,
    Description,
    NodeName,
    NodeState,
    NodeStates,
    describe,
)
from rlgpt.launching.supervisor import Supervisor
from rlgpt.refused import instead

LONGEST = 25.0  # seconds; below the services' deadline, so that the caller gets the reason


def serve(bus: Bus, supervisor: Supervisor) -> None:
    """Serve the endpoints of ``launcher`` on ``bus``."""

    def states(_: Empty) -> NodeStates:
        return NodeStates(nodes=supervisor.states())

    def handler(request: str) -> Callable[[NodeName], NodeState]:
        def handle(node_name: NodeName) -> NodeState:
            node = node_name.node
            if request == "release" and node in supervisor.children:
                supervisor.children[node].debugged = node_name.debugged
            try:
                return supervisor.request(request, node).result(LONGEST)
            except KeyError:
                known = instead(node, supervisor.children)
                raise ServiceError(
                    f"there is no node `{node}`{known}", code="unknown_node"
                ) from None
            except TimeoutError:
                raise ServiceError(
                    f"{node} has not ended within {LONGEST:g} s; its {request} goes on",
                    code="timeout",
                ) from None
            except RuntimeError as error:
                raise ServiceError(str(error), code="ending") from None

        return handle

    def described(_: Empty) -> Description:
        return Description(
            node="launcher", epoch=bus.epoch, pid=os.getpid(), endpoints=bus.endpoints
        )

    bus.advertise(CRASHES)
    bus.serve(LIST, states)
    bus.serve(describe("launcher"), described)
    services = (("restart", RESTART), ("kill", KILL), ("release", RELEASE), ("reclaim", RECLAIM))
    for request, service in services:
        bus.serve(service, handler(request), background=True)
