"""Whether sessions of today play a guard. One that they do not play would fail every stage that it
interrupts, and with it the goal."""

from messages.bus import RemoteError
from messages.world import Guard, Task
from nodes.fast_agent.agent import Agent

_UNFIT = ("unknown_policy", "policy_does_not_fit", "invalid")


def why_not_played(agent: Agent, id: str, task: Task, guard: Guard) -> str:
    """Why no session of the task plays the guard; empty where one does. ``id`` names the session
    that is opened for it and closed again.

    Raises:
        RemoteError: the guard is not the reason.
    """
    try:
        agent.player.check_guard(id, task, guard)
    except RemoteError as error:
        if error.code not in _UNFIT:
            raise
        return str(error)
    return ""
