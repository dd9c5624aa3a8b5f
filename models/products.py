"""Matrix products of small float32 matrices on a CPU.

torch multiplies them with MKL. oneDNN, which torch has as well, takes half of the time on an EPYC
with AVX-512 (docs/speed.md), 4 to 22 % more on one with AVX2 alone, and 10 to 50 % more on an Intel
processor. Narrow matrices, such as a layer's with one output, are not worth its set-up.
"""

import torch
from torch import Tensor

_NARROW = 32  # rows or columns of the right-hand matrix below which torch's own is faster
# The operator that torch.compile makes of a linear layer; it is private, so it may not be there.
_ONEDNN = (
    torch.backends.mkldnn.is_available()
    and torch.backends.cpu.get_cpu_capability().startswith("AVX512")
    and "Intel" not in str(torch.cpu.get_capabilities().get("cpu_name"))
    and hasattr(torch.ops.mkldnn, "_linear_pointwise")
)


def affine(values: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """``values`` (B, inputs) through a linear layer of ``weight`` (outputs, inputs) and ``bias``
    (outputs,): (B, outputs)."""
    if _by_onednn(values, weight):
        return torch.ops.mkldnn._linear_pointwise(values, weight, bias, "none", [], "")
    return torch.addmm(bias, values, weight.T)


def product(left: Tensor, right: Tensor) -> Tensor:
    """(A, B) times (B, C): (A, C). Either may be a transposed view."""
    if _by_onednn(left, right):
        return torch.ops.mkldnn._linear_pointwise(left, right.T, None, "none", [], "")
    return torch.mm(left, right)


def _by_onednn(left: Tensor, right: Tensor) -> bool:
    return (
        _ONEDNN
        and left.device.type == "cpu"
        and left.dtype == torch.float32
        and left.shape[0] >= _NARROW
        and min(right.shape) >= _NARROW
    )
