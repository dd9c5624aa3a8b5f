"""Bounds of numbers, as messages and the nodes' parameters declare them."""

from typing import Annotated

from msgspec import Meta

LARGEST = 2**63 - 1  # a bound of msgspec's can be no larger, and NumPy's int64 holds it
Positive = Annotated[int, Meta(ge=1, le=LARGEST)]
NotNegative = Annotated[int, Meta(ge=0, le=LARGEST)]
Threads = Annotated[int, Meta(ge=1, le=64)]
Mebibytes = Annotated[int, Meta(ge=1, le=2**40)]  # an integer of 64 bits holds it in bytes
Share = Annotated[float, Meta(ge=0, le=1)]
Discount = Annotated[float, Meta(gt=0, le=1)]
Amount = Annotated[float, Meta(ge=0, le=1e30)]  # what it is multiplied with fits in 32 bits, too
Lease = Annotated[float, Meta(gt=0, le=3600)]  # seconds: no holder has the GPU for ever
