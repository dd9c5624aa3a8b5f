"""Bounds of numbers, as messages and the nodes' parameters declare them."""

from typing import Annotated

from msgspec import Meta

Positive = Annotated[int, Meta(ge=1)]
NotNegative = Annotated[int, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]
Discount = Annotated[float, Meta(gt=0, le=1)]
Amount = Annotated[float, Meta(ge=0)]
