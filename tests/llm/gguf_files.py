"""GGUF files whose header is one."""

import struct


def gguf(rest: int = 10_000, **values: str) -> bytes:
    """A GGUF file that states so many values, an array of words and a number among them."""

    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value.encode())) + value.encode()

    stated = [text(key.replace("__", ".")) + b"\x08\0\0\0" + text(values[key]) for key in values]
    words = text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b")
    number = text("general.alignment") + struct.pack("<II", 4, 32)
    head = struct.pack("<4sIQQ", b"GGUF", 3, 290, 2 + len(stated))
    return head + words + number + b"".join(stated) + (bytes(range(256)) * 40)[:rest]


CHAT = {"general__architecture": "llama", "tokenizer__chat_template": "{{ messages }}"}
CONTENT = gguf(**CHAT)
