"""Commands about what the player carries: how many of which items, and in which slots."""

import pytest

from voxeldojo.game import Game
from voxeldojo.game.commands import perform


@pytest.fixture
def bare(game: Game) -> Game:
    """A player with nothing at all."""
    game.reset(5)
    game.world.state.slots[0]["item"] = game.world.state.slots[0]["count"] = 0
    return game


def carried(game: Game) -> dict[int, tuple[str, int, int]]:
    """Name, quantity and variant in each slot that is not empty."""
    rows = enumerate(game.info()["inventory"])
    return {
        n: (row["name"], row["quantity"], row["variant"]) for n, row in rows if row["name"] != "air"
    }


@pytest.mark.parametrize(
    "command", ["replaceitem entity @p slot.hotbar.5 planks 0", "give @p planks 0"]
)
def test_no_command_gives_none_of_an_item(bare: Game, command: str) -> None:
    """A slot with 0 planks would show planks, and let them be placed."""
    bare.set_slot(5, "dirt", 2, 0)
    assert "at least 1" in perform(bare, command)
    assert carried(bare) == {5: ("dirt", 2, 0)}


def test_a_slot_with_none_of_an_item_is_empty(bare: Game) -> None:
    bare.set_slot(5, "dirt", 2, 0)
    bare.set_slot(5, "planks", 0, 3)
    assert carried(bare) == {}
    assert not bare.world.masks()["place"][0].any()
