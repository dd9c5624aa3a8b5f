"""Messages to frames and back, and what is no message."""

import random
from typing import Any

import msgpack
import msgspec
import numpy as np
import pytest

from messages import codec
from messages.array import Array
from messages.codec import CodecError, decode, decode_untyped, encode, fingerprint, snapshot
from messages.world import Condition, Step, Stepped, Task


class Holder(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    array: Array
    more: dict[str, Array] = {}
    rate: float = 0.0


def _there_and_back(array: Any) -> Any:
    return decode(Holder, snapshot(encode(Holder(array=array)))).array


@pytest.mark.parametrize("dtype", sorted(codec.DTYPES))
@pytest.mark.parametrize("shape", [(), (0,), (0, 5), (1,), (64, 3), (2, 3, 4, 5)])
def test_arrays_of_every_type_and_shape_are_decoded_as_they_were_encoded(
    dtype: str, shape: tuple[int, ...]
) -> None:
    array = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    back = _there_and_back(array)
    assert back.dtype == array.dtype
    assert back.shape == shape
    assert np.array_equal(back, array)
    assert not back.flags.writeable
    assert back.flags.aligned


def test_arrays_that_are_not_contiguous_or_big_endian_are_decoded_contiguous() -> None:
    array = np.arange(24, dtype="f4").reshape(4, 6)
    for odd in (array.T, array[::2, ::-1], np.asfortranarray(array), array.astype(">f4")):
        back = _there_and_back(odd)
        assert np.array_equal(back, odd)
        assert back.flags.c_contiguous


def test_contiguous_arrays_are_not_copied_on_the_way_out() -> None:
    array = np.zeros((64, 300), "f4")
    frames = encode(Holder(array=array))
    assert frames[1] is array
    assert len(frames[0]) < 100


def test_arrays_of_frames_that_start_anywhere_are_aligned() -> None:
    frames = snapshot(encode(Holder(array=np.arange(5, dtype="f8"))))
    shifted = memoryview(b"x" + frames[1])[1:]
    back = decode(Holder, [frames[0], shifted]).array
    assert back.flags.aligned
    assert back.tolist() == [0, 1, 2, 3, 4]


def test_numpy_scalars_travel_as_numbers() -> None:
    holder: Any = Holder(array=np.zeros(1), rate=np.float32(0.5))
    assert decode(Holder, snapshot(encode(holder))).rate == 0.5


@pytest.mark.parametrize(
    "array",
    [np.array([object()]), np.array(["text"]), np.zeros(2, "M8[s]"), np.zeros(2, "c8")],
)
def test_arrays_of_types_that_cannot_be_sent_are_refused(array: Any) -> None:
    with pytest.raises(CodecError, match="cannot be sent"):
        encode(Holder(array=array))
    with pytest.raises(CodecError, match="cannot be sent"):
        encode(Task(id="a", prompt="", success=object()))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros((1,) * 20), "an array of 20 dimensions cannot be sent; at most 16"),
        (np.ma.masked_array([1, 2], [True, False]), "a masked array cannot be sent"),
        (np.longdouble(1), "a longdouble cannot be sent"),
    ],
)
def test_what_would_not_come_back_as_it_was_is_refused(array: Any, words: str) -> None:
    with pytest.raises(CodecError, match=words):
        encode(Holder(array=array))


def test_too_many_arrays_and_too_large_messages_are_refused_on_both_sides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many = {str(number): np.zeros(1) for number in range(codec.MAX_ARRAYS)}
    with pytest.raises(CodecError, match="more than"):
        encode(Holder(array=np.zeros(1), more=many))
    with pytest.raises(CodecError, match="arrays; at most"):
        decode(Holder, [b"\x80"] + [b""] * (codec.MAX_ARRAYS + 1))
    frames = snapshot(encode(Holder(array=np.zeros(100))))
    monkeypatch.setattr(codec, "MAX_ARRAY", 99)
    monkeypatch.setattr(codec, "MAX_BODY", 10)
    with pytest.raises(CodecError, match="too large"):
        encode(Holder(array=np.zeros(100)))
    with pytest.raises(CodecError, match="at most 10"):
        encode(Holder(array=np.zeros(1)))
    with pytest.raises(CodecError, match="at most 10"):
        decode(Holder, frames)


