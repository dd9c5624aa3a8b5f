"""Framed MessagePack for the player's process, which has neither msgspec nor any import of ours.

A frame is a length of four bytes, big-endian, and as many bytes of MessagePack. Both sides exchange
lists, dicts, text, bytes, numbers, True, False and None; nothing else is read, and nothing is run.
"""

import struct

MOST = 1 << 28  # bytes of a frame
DEPTH = 32


class Malformed(Exception):
    """What came in is no such frame."""


def send(connection, value):
    data = b"".join(packed(value))
    connection.sendall(struct.pack("!I", len(data)) + data)


def receive(connection):
    """The next value, or EOFError at the end."""
    (length,) = struct.unpack("!I", _exactly(connection, 4))
    if length > MOST:
        raise Malformed(f"a frame of {length} bytes is announced, {MOST} is the most")
    value, end = unpacked(_exactly(connection, length), 0, 0)
    if end != length:
        raise Malformed(f"a frame has {length - end} bytes too many")
    return value


def _exactly(connection, count):
    parts = []
    while count:
        part = connection.recv(min(count, 1 << 20))
        if not part:
            raise EOFError("the other side has closed")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def packed(value):
    """A value as MessagePack, in parts."""
    if value is None:
        yield b"\xc0"
    elif value is True or value is False:
        yield b"\xc3" if value else b"\xc2"
    elif isinstance(value, int):
        yield struct.pack("!Bq", 0xD3, value)
    elif isinstance(value, float):
        yield struct.pack("!Bd", 0xCB, value)
    elif isinstance(value, str):
        data = value.encode()
        yield struct.pack("!BI", 0xDB, len(data)) + data
    elif isinstance(value, (bytes, bytearray, memoryview)):
        yield struct.pack("!BI", 0xC6, len(value))
        yield bytes(value)
    elif isinstance(value, (list, tuple)):
        yield struct.pack("!BI", 0xDD, len(value))
        for entry in value:
            yield from packed(entry)
    elif isinstance(value, dict):
        yield struct.pack("!BI", 0xDF, len(value))
        for key, entry in value.items():
            yield from packed(key)
            yield from packed(entry)
    else:
        raise TypeError(f"{type(value)!r} cannot be sent")


NUMBERS = {
    0xCA: "f", 0xCB: "d", 0xCC: "B", 0xCD: "H", 0xCE: "I", 0xCF: "Q",
    0xD0: "b", 0xD1: "h", 0xD2: "i", 0xD3: "q",
}  # fmt: skip
LENGTHS = {
    0xC4: "B", 0xC5: "H", 0xC6: "I", 0xD9: "B", 0xDA: "H", 0xDB: "I",
    0xDC: "H", 0xDD: "I", 0xDE: "H", 0xDF: "I",
}  # fmt: skip
CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}


def unpacked(data, at, depth):
    """The value that begins at a byte, and where it ends."""
    if depth > DEPTH:
        raise Malformed(f"more than {DEPTH} levels")
    try:
        head = data[at]
        at += 1
        if head <= 0x7F:
            return head, at
        if head >= 0xE0:
            return head - 256, at
        if head in CONSTANTS:
            return CONSTANTS[head], at
        if head in NUMBERS:
            form = "!" + NUMBERS[head]
            return struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)
        if head <= 0x8F:
            return _map(data, at, head & 15, depth)
        if head <= 0x9F:
            return _list(data, at, head & 15, depth)
        if head <= 0xBF:
            return _bytes(data, at, head & 31).decode(), at + (head & 31)
        form = "!" + LENGTHS[head]
        (count,) = struct.unpack_from(form, data, at)
        at += struct.calcsize(form)
        if head <= 0xC6:
            return _bytes(data, at, count), at + count
        if head <= 0xDB:
            return _bytes(data, at, count).decode(), at + count
        return (_list if head <= 0xDD else _map)(data, at, count, depth)
    except (struct.error, IndexError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise Malformed(f"no MessagePack that is known here: {error!r}") from None


def _bytes(data, at, count):
    if at + count > len(data):
        raise Malformed("text goes on beyond the frame")
    return data[at : at + count]


def _list(data, at, count, depth):
    found = []
    for _ in range(count):
        value, at = unpacked(data, at, depth + 1)
        found.append(value)
    return found, at


def _map(data, at, count, depth):
    found = {}
    for _ in range(count):
        key, at = unpacked(data, at, depth + 1)
        found[key], at = unpacked(data, at, depth + 1)
    return found, at
