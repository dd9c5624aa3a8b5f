"""The float precision that this CPU multiplies fast: 16 bits, or 32.

Weights come in bfloat16. Without AVX-512 an x86 CPU has no fast product of them: torch took 70
times as long for one as for the same in float32 (0.5 and 36 billion operations a second and core),
and a model that writes 15 tokens a second in float32 wrote none in a minute.
"""

from pathlib import Path
from typing import Literal

_CPUS = Path("/proc/cpuinfo")
_FAST_BFLOAT16 = "avx512bw"  # what oneDNN's kernels for bfloat16 ask for at least

Numbers = Literal["bfloat16", "float32"]


def cpu_numbers(cpus: Path = _CPUS) -> Numbers:
    """``float32`` where the CPU is known to be slow at bfloat16: an x86 without AVX-512."""
    try:
        lines = cpus.read_text("utf-8", "replace").splitlines()
    except OSError:  # no Linux: not known
        return "bfloat16"
    flags = next((line.split() for line in lines if line.startswith("flags")), None)
    return "bfloat16" if flags is None or _FAST_BFLOAT16 in flags else "float32"


def numbers_on(device: str) -> Numbers:
    """What weights are served and trained in on a device: ``cpu`` or ``cuda``."""
    return cpu_numbers() if device == "cpu" else "bfloat16"
