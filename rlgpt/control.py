"""The launcher's own doors on the bus: which nodes there are; restart, kill, release, reclaim."""

import os
from collections.abc import Callable

from messages.bus import Bus, ServiceError
from messages.empty import Empty
from messages.system import (
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
from rlgpt.refused import instead
from rlgpt.supervisor import Supervisor

LONGEST = 25.0  # seconds; below the services' deadline, so that the caller hears why


def serve(bus: Bus, supervisor: Supervisor) -> None:
    """Open the doors of ``launcher`` on ``bus``."""

    def states(_: Empty) -> NodeStates:
        return NodeStates(nodes=supervisor.states())

    def granting(wish: str) -> Callable[[NodeName], NodeState]:
        def grant(request: NodeName) -> NodeState:
            try:
                return supervisor.ask(wish, request.node).result(LONGEST)
            except KeyError:
                known = instead(request.node, supervisor.children)
                raise ServiceError(
                    f"there is no node `{request.node}`{known}", code="unknown_node"
                ) from None
            except TimeoutError:
                raise ServiceError(
                    f"{request.node} does not end; see its output.log", code="timeout"
                ) from None
            except RuntimeError as error:
                raise ServiceError(str(error), code="ending") from None

        return grant

    def described(_: Empty) -> Description:
        return Description(node="launcher", epoch=bus.epoch, pid=os.getpid(), doors=bus.doors)

    bus.serve(LIST, states)
    bus.serve(describe("launcher"), described)
    doors = (("restart", RESTART), ("kill", KILL), ("release", RELEASE), ("reclaim", RECLAIM))
    for wish, door in doors:
        bus.serve(door, granting(wish), background=True)
