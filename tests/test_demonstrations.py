"""The scripted player does tasks through actions alone. All templates: rlgpt world demonstrate."""

import pytest

from models.tasks import task_spec, templates
from nodes.env_server.demonstrations.__main__ import main
from nodes.env_server.demonstrations.demonstrate import demonstrate, easiest


@pytest.mark.parametrize(
    "task",
    [
        "harvest_1_furnace",
        "harvest_wool_with_shears_and_sheep",
        "harvest_milk_with_empty_bucket_and_cow",
        "combat_zombie_plains_diamond_armors_diamond_sword_shield",
        "techtree_from_barehand_to_wooden_sword",
    ],
)
def test_a_task_is_done_by_script(task: str) -> None:
    played = demonstrate(task, seed=1, limit=6000)
    assert played.success, played.reason
    assert 0 < played.steps < 6000


def test_a_diamond_from_bare_hands() -> None:
    played = demonstrate("harvest_1_diamond", seed=1, limit=20_000)
    assert played.success, played.reason


def test_too_few_steps_are_told() -> None:
    played = demonstrate("harvest_1_diamond", seed=1, limit=50)
    assert not played.success
    assert played.steps == 50
    assert played.reason == "50 steps were not enough"


def test_the_easiest_of_each_template_belongs_to_it() -> None:
    for template, tasks in templates().items():
        assert easiest(template) in tasks
        assert task_spec(easiest(template)).template == template


def test_an_unknown_task_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["harvest_1_dimond"]) == 2
    assert "harvest_1_diamond" in capsys.readouterr().err
