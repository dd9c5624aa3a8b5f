"""What MineDojo's meta tasks pay, and when they are done, with their quirks."""

import pytest

from voxeldojo.meta_tasks import (
    MetaTask,
    Tally,
    make_meta_task,
    meta_task_of,
    prompt_of,
    tally_of_info,
)
from voxeldojo.tasks import make_kwargs, task_ids, task_spec

DAY = 24000


def made(name: str, **given: object) -> MetaTask:
    return make_meta_task(name, make_kwargs(name, image_size=1, **given))


def held(**inventory: int) -> Tally:
    return Tally(inventory=inventory)


def test_every_task_has_a_meta_task() -> None:
    for name in task_ids():
        task = meta_task_of(task_spec(name))
        task.reset(Tally())
        outcome = task.step(Tally())
        assert outcome == (0.0, False, False, False)


def test_a_step_before_the_first_reset_is_refused() -> None:
    with pytest.raises(RuntimeError, match="call reset"):
        meta_task_of(task_spec("harvest_1_log")).step(Tally())


def test_harvest_rewards_gained_items_and_takes_the_reward_of_lost_ones_back() -> None:
    task = made("harvest", target_names="log", target_quantities=8, reward_weights=0.5)
    task.reset(held(log=3))
    assert task.step(held(log=5, dirt=9)).reward == 1.0
    assert task.step(held(log=5)).reward == 0.0
    dropped = task.step(held(log=1))
    assert dropped.reward == -2.0
    assert not dropped.success
    # Eight more than at the start, not eight.
    assert not task.step(held(log=10)).success
    done = task.step(held(log=11))
    assert (done.success, done.done, done.truncated) == (True, True, False)


def test_success_on_one_of_several_harvest_targets_is_enough() -> None:
    task = made(
        "harvest",
        target_names=["log", "dirt"],
        target_quantities={"log": 4, "dirt": 1},
        reward_weights={"log": 1, "dirt": 10},
    )
    task.reset(Tally())
    outcome = task.step(held(log=1, dirt=1))
    assert outcome.reward == 11
    assert outcome.success


def test_success_counts_from_the_start_and_reward_from_the_last_step() -> None:
    task = meta_task_of(task_spec("harvest_1_log"))
    # After a fast reset: what came with the summoning of mobs is already success, but not pay.
    task.reset(held(log=1), start=held())
    outcome = task.step(held(log=1))
    assert outcome.reward == 0
    assert outcome.success


def test_combat_counts_kills_since_the_start() -> None:
    task = made("combat", target_names="zombie", target_quantities=2, reward_weights=3)
    task.reset(Tally(killed={"zombie": 7, "cow": 1}))
    assert task.step(Tally(killed={"zombie": 8, "cow": 5})) == (3.0, False, False, False)
    assert task.step(Tally(killed={"zombie": 9})) == (3.0, True, True, False)


def test_having_a_tech_item_is_rewarded_and_using_it_is_success() -> None:
    task = meta_task_of(task_spec("techtree_from_barehand_to_wooden_sword"))
    task.reset(Tally())
    crafted = task.step(held(wooden_sword=1))
    assert crafted == (1.0, False, False, False)
    used = task.step(Tally(inventory={"wooden_sword": 1}, used={"wooden_sword": 1}))
    assert used == (10.0, True, True, False)
    # Worn out with its last use: the sword is gone, which costs.
    task.reset(held(wooden_sword=1))
    assert task.step(Tally(used={"wooden_sword": 2})).reward == 19.0


def test_a_whole_tech_succeeds_when_every_item_was_used() -> None:
    task = made("techtree", tech="stone")
    task.reset(Tally(used={"stone_axe": 5}))
    some = {"stone_axe": 6, "stone_hoe": 1, "stone_pickaxe": 1, "stone_shovel": 1}
    assert task.step(Tally(used=some)) == (40.0, False, False, False)
    assert task.step(Tally(used={**some, "stone_sword": 1})).success


def test_survival_is_rewarded_each_day_and_at_the_end() -> None:
    task = made("survival", target_days=2, per_day_reward=5, success_reward=100)
    task.reset(Tally())
    assert task.step(Tally(time_since_death=DAY - 1)) == (0.0, False, False, False)
    assert task.step(Tally(time_since_death=DAY)) == (5.0, False, False, False)
    # A death takes the days back.
    assert task.step(Tally(time_since_death=0)).reward == -5.0
    assert task.step(Tally(time_since_death=2 * DAY)) == (110.0, True, True, False)


def test_the_final_reward_of_survival_is_by_default_all_days_again() -> None:
    task = made("survival", target_days=3)
    task.reset(Tally(time_since_death=3 * DAY - 1))
    assert task.step(Tally(time_since_death=3 * DAY)).reward == 1 + 3
    assert made("survival", target_days=3, success_reward=0).final == 3


def test_playthrough_succeeds_with_the_dragon_egg_within_the_time_limit() -> None:
    task = meta_task_of(task_spec("playthrough"))
    task.reset(Tally())
    assert task.step(held(log=1)).reward == 0
    assert task.step(held(dragon_egg=1)) == (10.0, True, True, False)
    task.time_limit = 2
    task.reset(Tally())
    assert task.step(Tally()) == (0.0, False, False, False)
    assert task.step(Tally()) == (0.0, False, True, True)
    assert type(task).time_limit == 8 * 3600 * 4


@pytest.mark.parametrize("name", ["creative", "open-ended"])
def test_creative_and_open_ended_never_pay_and_never_end(name: str) -> None:
    task = made(name)
    task.reset(Tally())
    plenty = Tally(inventory={"dragon_egg": 1}, killed={"zombie": 9}, time_since_death=99 * DAY)
    assert task.step(plenty) == (0.0, False, False, False)


def test_minedojos_info_is_read_into_a_tally() -> None:
    slots = [{"name": "log", "quantity": 3}, {"name": "air", "quantity": 0}]
    info = {
        "inventory": [*slots, {"name": "log", "quantity": 2}],
        "stat": {
            "kill_entity": {"zombie": 1, "pig_zombie": 4},
            "use_item": {"minecraft": {"bow": 2}},
            "time_since_death": 77,
        },
    }
    tally = tally_of_info(info)
    assert tally.inventory["log"] == 5
    assert tally.killed["zombie_pigman"] == 4
    assert tally.used == {"bow": 2}
    assert tally.time_since_death == 77
    with pytest.raises(ValueError, match="no inventory"):
        tally_of_info({})


def test_meta_tasks_have_prompts_of_their_targets() -> None:
    def prompt(name: str, **given: object) -> str:
        return prompt_of(name, make_kwargs(name, image_size=1, **given))

    wanted = {"target_names": ["log", "iron_ore"], "target_quantities": [1, 2]}
    assert prompt("harvest", **wanted) == "Harvest 1 log, 2 iron ore."
    assert prompt("combat", target_names="cow", target_quantities=1) == "Hunt 1 cow."
    assert prompt("techtree", tech_item="stone_axe") == "Unlock stone axe technology."
    assert prompt("survival", target_days=5) == "Survive for 5 days."
    assert prompt("open-ended") == ""
