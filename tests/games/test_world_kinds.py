"""Worlds by their kind, and what is refused."""

from typing import Any

import numpy as np
import pytest

from messages.world import Condition, Task
from nodes.env_server.games import make_world
from worlds import card, play
from worlds.play import WorldError


def task(**fields: Any) -> Task:
    return Task(id="test", prompt="test", success=Condition(kind="have", name="log"), **fields)


def test_unknown_worlds_biomes_items_and_options_are_refused_in_words() -> None:
    for refused, words in (
        (lambda: make_world("marble", 1, task()), "there is no world 'marble'"),
        (lambda: make_world("embedded", 1, task(biome="moon")), "no biome 'moon'"),
        (lambda: make_world("embedded", 1, task(inventory={"logg": 1})), "did you mean log"),
        (lambda: make_world("embedded", 1, task(inventory={"log": 9999})), "slots, there are 36"),
        (lambda: make_world("embedded", 0, task()), "at least one environment"),
        (lambda: make_world("embedded", 1, task(), colour="red"), "no option colour"),
        (lambda: make_world("embedded", 1, task(), area=7), "area is 32"),
        (lambda: make_world("embedded", 1, task(), area="big"), "area is a whole number"),
        (lambda: make_world("embedded", 1, task(), start_food="x"), "start_food is a finite numb"),
        (lambda: make_world("embedded", 1, task(), strict="no"), "strict is true or false"),
    ):
        with pytest.raises(ValueError, match=words):
            refused()


@pytest.mark.parametrize(("fields", "biome"), [({}, "forest"), ({"biome": "desert"}, "desert")])
def test_a_task_of_minecraft_without_a_biome_starts_in_a_forest(
    fields: dict[str, str], biome: str
) -> None:
    asked = task(**fields)
    world = make_world("embedded", 1, asked, area=32)
    world.reset(np.arange(1), np.arange(1))
    assert play("minecraft").view(play("minecraft").readings(world), 0).biome == biome
    assert dict(card("minecraft").setting(asked)) == {"Biome": biome}


def test_a_missing_real_minedojo_is_refused_with_the_page_that_installs_it() -> None:
    with pytest.raises(WorldError, match=r"docs/minedojo\.md"):
        make_world("minedojo", 1, task(), python="/nowhere")
