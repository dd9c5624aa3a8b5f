"""Why a connection failed in its handshake, by ZeroMQ's event, for either side."""

import errno
import os

import zmq

FAILED = (
    zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
)
"""The monitors' events of a failed handshake."""

_KEYS = (zmq.PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC, zmq.PROTOCOL_ERROR_ZMTP_KEY_EXCHANGE)
_MECHANISM = zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH
_NO_PROTOCOL = "what it sent is not ZeroMQ's protocol"


def ended(event: int, value: int) -> str | None:
    """Why a connection ended in its handshake, if neither side rejected the other: it was closed,
    as by a process that was stopped or that gave up. None if one was rejected."""
    return os.strerror(value) if event == zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL else None


def hung_up(event: int, value: int) -> bool:
    """Whether the other side closed the connection, which is also how a node rejects keys that do
    not fit."""
    closed = (errno.EPIPE, errno.ECONNRESET)
    return event == zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL and value in closed


def why_a_peer_was_rejected(event: int, value: int) -> str:
    """For the node that a peer connected to."""
    if event == zmq.EVENT_HANDSHAKE_FAILED_AUTH:
        return "its key is not among those that this node accepts"
    if value == _MECHANISM:
        return (
            "it asks for another security than this node has, as a peer without keys does of a "
            "node with keys"
        )
    if value in _KEYS:
        return (
            "its keys do not fit: it has another public key for this node than this node has, or a "
            "secret key that is another's"
        )
    return _NO_PROTOCOL


def why_a_node_rejects(event: int, value: int, keys: bool) -> str:
    """For the process that connects to a node, with or without ``keys``."""
    if event == zmq.EVENT_HANDSHAKE_FAILED_AUTH:
        return "it does not accept the key of this process, which its keys folder lacks"
    if value == _MECHANISM:
        return (
            "it has no keys, and this process uses keys for it"
            if keys
            else "it has keys, and this process uses none for it"
        )
    if value in _KEYS or hung_up(event, value):
        return "its keys and those of this process do not fit: they were not made together"
    return _NO_PROTOCOL
