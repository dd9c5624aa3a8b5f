"""The benchmark of learning from code: what stands is chosen by episodes that are not counted."""

from typing import Any

from benchmarks.learning_from_code import ARMS, SETTINGS, stands, table, training_spec


def programs(tried: int, unseen: int, steps: int = 900) -> dict[str, Any]:
    rows = {"hunt": [tried, unseen, steps], "other": [0, 60, 1]}
    return {"task": "wool", "arm": "programs", "seed": 0, "programs": rows, "best": "hunt"}


def policy(tried: int, unseen: int, steps: int = 800, arm: str = "all") -> dict[str, Any]:
    row = {"task": "wool", "arm": arm, "seed": 0, "success": unseen}
    return {**row, "tried": tried, "tried_steps": steps}


def test_what_stands_is_chosen_by_other_episodes_than_it_is_counted_in() -> None:
    # The larger of the two counts would be 50 in all of them.
    assert stands(policy(48, 40), programs(47, 50)) == 40
    assert stands(policy(46, 50), programs(47, 40)) == 40
    assert stands(policy(47, 40), programs(47, 50)) == 40  # fewer steps
    assert stands(policy(47, 50, steps=901), programs(47, 40)) == 40


def test_rows_of_an_earlier_version_do_not_show_what_stands() -> None:
    old = programs(47, 50)
    old["programs"]["hunt"] = [47, 50]
    assert stands(policy(48, 40), old) is None
    assert stands({"success": 40}, programs(47, 50)) is None
    last = table([old, policy(48, 40)], 60).splitlines()[-1]
    assert last == "| wool | 50 of 60 | 40 | - |"


def test_tryouts_are_an_arm_of_their_own() -> None:
    def of(arm: str) -> tuple[bool, bool, bool]:
        spec = training_spec(SETTINGS["wool"], arm, "hunt", 0, 1000, 5)
        options = any(macro.interrupt for macro in spec.interface.macros)
        return options, bool(spec.clone), spec.tryouts is not None

    assert {arm: of(arm) for arm in ARMS} == {
        "nothing": (False, False, False),
        "options": (True, False, False),
        "clone": (False, True, False),
        "options+clone": (True, True, False),
        "tryouts": (False, False, True),
        "all": (True, True, True),
    }