def _array(*fields: Any) -> bytes:
    array = msgspec.msgpack.Ext(1, msgspec.msgpack.encode(fields))
    return msgspec.msgpack.encode({"type": "Holder", "array": array})


@pytest.mark.parametrize(
    ("frames", "why"),
    [
        ([], "no body"),
        ([b""], "truncated"),
        ([b"\xc1"], "malformed"),
        ([b"\x91" * 100_000], "not a Holder"),
        ([msgspec.msgpack.encode({"type": "Other"})], "Other"),
        ([msgspec.msgpack.encode({"type": "Holder"})], "array"),
        (
            [msgspec.msgpack.encode({"type": "Holder", "array": 3})],
            r"array, got int - at `\$.array",
        ),
        ([_array("<f4", (2,), 0)], "missing"),
        ([_array("<f4", (2,), 1), bytes(8)], "missing"),
        ([_array("<f4", (2,), -1), bytes(8)], "missing"),
        ([_array("<f4", (3,), 0), bytes(8)], "does not fit"),
        ([_array("<f4", (-2, -1), 0), bytes(8)], "negative"),
        ([_array("<f4", (2**62, 2**62), 0), bytes(8)], "does not fit"),
        ([_array("<f4", (0, 2**63), 0), b""], r"\$.array"),
        ([_array("<f4", (1,) * 40, 0), bytes(4)], "40 dimensions; at most 16"),
        # A worker in the jail could hold up the env server for hours with the product of these.
        ([_array("<f4", (2**62,) * 1_000_000, 0), bytes(4)], "dimensions; at most 16"),
        ([_array("|O", (1,), 0), bytes(8)], "not accepted"),
        ([_array(">f4", (1,), 0), bytes(4)], "not accepted"),
        ([_array("<f4", "x", 0), bytes(8)], "malformed"),
        ([_array("<f4"), bytes(8)], "malformed"),
    ],
)
def test_bytes_that_are_no_message_are_reported_in_one_sentence(
    frames: list[bytes], why: str
) -> None:
    with pytest.raises(CodecError, match=why) as error:
        decode(Holder, frames)
    assert "\n" not in str(error.value)


def test_mutated_messages_decode_or_raise_codec_error() -> None:
    dice = random.Random(1)
    step = Stepped(
        **{
            name: np.ones((4, 2), "f4")
            for name in Stepped.__struct_fields__
            if name != "prefix_steps"
        },
        prefix_steps=1,
    )
    good = snapshot(encode(step))
    refused = 0
    for _ in range(3000):
        frames = [bytearray(frame) for frame in good]
        for _ in range(dice.randint(1, 4)):
            frame = dice.choice(frames)
            if frame and dice.random() < 0.8:
                frame[dice.randrange(len(frame))] = dice.randrange(256)
            elif dice.random() < 0.5:
                del frame[dice.randrange(len(frame) + 1) :]
            else:
                frames.pop(dice.randrange(len(frames)))
                if not frames:
                    break
        for read in (lambda f: decode(Stepped, f), decode_untyped):
            try:
                read([bytes(frame) for frame in frames])
            except CodecError:
                refused += 1
    assert refused > 1000


def test_unknown_types_are_read_as_plain_data() -> None:
    step = Step(session="a", choices=np.arange(3))
    plain = decode_untyped(snapshot(encode(step)))
    assert plain["type"] == "Step"
    assert plain["choices"].tolist() == [0, 1, 2]
    with pytest.raises(CodecError, match="not MessagePack"):
        decode_untyped([b"\xc1"])
    assert msgpack.unpackb(encode(step)[0])["session"] == "a"


def test_older_and_newer_versions_understand_each_other() -> None:
    class New(msgspec.Struct, tag="Holder", kw_only=True):
        array: Array
        extra: Array | None = None
        note: str = ""

    new = New(array=np.zeros(2), extra=np.ones(3), note="x")
    assert decode(Holder, snapshot(encode(new))).array.shape == (2,)
    assert decode(New, snapshot(encode(Holder(array=np.zeros(2))))).extra is None


def test_fingerprints_of_different_message_types_differ() -> None:
    def other() -> type[msgspec.Struct]:
        class Task2(msgspec.Struct, tag="Task"):
            id: int

        return Task2

    assert fingerprint(other()) == fingerprint(other())
    assert len({fingerprint(Task), fingerprint(other()), fingerprint(Condition)}) == 3
