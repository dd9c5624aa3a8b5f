"""Programs with a mistake that a model is taught to repair."""

import random

import pytest

from nodes.llm.lessons.mistakes import with_a_mistake, with_names
from worlds import card

LANGUAGE = card("minecraft").language
CRAFT = "ITEM = 'quartz_block'\nQUANTITY = 6\n\n\ndef action(obs):\n    obs = craft(ITEM)\n"
HUNT = "MOB = 'cow'\n\n\ndef action(obs):\n    obs = walk_to(find(obs, MOB))\n"


def test_the_words_of_the_task_where_a_number_stands_are_a_mistake():
    found = with_a_mistake(CRAFT, LANGUAGE, random.Random(0))
    assert found is not None
    attempt, sentence = found
    assert "QUANTITY = 6 quartz block\n" in attempt.source
    assert [problem.line for problem in attempt.problems] == [2]
    assert "in `QUANTITY = 6 quartz block`" in attempt.problems[0].message
    assert sentence.endswith(", so QUANTITY has to be 6.")


@pytest.mark.parametrize("seed", range(6))
def test_a_mistake_is_one_that_the_check_of_programs_finds(seed: int):
    source = "ITEM = 'log'\nBLOCK = 'wood'\n\n\ndef action(obs):\n    place = find(obs, BLOCK)\n"
    found = with_a_mistake(source, LANGUAGE, random.Random(seed))
    assert found is not None
    attempt, sentence = found
    assert attempt.source != source
    assert attempt.problems
    assert sentence.endswith(("BLOCK has to be 'wood'.", "ITEM has to be 'log'."))


def test_a_program_in_which_nothing_can_be_mistaken_is_left_alone():
    assert with_a_mistake(HUNT, LANGUAGE, random.Random(0)) is None


def test_names_are_told_as_they_are_written():
    assert with_names("Why.", CRAFT) == "Why. `ITEM = 'quartz_block'`, `QUANTITY = 6`."
