"""Passes a set of arrays to kernels as one address.

Numba passes a named tuple of arrays by value: each array is ten machine words, so a call between
kernels would put hundreds of them on the stack. A class marked ``by_address`` is passed as the
address of a table instead, from which a kernel reads the address of an array when it names one. In
Python it stays a named tuple, and the code of kernels does not change.
"""

import hashlib
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np import arrayobj

Tuple = TypeVar("Tuple", bound=type)
WORD = 8  # bytes of the table's entries


class ArraysType(types.Type):
    """``layout``: (name, the array's type, lengths of its axes, None for one that is read from the
    table). It is part of the name, as compiled kernels depend on it."""

    def __init__(self, name: str, layout: tuple[Any, ...]) -> None:
        self.layout = {field: (kind, axes) for field, kind, axes in layout}
        self.places: dict[str, int] = {}
        place = 0
        for field, kind, _ in layout:
            self.places[field] = place
            place += 1 + kind.ndim
        digest = hashlib.sha256(repr(layout).encode()).hexdigest()[:16]
        super().__init__(f"{name}@{digest}")


register_model(ArraysType)(models.OpaqueModel)


@infer_getattr
class ArraysAttributes(AttributeTemplate):
    key = ArraysType

    def generic_resolve(self, typ: ArraysType, attr: str) -> Any:
        found = typ.layout.get(attr)
        return found and found[0]


@lower_getattr_generic(ArraysType)
def _array_of(context: Any, builder: Any, typ: ArraysType, value: Any, attr: str) -> Any:
    kind, axes = typ.layout[attr]
    word = ir.IntType(8 * WORD)

    def read(place: int) -> Any:
        return _entry(builder, value, place)

    place = typ.places[attr]
    item = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    shape = [
        read(place + 1 + axis) if length is None else ir.Constant(word, length)
        for axis, length in enumerate(axes)
    ]
    strides = [ir.Constant(word, item)]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length, flags=["nsw"]))
    array = arrayobj.make_array(kind)(context, builder)
    data = builder.inttoptr(read(place), context.get_data_type(kind.dtype).as_pointer())
    arrayobj.populate_array(array, data, shape, strides, item, meminfo=None)
    return array._getvalue()


def _entry(builder: Any, value: Any, place: int) -> Any:
    word = ir.IntType(8 * WORD)
    table = builder.bitcast(value, word.as_pointer())
    found = builder.load(builder.gep(table, [ir.Constant(word, place)]))
    # The table never changes, so a loop reads it only once.
    found.set_metadata("invariant.load", builder.module.add_metadata([]))
    return found


def address_of_array(builder: Any, typ: ArraysType, value: Any, attr: str) -> Any:
    """The address of the array of that name, for code that is written in LLVM's terms."""
    return _entry(builder, value, typ.places[attr])


@unbox(ArraysType)
def _address_of(typ: ArraysType, obj: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(obj, "address")
    address = c.pyapi.long_as_ulonglong(number)
    c.pyapi.decref(number)
    pointer = c.builder.inttoptr(address, cgutils.voidptr_t)
    return NativeValue(pointer, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


def by_address(cls: Tuple) -> Tuple:
    """Class decorator for a NamedTuple of C-ordered arrays. The first axis of an array may be of
    any length, and so may axes 1 and 2 where it has three or more; other lengths are known to the
    compiler."""

    class Held(cls):  # type: ignore[misc, valid-type]
        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            arrays = super().__new__(cls, *args, **kwargs)
            table: list[int] = []
            for array in arrays:
                assert array.flags.c_contiguous
                table += [array.ctypes.data, *array.shape]
            arrays.table = np.array(table, np.uint64)
            arrays.address = arrays.table.ctypes.data
            arrays.numba_type = None
            return arrays

        def __reduce__(self) -> Any:
            # A copy has addresses of its own.
            return _held, (type(self), tuple(self))

    Held.__name__ = Held.__qualname__ = cls.__name__
    Held.__module__, Held.__doc__ = cls.__module__, cls.__doc__

    @typeof_impl.register(Held)
    def _typeof(value: Any, context: Any) -> Any:
        if value.numba_type is None:
            value.numba_type = _type_of(value.__class__.__name__, value)
        return value.numba_type

    return Held  # type: ignore[return-value]


def _held(kind: Any, arrays: tuple[Any, ...]) -> Any:
    # Unpickled arrays can be in read-only memory, and kernels write to them.
    return kind(*(array if array.flags.writeable else array.copy() for array in arrays))


def _type_of(name: str, arrays: Any) -> ArraysType:
    layout = []
    for field, array in zip(arrays._fields, arrays, strict=True):
        last_free = 0 if array.ndim < 3 else 2
        axes = tuple(None if axis <= last_free else n for axis, n in enumerate(array.shape))
        kind = types.Array(numba.from_dtype(array.dtype), array.ndim, "C")
        layout.append((field, kind, axes))
    return ArraysType(name, tuple(layout))
