"""Fixtures of the tests of plans and goals."""

import pytest

from worlds import card
from worlds.card import Goals


@pytest.fixture(scope="session")
def goals() -> Goals:
    """Minecraft's, by name and in words."""
    found = card("minecraft").goals
    assert found is not None
    return found
