"""An impossible task is refused before any node works on it."""

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
import yaml

import rlgpt
from messages.bus import RemoteError
from messages.plan import PURSUE, Limits, PursueGoal
from messages.world import UNSAID, Condition, Task
from nodes.common.checks.rule_file import known_files
from nodes.common.checks.task_check import task_problem
from nodes.planner.planner import Planner
from nodes.testing import MockBus, start
from rlgpt.composing.composition import compose_launch
from rlgpt.composing.configuration import check, check_task
from rlgpt.composing.conversion import convert
from rlgpt.refused import Refused
from tests.launch_toys.launched import PATIENCE, environment, eventually
from tests.task_files import WHOLE

TASK = Task(id="log", prompt="a log", success=Condition(kind="have", name="log"))


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_the_task_files_of_launch_have_no_problem(path: Path) -> None:
    assert task_problem(convert(yaml.safe_load(path.read_text()), Task)) == ""


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            {"success": Condition(kind="have", name="wood")},
            "success.name: wood is a block; the item is log",
        ),
        ({"success": Condition(kind="nearby", name="bed")}, "crafting_table or furnace"),
        (
            {"success": Condition(kind="hve", name="log")},
            "success.kind: there is no condition 'hve'",
        ),
        # Else the prompt would decide, and what is named here would not count.
        ({"success": Condition(kind="", name="log")}, "success.kind: there is no condition ''"),
        ({"game": "narnia"}, "game: there is no game 'narnia'; there are minecraft, crafter"),
        ({"biome": "narnia"}, "biome: there is no biome 'narnia'; there are beach"),
        # Worlds know these names; plans and conditions would not.
        ({"biome": "Forest"}, "biome: there is no biome 'Forest': call it forest"),
        ({"biome": "forest hills"}, "biome 'forest hills': call it forest_hills"),
        ({"inventory": {"log": 0}}, "inventory: it cannot hold 0 of log"),
        # Worlds know these names; plans would count neither.
        ({"inventory": {"minecraft:log": 3}}, "there is no item 'minecraft:log': call it log"),
        ({"inventory": {"iron pickaxe": 1}}, "item 'iron pickaxe': call it iron_pickaxe"),
        *(
            (
                {"game": "crafter", "success": Condition(kind="have", name="wood"), **start},
                f"{next(iter(start))}: an episode of Crafter always starts the same way",
            )
            for start in ({"biome": "plains"}, {"world": {"start_time": 0}})
        ),
        ({"world": {"initial_mobs": "cow, cwo"}}, "initial_mobs: there is no mob 'cwo'"),
        (
            {"success": Condition(kind="health", name="food", quantity=18)},
            "success: food 18 or more holds before the first step: an episode begins with food at "
            "20; task.world.start_food=1 begins with less",
        ),
        (
            {"success": UNSAID, "prompt": "have 300 oxygen"},
            "success: oxygen 300 or more holds before the first step",
        ),
        (
            {"success": UNSAID, "prompt": "kill a mooshroom", "biome": "plains"},
            "success: no mooshroom is ever met in a world of plains: choose another task.biome",
        ),
        (
            {"success": Condition(kind="in_biome", name="forest")},
            "holds before the first step: an episode begins in it: choose another task.biome",
        ),
        (
            {"success": Condition(kind="in_dimension", name="nether"), "biome": "nether"},
            "in the Nether holds before the first step",
        ),
        (
            {
                "success": Condition(kind="worn", name="shield"),
                "inventory": {"shield": 1},
                "world": {"initial_slots": "offhand=shield"},
            },
            "success: shield worn holds before the first step: an episode begins with it on: leave "
            "it out of task.world.initial_slots",
        ),
        # No inventory holds more of it, however many logs it holds.
        (
            {"success": Condition(kind="have", name="iron_pickaxe", quantity=37)},
            "success.quantity: a quantity is 1 to 36, not 37",
        ),
        # Nothing is counted there.
        *(
            (
                {"success": Condition(kind=kind, name=name, quantity=2)},
                "success.quantity: a quantity is 1, not 2",
            )
            for kind, name in (("nearby", "furnace"), ("near", "wood"), ("facing", "wood"))
        ),
    ],
)
def test_mistakes_in_a_task_are_named(change: dict[str, object], problem: str) -> None:
    assert problem in task_problem(msgspec.structs.replace(TASK, **change))
    assert task_problem(TASK) == ""


