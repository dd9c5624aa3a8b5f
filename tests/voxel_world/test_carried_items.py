"""Commands about what the player carries: how many of which items, and in which slots."""

import pytest

from voxeldojo.engine.hands.hotbar import select_slot
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


KIT = {0: ("log", 4, 0), 3: ("log", 6, 2), 9: ("dirt", 5, 0), 20: ("log", 8, 0)}


@pytest.mark.parametrize("selected", [0, 3, 7])
@pytest.mark.parametrize(
    ("command", "left"),
    [
        ("clear", {}),
        ("clear @p", {}),
        ("clear @p log", {9: ("dirt", 5, 0)}),
        ("clear @p log -1 -1", {9: ("dirt", 5, 0)}),
        ("clear @p log 2", {n: KIT[n] for n in (0, 9, 20)}),
        ("clear @p log 0 5", {3: KIT[3], 9: KIT[9], 20: ("log", 7, 0)}),
        ("clear @p log -1 7", {3: ("log", 3, 2), 9: KIT[9], 20: KIT[20]}),
        ("clear @p log 0 99", {3: KIT[3], 9: KIT[9]}),
        ("clear @p log 0 0", KIT),
        ("clear @p log 1", KIT),
    ],
)
def test_clear_takes_as_many_of_the_item_and_variant_as_it_is_told(
    bare: Game, selected: int, command: str, left: dict[int, tuple[str, int, int]]
) -> None:
    """Whichever slot is in the hand."""
    select_slot(bare.world.state, 0, selected)
    for number, (name, many, variant) in KIT.items():
        bare.set_slot(number, name, many, variant)
    assert perform(bare, command) == ""
    assert carried(bare) == left
