"""A message without content."""

import msgspec


class Empty(msgspec.Struct, tag=True, frozen=True):
    """No fields."""