@pytest.mark.parametrize(
    "change",
    [
        {
            "success": Condition(kind="health", name="food", quantity=18),
            "world": {"start_food": 17},
        },
        {"success": Condition(kind="in_biome", name="forest"), "biome": ""},
        {"success": Condition(kind="in_dimension", name="overworld"), "biome": "the_end"},
        {
            "success": Condition(kind="worn", name="shield"),
            "inventory": {"shield": 1},
            "world": {"initial_slots": "mainhand=shield"},
        },
    ],
)
def test_a_state_that_episodes_do_not_begin_in_may_be_a_goal(change: dict[str, object]) -> None:
    assert task_problem(msgspec.structs.replace(TASK, **change)) == ""


@pytest.mark.parametrize(
    ("mob", "change"),
    [
        ("mooshroom", {"biome": "mushroom_island"}),
        ("mooshroom", {"biome": ""}),
        ("mooshroom", {"biome": "plains", "world": {"initial_mobs": "cow, mooshroom"}}),
        ("blaze", {"biome": "plains"}),  # in the Nether, to which a portal leads
        ("snowman", {"biome": "plains", "inventory": {"snow": 2, "pumpkin": 1}}),  # is built
    ],
)
def test_a_mob_to_be_killed_has_to_be_there_or_on_a_way_from_there(
    mob: str, change: dict[str, object]
) -> None:
    goal = msgspec.structs.replace(TASK, success=Condition(kind="killed", name=mob), **change)
    assert task_problem(goal) == ""


def test_the_planner_rejects_a_goal_with_an_unknown_item(tmp_path: Path) -> None:
    """Independent of its sender: a launch, a script, another machine."""
    bus = MockBus("planner")
    planner = start(Planner, bus, tmp_path)
    wrong = msgspec.structs.replace(TASK, success=Condition(kind="have", name="lgo"))
    with pytest.raises(RemoteError, match=r"task\.success\.name: there is no item 'lgo'; did you"):
        bus.run_goal(PURSUE, "goal", PursueGoal(task=wrong, limits=Limits()))
    assert [name for name, _ in bus.requests] == [PURSUE.name]  # no language model was asked
    planner.shutdown()


def test_a_goal_from_python_is_refused_with_the_same_sentence(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "config.yaml").write_text("nodes: {planner: {}}\n")
    command = [sys.executable, "-m", "nodes.planner", "--run", str(run)]
    with (tmp_path / "log").open("w") as log:
        planner = subprocess.Popen(command, env=environment(), stdout=log, stderr=log)
    try:
        ready = run / "planner" / "node.log"
        eventually(lambda: ready.exists() and "planner is ready" in ready.read_text())
        goal = msgspec.to_builtins(PursueGoal(task=TASK, limits=Limits()))
        goal["task"]["success"]["name"] = "lgo"
        with rlgpt.connect(run) as stack:
            sent = stack.send_goal("planner/pursue", goal)
            with pytest.raises(
                RemoteError, match=r"task\.success\.name: there is no item 'lgo'; did"
            ):
                sent.result(PATIENCE)
            goal["task"]["success"]["kind"] = "had"
            sent = stack.send_goal("planner/pursue", goal)
            with pytest.raises(RemoteError, match=r"success\.kind: there is no condition 'had'"):
                sent.result(PATIENCE)
    finally:
        planner.terminate()
        planner.wait(PATIENCE)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"task": {}}, "`task.id` is missing"),
        ({"task": {"id": "x"}, "limits": {}}, "`task.prompt` is missing"),
        ({"tsk": {}}, "there is no `tsk`; did you mean `task`? (there are: task, limits)"),
        ({"task": {"sucess": {}}}, "there is no `sucess` in `task`; did you mean `success`?"),
        ({"task": 3, "limits": {}}, "`task`: expected a mapping of names to values, got `int`"),
        ([], "expected a mapping of names to values, got a list"),
    ],
)
def test_plain_values_that_are_no_message_are_refused_with_what_is_wrong(
    value: object, words: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        convert(value, PursueGoal)


def test_a_folder_without_any_rule_file_is_named(tmp_path: Path) -> None:
    assert known_files(tmp_path) == f"there is none in {tmp_path}"
    (tmp_path / "rules.yaml").touch()
    assert known_files(tmp_path) == "there are rules.yaml"


def test_a_method_whose_rules_a_game_lacks_is_refused_before_any_node_starts() -> None:
    composed = compose_launch("cell", ["method=deps", "task=crafter", "world=crafter"])
    stack = check({**composed, "run": "nowhere"}, "cell")
    with pytest.raises(Refused, match=r"llm\.rules: the game 'crafter' has no rule file 'deps"):
        check_task(stack, "cell")
