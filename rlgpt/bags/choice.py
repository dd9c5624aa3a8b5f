"""What is recorded: topics, services and actions by their names, nodes, or all, less what is
excluded."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from messages.bus.actions.goal_store import (
    cancel_service,
    feedback_topic,
    result_service,
    send_service,
)
from messages.calling import calls
from messages.interface import Action, Service, Topic
from messages.system import Description
from rlgpt.interfaces import Interface, declared, declared_nodes
from rlgpt.refused import Refused, did_you_mean, instead

_PARTS = ("send", "result", "cancel", "feedback")
"""What an action is made of: services and a topic, by their last names."""


class Choice:
    """Attributes:
    topics: the names to subscribe to; ``critic/*`` is every topic of the critic but its calls.
    called: the nodes to whose calls to subscribe.
    latched: topics that are known to be latched.
    """

    def __init__(self, exclude: Sequence[str] = ()) -> None:
        self.topics: set[str] = set()
        self.called: set[str] = set()
        self.latched: set[str] = set()
        self._whole: set[str] = set()  # nodes with all that they have
        self._services: set[str] = set()
        self._exclude = tuple(exclude)

    def add_node(self, node: str) -> None:
        """All topics of a node, and all that it is called for."""
        self._whole.add(node)
        self.called.add(node)
        self.topics = {each for each in self.topics if each.partition("/")[0] != node}
        self.topics.add(f"{node}/*")

    def add(self, name: str, found: Interface | str) -> None:
        """One topic, service or action; ``found`` is its declaration, or its kind."""
        node = name.partition("/")[0]
        if node in self._whole:
            return
        if isinstance(found, Topic) or found == "topic":
            if name == calls(node).name:
                self.called.add(node)
                self._services.add(f"{node}/*")
            else:
                self.topics.add(name)
            return
        self.called.add(node)
        if isinstance(found, Service) or found == "service":
            self._services.add(name)
            return
        action = found if isinstance(found, Action) else Action(name, *[Description] * 3)
        self.topics.add(feedback_topic(action).name)
        parts = (send_service(action), result_service(action), cancel_service(action))
        self._services |= {part.name for part in parts}

    def takes_topic(self, name: str) -> bool:
        return not any(_excludes(pattern, name) for pattern in self._exclude)

    def takes_call(self, service: str) -> bool:
        node = service.partition("/")[0]
        chosen = node in self._whole or bool(self._services & {service, f"{node}/*"})
        return chosen and self.takes_topic(service)

    def takes_all_calls(self, node: str) -> bool:
        """Whether none of a node's calls are left out, so that a gap is a loss."""
        return not self._exclude and (node in self._whole or f"{node}/*" in self._services)


def _excludes(pattern: str, name: str) -> bool:
    """Whether a pattern fits a topic or service, or the action that it is a part of."""
    action, _, part = name.rpartition("/")
    names = (name, action) if "/" in action and part in _PARTS else (name,)
    return any(fnmatchcase(each, pattern) for each in names)


def choose(
    names: Sequence[str], nodes: Sequence[str], exclude: Sequence[str], running: list[Description]
) -> Choice:
    """The choice of a command. ``nodes``: all that the run has; ``running``: what those that run
    have described. Raises Refused for a name that there is not."""
    _check_excluded(exclude, nodes, running)
    choice = Choice(exclude)
    choice.latched = {each.name for one in running for each in one.endpoints if each.latched}
    for name in sorted(names, key=lambda each: not each.endswith("/*")):
        node = name.partition("/")[0]
        if node not in nodes:
            raise Refused(f"`{name}`: there is no node `{node}`{instead(node, nodes)}")
        if name.endswith("/*"):
            choice.add_node(node)
        else:
            choice.add(name, _find(name, node, running))
    return choice


def _check_excluded(
    exclude: Sequence[str], nodes: Sequence[str], running: Sequence[Description]
) -> None:
    """Raises Refused for a pattern that leaves nothing out, as by a wrong letter: what it was meant
    for would be recorded. Of a node that is neither declared nor running nothing is known."""
    names = [name for node in nodes for name in _known(node, running)]
    parts = [f"{name}/{part}" for name in names for part in _PARTS]
    unknown = set(nodes) - declared_nodes() - {one.node for one in running}
    for pattern in exclude:
        node, slash, _ = pattern.partition("/")
        here = [each for each in nodes if fnmatchcase(each, node) or not slash]
        if unknown & set(here):
            continue
        if not any(fnmatchcase(name, pattern) for name in (*names, *parts)):
            raise Refused(
                f"--exclude {pattern}: there is no such topic, service or action"
                f"{did_you_mean(pattern, names)} (`NODE/*` is all of a node's)"
            )


def _known(node: str, running: Iterable[Description]) -> dict[str, Interface | str]:
    known: dict[str, Interface | str] = dict(declared(node))
    for one in running:
        if one.node == node:
            known |= {each.name: each.kind for each in one.endpoints if each.name not in known}
    return known


def _find(name: str, node: str, running: Iterable[Description]) -> Interface | str:
    known = _known(node, running)
    if name not in known:
        raise Refused(
            f"there is no topic, service or action `{name}`{did_you_mean(name, known)} "
            f"(`{node}/*` is all of {node}'s)"
        )
    return known[name]
