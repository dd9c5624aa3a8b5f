"""What a GGUF file says of itself is read before anything is fetched or installed for it."""

import struct
from pathlib import Path

import pytest

from nodes.llm.getting.get import get as get_weights
from nodes.llm.getting.gguf_header import read_header
from nodes.llm.getting.refusals import Refused
from tests.llm.gguf_files import CHAT, CONTENT, gguf


def test_the_licence_is_read_and_whether_there_is_a_chat_template(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(gguf(general__license="mit", general__name="é", **CHAT))
    header = read_header(file)
    assert (header.licence, header.chat_template) == ("mit", True)
    file.write_bytes(gguf(**CHAT | {"tokenizer__chat_template": "\n "}))
    assert not read_header(file).chat_template
    file.write_bytes(gguf(general__architecture="llama"))
    header = read_header(file)
    assert (header.licence, header.chat_template) == ("", False)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (b"", "is no GGUF file"),
        (b"GGML" + bytes(40), "is no GGUF file"),
        (struct.pack("<4sIQQ", b"GGUF", 1, 2, 3) + bytes(99), "of version 1; 2 and 3"),
        (struct.pack("<4sIQQ", b"GGUF", 3, 290, 40) + bytes(99), "is no whole GGUF file"),
        (CONTENT[:-10_020], "is no whole GGUF file"),
        (gguf(**CHAT | {"general__license": "gemma"}), "--accept-licence gemma"),
        (gguf(general__architecture="llama"), "has no chat template: it is a base model"),
    ],
)
def test_a_file_that_is_of_no_use_is_refused_before_anything_is_made(
    tmp_path: Path, start: bytes, words: str
) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(start)
    with pytest.raises(Refused) as refused:
        get_weights(str(file), tmp_path / "weights", [])
    assert words in str(refused.value)
    assert not (tmp_path / "weights").exists()


def test_a_header_that_is_cut_anywhere_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    for end in range(24, len(CONTENT) - 10_000, 7):
        file.write_bytes(CONTENT[:end])
        with pytest.raises(Refused, match="is no whole GGUF file: download it again"):
            read_header(file)
