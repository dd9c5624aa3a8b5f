"""The types of what is recorded: their names, and their JSON schemas made of our message
classes."""

from typing import Any

import msgspec
import numpy as np

from messages.bus.actions.goal_store import cancel_service, result_service, send_service
from messages.calling import CallEvent
from messages.interface import Action, Service, Topic
from messages.undecodable import UNDECODABLE
from rlgpt.interfaces import declared

_UNKNOWN = {"type": "object"}
_ARRAY = {
    "description": "MessagePack extension 1 with [dtype, shape, number]; the bytes are the entry "
    "of that number in `_arrays`"
}


class _Tagged(msgspec.Struct):
    """What a message of any type begins with."""

    type: str = ""


_tagged = msgspec.msgpack.Decoder(_Tagged)


class Types:
    """The types of the nodes' topics and services."""

    def __init__(self) -> None:
        self._nodes: set[str] = set()
        self._topics: dict[str, Topic[Any]] = {}
        self._services: dict[str, Service[Any, Any]] = {}

    def topic(self, name: str) -> Topic[Any] | None:
        """The declaration of a topic; None if messages/ has none."""
        self._read(name)
        return self._topics.get(name)

    def service(self, name: str) -> Service[Any, Any] | None:
        """The declaration of a service; an action has three."""
        self._read(name)
        return self._services.get(name)

    def of_message(self, topic: str, body: bytes) -> tuple[str, bytes]:
        """The name of a message's type, and its JSON schema."""
        found = self.topic(topic)
        if found is not None:
            return found.message.__name__, schema_of(found.message)
        try:
            name = _tagged.decode(body).type
        except UNDECODABLE:
            name = ""
        return name, msgspec.json.encode(_UNKNOWN)

    def of_call(self, event: CallEvent) -> tuple[str, bytes]:
        """The name and JSON schema of a request, a reply or an error, with the type of its body in
        its place."""
        service = self.service(event.endpoint)
        if service is None or event.kind == "error":
            return CallEvent.__name__, schema_of(CallEvent)
        body = service.request if event.kind == "request" else service.reply
        return f"{CallEvent.__name__}.{body.__name__}", schema_of(CallEvent, body)

    def _read(self, name: str) -> None:
        node = name.partition("/")[0]
        if node in self._nodes:
            return
        self._nodes.add(node)
        for each in declared(node).values():
            if isinstance(each, Topic):
                self._topics[each.name] = each
            elif isinstance(each, Service):
                self._services[each.name] = each
            elif isinstance(each, Action):
                for part in (send_service(each), result_service(each), cancel_service(each)):
                    self._services[part.name] = part


def schema_of(kind: type[Any], body: type[Any] | None = None) -> bytes:
    """The JSON schema of a message type, its top level in its place and not in ``$defs``; for a
    `CallEvent`, with the type of its body."""
    kinds = [kind] if body is None else [kind, body]
    references, parts = msgspec.json.schema_components(
        kinds, schema_hook=_other, ref_template="#/$defs/{name}"
    )
    parts = dict(parts)
    top = dict(parts.pop(kind.__name__))
    if body is not None:
        top["properties"] = {**top["properties"], "body": references[1]}
    return msgspec.json.encode({**top, "$defs": parts} if parts else top)


def _other(kind: Any) -> dict[str, Any]:
    return _ARRAY if kind is np.ndarray else {"description": f"a {kind.__name__}"}
