"""The keys of MineDojo's event_level_control=False: hot bar, swapping and picking."""

import numpy as np
import pytest

from voxeldojo.game import STILL, Game, Keys
from voxeldojo.malmo.action_lines import parse_lines
from voxeldojo.malmo.framing import BadMessage
from voxeldojo.rules import item_names

STONE, OAK, LOG_META = 1, 17, 6  # a spruce log that lies


@pytest.fixture
def kit(game: Game) -> Game:
    """dirt, -, sword, log (of spruce) in the hot bar, planks and stone in the bag."""
    game.reset(5)
    game.world.state.mobs[0]["kind"] = 0
    for slot, name, quantity, variant in (
        (0, "dirt", 5, 0),
        (2, "iron_sword", 1, 0),
        (3, "log", 4, 2),
        (12, "log", 7, 0),
        (20, "stone", 9, 0),
    ):
        game.set_slot(slot, name, quantity, variant)
    return game


def lines(*given: str) -> Keys:
    keys, _, unknown = parse_lines("\n".join(given).encode())
    assert not unknown
    return keys


def slots(game: Game) -> dict[int, str]:
    inventory = game.info()["inventory"]
    return {n: slot["name"] for n, slot in enumerate(inventory) if slot["name"] != "air"}


def in_hand(game: Game) -> str:
    return item_names[game.world.state.slots[0, 0]["item"]]


def look_at(game: Game, block: int, meta: int) -> None:
    """At a block two steps ahead, as high as the eyes."""
    player = game.player
    player["yaw"] = player["pitch"] = 0.0
    x, y, z = (int(np.floor(player[axis])) for axis in "xyz")
    for south in (1, 2):
        game.put(x, y + 1, z + south, 0, 0)
    game.put(x, y + 1, z + 2, block, meta)


def test_a_hot_bar_key_takes_its_slot_into_the_hand_and_moves_nothing(kit: Game) -> None:
    before = slots(kit)
    for number, name in ((3, "iron_sword"), (4, "log"), (2, "air"), (1, "dirt")):
        kit.tick(lines(f"hotbar.{number} 1"))
        assert in_hand(kit) == name
        assert slots(kit) == before
        assert kit.info()["current_item_index"] == number - 1
    kit.tick(lines("hotbar.1 0", "hotbar.3 1", "hotbar.9 0"))
    assert in_hand(kit) == "iron_sword"
    kit.tick(STILL)
    assert in_hand(kit) == "iron_sword"


def test_actions_use_the_selected_slot(kit: Game) -> None:
    kit.tick(lines("hotbar.4 1"))
    kit.tick(lines("drop 1"))
    assert kit.info()["inventory"][3]["quantity"] == 3
    kit.tick(lines("craft planks"))
    assert kit.held()["planks"] == 4
    # The next free slot is the player's first one, whatever is in the hand.
    assert slots(kit)[1] == "planks"
    assert kit.tick(STILL, "replaceitem entity @p slot.weapon.mainhand torch 3") == ""
    assert slots(kit)[3] == "torch"
    assert kit.tick(STILL, "replaceitem entity @p slot.hotbar.0 coal 2") == ""
    assert (slots(kit)[0], in_hand(kit)) == ("coal", "torch")


def test_equipping_takes_the_place_of_what_is_in_the_hand(kit: Game) -> None:
    kit.tick(lines("hotbar.2 1"))
    kit.tick(lines("equip stone"))
    assert slots(kit) == {0: "dirt", 1: "stone", 2: "iron_sword", 3: "log", 12: "log"}


def test_swap_commands_exchange_two_slots_and_invalid_ones_are_refused(kit: Game) -> None:
    kit.tick(lines("hotbar.3 1", "swapInventoryItems 0 20"))
    assert slots(kit) == {0: "stone", 2: "iron_sword", 3: "log", 12: "log", 20: "dirt"}
    kit.tick(lines("swapInventoryItems 2 40"))
    assert (slots(kit)[40], in_hand(kit)) == ("iron_sword", "air")
    kit.tick(lines("swapHands 1"))
    assert (slots(kit)[2], in_hand(kit)) == ("iron_sword", "iron_sword")
    before = slots(kit)
    kit.tick(lines("swapInventoryItems 5 5"))
    _, _, unknown = parse_lines(b"swapInventoryItems 0 41\nswapInventoryItems -1 3")
    assert len(unknown) == 2
    assert slots(kit) == before
    for wrong in ("swapInventoryItems 1", "swapInventoryItems a b", "hotbar.1 x", "pickItem 2"):
        with pytest.raises(BadMessage, match=r"needs two slots|is 0 or 1"):
            parse_lines(wrong.encode())


def test_picking_from_the_hot_bar_selects_the_slot(kit: Game) -> None:
    look_at(kit, OAK, LOG_META)
    kit.tick(lines("pickItem 1"))
    assert (kit.selected, in_hand(kit)) == (3, "log")  # the spruce, not the oak of slot 12


def test_picking_from_the_bag_fills_the_next_free_slot(kit: Game) -> None:
    look_at(kit, STONE, 0)
    kit.tick(lines("hotbar.3 1"))
    kit.tick(lines("pickItem 1"))
    assert (kit.selected, in_hand(kit)) == (4, "stone")
    assert slots(kit) == {0: "dirt", 2: "iron_sword", 3: "log", 4: "stone", 12: "log"}
    kit.tick(lines("pickItem 1"))
    assert kit.selected == 4


def test_picking_with_a_full_hot_bar_takes_the_place_of_what_is_in_the_hand(kit: Game) -> None:
    for slot in (1, 4, 5, 6, 7, 8):
        kit.set_slot(slot, "torch", 1, 0)
    look_at(kit, STONE, 0)
    kit.tick(lines("hotbar.3 1"))
    kit.tick(lines("pickItem 1"))
    assert (kit.selected, in_hand(kit), slots(kit)[20]) == (2, "stone", "iron_sword")


def test_picking_a_block_that_is_not_held_or_the_sky_changes_nothing(kit: Game) -> None:
    before = slots(kit)
    look_at(kit, 57, 0)  # a block of diamond, of which there is none
    kit.tick(lines("pickItem 1"))
    kit.player["pitch"] = -90.0
    kit.tick(lines("pickItem 1"))
    assert (slots(kit), kit.selected) == (before, 0)


def test_after_a_death_the_first_slot_is_in_the_hand(kit: Game) -> None:
    kit.tick(lines("hotbar.5 1"), "kill")
    kit.tick(STILL)
    assert (kit.selected, slots(kit)) == (0, {})


def test_the_picture_shows_the_hot_bar_in_its_order(kit: Game) -> None:
    first = kit.world.rgb(0, 120, 240).copy()
    kit.tick(lines("hotbar.3 1"))
    third = kit.world.rgb(0, 120, 240).copy()
    left = 240 // 2 - 91
    icons = slice(120 - 18, 120 - 4)
    for slot in (0, 3):  # what lies in it stays where it is; the frame goes
        inside = slice(left + 20 * slot + 4, left + 20 * slot + 18)
        assert np.array_equal(first[:, icons, inside], third[:, icons, inside])

    def framed(image: np.ndarray, slot: int) -> bool:
        return bool((image[:, 120 - 22, left + 20 * slot + 1 : left + 20 * slot + 20] == 230).all())

    assert [framed(first, slot) for slot in (0, 2)] == [True, False]
    assert [framed(third, slot) for slot in (0, 2)] == [False, True]
