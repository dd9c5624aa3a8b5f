"""The skill library: kept, tried first, and counted once."""

import logging
import shutil
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from messages.chat import ProgramQuestion, SkillNote, SpecQuestion
from messages.plan import (
    EVALUATE,
    IMPLEMENT,
    PURSUE,
    Evaluate,
    GoalReport,
    Implement,
    Stage,
    SubAction,
)
from messages.program import Program
from messages.training import Policy, Trained, TrainingSpec
from messages.verdict import Verdict
from nodes.common.questions.asking import render
from nodes.common.skills.skill_library import Library
from nodes.common.skills.skills import Counts, LibraryError, follows, holds
from nodes.common.storage.node_memory import Memory
from nodes.env_server.programs.compiler import compile_program
from nodes.fast_agent.implementing import Implementing
from nodes.fast_agent.known_skills.inlining import clashes, with_skills
from nodes.fast_agent.known_skills.run_skills import RunSkills
from nodes.fast_agent.known_skills.skill_lookup import SkillLookup
from nodes.fast_agent.learning.warm_starts import WarmStarts, earlier_name
from nodes.fast_agent.playing.seeds import reuse_seeds
from nodes.fast_agent.tried_programs import TriedPrograms
from tests.agent_stack import FIND, LOG, STEPS, TASK, RunGoal, stack
from tests.agents.stored_skills import TEN, WALK, WOOD, learned, policy
from tests.agents.test_agent_loops import ESCALATION, told
from tests.bus_processes import PATIENCE, ROOT
from tests.weights import weights
from worlds.minecraft.card import CARD
from worlds.minecraft.play.runtime import RUNTIME

# ---- the library


def test_the_same_skill_is_stored_once_and_an_occasion_is_counted_once(tmp_path: Path):
    library = Library(tmp_path / "skills")
    assert library.add("a:goal", "find a tree", learned(), None, TEN) == "find_a_tree"
    assert library.add("a:goal", "find a tree", learned(), None, TEN) == "find_a_tree"
    assert library.add("b:goal", "seek wood", learned(), None, TEN) == "find_a_tree"
    assert library.add("b:other", "find a tree", learned(WALK * 2), None, TEN) == "find_a_tree_2"
    skill = library.find("find_a_tree")
    assert skill is not None
    assert skill.counts == Counts(successes=18, episodes=20, samples=200)
    library.count("b:evaluate", skill.key, Counts(used_successes=3, used_episodes=5))
    library.count("b:evaluate", skill.key, Counts(used_successes=3, used_episodes=5))
    again = Library(tmp_path / "skills").find("find_a_tree")
    assert again is not None
    assert again.counts == Counts(
        successes=18, episodes=20, samples=200, used_successes=3, used_episodes=5
    )
    assert again.learned == learned()
    assert (tmp_path / "skills" / "find_a_tree" / "program.py").read_text() == WALK


def test_a_skill_that_worked_from_fewer_items_requires_only_those(tmp_path: Path):
    library = Library(tmp_path)
    stage = Stage(sub_action=FIND, program=Program(name="find", source=WALK))
    rich = learned(start={"log": 3, "dirt": 2}, before=[stage])
    library.add("a", "make", rich, None, TEN)
    library.add("b", "make", learned(start={"log": 1}), None, TEN)
    skill = library.find("make")
    assert skill is not None
    assert skill.learned.start == {"log": 1}
    assert skill.learned.before == []


@pytest.mark.parametrize(
    ("known", "seen"),
    [
        (({"wooden_pickaxe": 1}, False), ({"stone_pickaxe": 1}, False)),
        (({"log": 3}, False), ({"log": 1, "dirt": 1}, False)),
        (({}, True), ({"log": 3}, False)),  # it stood before a tree, or it had logs
        (({"log": 3}, False), ({}, True)),
    ],
)
def test_a_skill_that_worked_from_other_items_keeps_its_requirements(
    tmp_path: Path, known: tuple[dict[str, int], bool], seen: tuple[dict[str, int], bool]
):
    library = Library(tmp_path)
    stage = Stage(sub_action=FIND, program=Program(name="find", source=WALK))
    for occasion, (start, after) in (("a", known), ("b", seen)):
        library.add(occasion, "make", learned(start=start, before=[stage] * after), None, TEN)
    skill = library.find("make")
    assert skill is not None
    assert skill.counts.episodes == 20
    assert skill.learned.start == known[0]
    assert skill.learned.before == [stage] * known[1]


def test_a_start_fits_if_it_has_the_items_and_follows_the_stages_of_the_skill():
    assert holds({"log": 3}, {"log": 3})
    assert not holds({"log": 2, "dirt": 9}, {"log": 3})
    facing = Stage(sub_action=FIND)
    other = Stage(sub_action=SubAction(name="dig", method="code", success=LOG))
    assert follows(learned(), [])
    assert follows(learned(), [facing])
    assert follows(learned(before=[facing]), [other, facing])
    assert not follows(learned(before=[facing]), [])
    assert not follows(learned(before=[facing]), [facing, other])


def test_a_policy_is_copied_and_stands_without_its_run(tmp_path: Path):
    checkpoint = tmp_path / "run" / "checkpoint.pt"
    checkpoint.parent.mkdir()
    checkpoint.write_bytes(weights("dig"))
    library = Library(tmp_path / "skills")
    name = library.add("a", "dig", policy(), checkpoint, TEN)
    checkpoint.unlink()
    skill = library.find(name)
    assert skill is not None
    skill.check()
    stage = skill.stage(FIND)
    assert stage.policy is not None
    assert stage.policy.id == "skill/dig"
    copy = Path(stage.policy.checkpoint)
    assert copy.read_bytes() == weights("dig")
    assert msgspec.json.decode((copy.parent / "spec.json").read_bytes(), type=TrainingSpec)
    copy.unlink()
    with pytest.raises(LibraryError, match="no checkpoint"):
        skill.check()


def test_several_connections_may_add_skills_at_the_same_time(tmp_path: Path):
    Library(tmp_path).close()

    def add(worker: int) -> None:
        library = Library(tmp_path)
        for number in range(10):
            source = WALK + f"# {worker} {number}\n"
            library.add(f"{worker}:{number}", "find", learned(source), None, TEN)
        library.close()

    threads = [threading.Thread(target=add, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    skills = Library(tmp_path).all()
    assert len({skill.name for skill in skills}) == 40
    assert all(skill.counts == TEN for skill in skills)


def test_a_skill_added_while_one_of_its_name_is_removed_keeps_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    library, other = Library(tmp_path), Library(tmp_path)
    library.add("a", "seek", learned(), None, TEN)
    rmtree = shutil.rmtree

    def late(path: Path, ignore_errors: bool) -> None:
        assert other.add("b", "seek", learned(WALK * 2), None, TEN) == "seek"
        rmtree(path, ignore_errors=ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", late)
    library.remove("seek")
    assert (tmp_path / "seek" / "program.py").read_text() == WALK * 2
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["seek"]


# ---- in the inner loop


def counts(library: Path) -> dict[str, Counts]:
    return {skill.name: skill.counts for skill in Library(library).all()}


REUSED = [
    ESCALATION[0],
    ESCALATION[1],
    [("find a tree", "code", True), ("harvest log", "rl", True)],
]


def check_second(report: GoalReport) -> None:
    assert report.success, report.reason
    assert told(report) == REUSED
    lines = [line for iteration in report.iterations for line in iteration.lines]
    assert [line.skill for line in lines] == ["", "find_a_tree", "", "find_a_tree", "harvest_log"]
    assert sum(iteration.samples.training for iteration in report.iterations) == 0


@pytest.mark.parametrize("kill", [False, True])
def test_a_second_run_trains_nothing_that_the_first_one_learned(
    run_folder: Path, tmp_path: Path, kill: bool
):
    library = tmp_path / "skills"
    runs = [run_folder / "a", run_folder / "b"]
    for run in runs:
        run.mkdir()
    with stack(runs[0], skills=str(library)) as agents:
        report = agents.bus.run_goal(PURSUE, "demo", agents.goal(), timeout=PATIENCE)
        assert told(report) == ESCALATION
    first = counts(library)
    assert set(first) == {"find_a_tree", "harvest_log"}
    # Tried out once, in two episodes, and a part of the evaluations of three iterations.
    assert first["find_a_tree"].successes == first["find_a_tree"].episodes == 2
    assert first["find_a_tree"].used_episodes == 9
    assert first["find_a_tree"].used_successes == 3
    # The last stage brings the task's success about: the evaluation's three count as its own.
    assert first["harvest_log"].successes == first["harvest_log"].episodes == 5
    assert first["harvest_log"].samples == 1100 + 4 * STEPS

    with stack(runs[1], skills=str(library)) as agents:
        happened = threading.Event()

        def before_run(goal: RunGoal) -> None:
            if kill and "iteration-2/evaluate" in goal.id and not happened.is_set():
                happened.set()
                # What comes in meanwhile is not looked up again.
                Library(library).add("else", "aaa", learned("nearest(" + WALK), None, TEN)
                agents.agents["fast_agent"].kill()
                agents.agents["fast_agent"].start()

        agents.world.before_run = before_run
        report = agents.bus.run_goal(PURSUE, "demo", agents.goal(), timeout=PATIENCE)
        check_second(report)
        assert happened.is_set() == kill
    second = counts(library)
    # Tried out once more, on other seeds. Its evaluations are those of the first run played again.
    assert second["find_a_tree"].episodes == 4
    assert second["find_a_tree"].used_episodes == 9
    assert second["harvest_log"].successes == second["harvest_log"].episodes == 5 + 2
    reused = [each.seeds for each in agents.world.opened if "trial-skill" in each.session]
    assert reused
    assert {each.first // 25_000 for each in reused} == {reuse_seeds(3).first // 25_000}


def test_a_skill_that_fails_its_tryout_is_counted_and_a_program_is_written(
    run_folder: Path, tmp_path: Path
):
    library = Library(tmp_path)
    library.add("before", "find a tree", learned(), None, TEN)  # WALK finds nothing here
    with stack(run_folder, skills=str(tmp_path)) as agents:
        goal = Implement(task=TASK, sub_action=FIND, before=[], history=[])
        implemented = agents.bus.run_goal(IMPLEMENT, "alone", goal, timeout=PATIENCE)
    assert implemented.line.verdict.success
    assert implemented.line.skill == ""
    assert implemented.samples.trial == 2 * 2 * STEPS  # the skill's tryout and the program's
    known = counts(tmp_path)
    assert known["find_a_tree"].successes == 9
    assert known["find_a_tree"].episodes == 12
    assert known["find_a_tree_2"].episodes == 2


def test_a_skill_takes_no_samples_that_its_sub_action_needs_itself(
    run_folder: Path, tmp_path: Path
):
    """One that fails, tried with the only episodes that there are, would end the goal."""
    Library(tmp_path).add("before", "find a tree", learned(), None, TEN)  # fails here
    with stack(run_folder, skills=str(tmp_path)) as agents:
        for tried, episodes in ((False, 2), (True, 3)):  # a tryout has two
            goal = Implement(
                task=TASK,
                sub_action=FIND,
                before=[],
                history=[],
                samples=episodes * TASK.horizon,
            )
            implemented = agents.bus.run_goal(IMPLEMENT, f"with-{episodes}", goal, timeout=PATIENCE)
            assert implemented.stage is not None
            assert any("trial-skill" in each.session for each in agents.world.opened) == tried


def test_a_skill_below_the_rate_that_is_asked_for_is_not_tried(run_folder: Path, tmp_path: Path):
    library = Library(tmp_path)
    library.add("before", "find a tree", learned(), None, TEN)
    with stack(run_folder, skills=str(tmp_path), reuse_rate=0.95) as agents:
        goal = Implement(task=TASK, sub_action=FIND, before=[], history=[])
        implemented = agents.bus.run_goal(IMPLEMENT, "alone", goal, timeout=PATIENCE)
    assert implemented.line.verdict.success
    assert implemented.samples.trial == 2 * STEPS  # the program's alone
    assert counts(tmp_path)["find_a_tree"] == TEN


def test_without_its_checkpoint_a_skill_is_passed_over(run_folder: Path, tmp_path: Path):
    checkpoint = tmp_path / "weights"
    checkpoint.write_bytes(weights("dig"))
    library = Library(tmp_path / "skills")
    library.add("before", "dig", policy(), checkpoint, TEN)
    (tmp_path / "skills" / "dig" / "checkpoint.pt").unlink()
    dig = SubAction(name="harvest log", method="rl", success=LOG)
    find = Stage(sub_action=FIND, program=Program(name="find", source="nearest("))
    with stack(run_folder, skills=str(tmp_path / "skills")) as agents:
        goal = Implement(task=TASK, sub_action=dig, before=[find], history=[])
        implemented = agents.bus.run_goal(IMPLEMENT, "alone", goal, timeout=PATIENCE)
    assert implemented.line.skill == ""
    assert implemented.samples.training == 1100


def test_a_later_training_of_the_sub_action_begins_from_the_earlier_policy(run_folder: Path):
    dig = SubAction(name="harvest log", method="rl", success=LOG)
    find = Stage(sub_action=FIND, program=Program(name="find", source="nearest("))
    goal = Implement(task=TASK, sub_action=dig, before=[find], history=[])
    with stack(run_folder) as agents:
        for number in range(2):
            agents.bus.run_goal(IMPLEMENT, f"demo/{number}/dig", goal, timeout=PATIENCE)
        starts = [train.spec.start for train in agents.world.trained.values()]
    assert starts[0] is None
    assert starts[1] is not None
    assert starts[1].id == "demo/0/dig/train"


def test_a_training_begins_from_the_best_of_the_library(tmp_path: Path):
    checkpoint = tmp_path / "weights"
    library = Library(tmp_path / "skills")
    for name, successes in (("worse", 2), ("best", 9), ("zero", 0)):
        checkpoint.write_bytes(weights(name))
        library.add(name, name, policy(), checkpoint, Counts(successes=successes, episodes=10))
    memory = Memory(tmp_path / "memory.sqlite")
    skills = RunSkills(library, tmp_path, {}, logging.getLogger("test"))
    starts = WarmStarts(SkillLookup(skills, memory), memory)
    sub_action = SubAction(name="dig another way", method="rl", success=LOG)
    request = Implement(task=TASK, sub_action=sub_action, before=[], history=[])
    spec = policy().spec
    assert spec is not None
    start = starts.find(cast(Implementing, SimpleNamespace(id="goal", request=request)), spec)
    assert start is not None
    assert start.id == "skill/best"


class _SlowMemory(Memory):
    """Who reads a list has not yet added to it when the others read it."""

    def find(self, name: str, type: type[Any]) -> Any:
        found = super().find(name, type)
        time.sleep(0.02)
        return found


def test_what_goals_remember_side_by_side_is_all_kept(tmp_path: Path):
    memory = _SlowMemory(tmp_path / "memory.sqlite")
    skills = RunSkills(None, tmp_path, {}, logging.getLogger("test"))
    starts, tried = WarmStarts(SkillLookup(skills, memory), memory), TriedPrograms(memory)
    spec = policy().spec
    assert spec is not None
    sub_action = SubAction(name="dig", method="rl", success=LOG)
    request = Implement(task=TASK, sub_action=sub_action, before=[], history=[])
    goal = cast(Implementing, SimpleNamespace(id="goal", request=request))
    verdict = Verdict(success=False, success_rate=0.5, reason="too short")

    def start(number: int) -> None:
        trained = SimpleNamespace(policy=Policy(id=f"policy-{number}", checkpoint="weights"))
        starts.remember(goal, spec, cast(Trained, trained))

    def program(number: int) -> None:
        tried.remember(goal, Program(name="dig", source=f"wait({number})"), verdict, [])

    for remember in (start, program):
        threads = [threading.Thread(target=remember, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert {each.name for each in tried.of(goal)} == {f"dig_{number}" for number in (1, 2, 3, 4)}
    assert len(memory.find(earlier_name(goal), list[Any])) == 4


def test_two_policies_in_one_goal_are_trained_and_played_one_after_the_other(run_folder: Path):
    """Each is a training of its own, and they are played one after the other."""
    dig = SubAction(name="harvest log", method="rl", success=LOG)
    find = Stage(sub_action=FIND, program=Program(name="find", source="nearest("))
    goal = Implement(task=TASK, sub_action=dig, before=[find], history=[])
    with stack(run_folder, warm_starts=False) as agents:
        learned = [
            agents.bus.run_goal(IMPLEMENT, f"demo/{name}", goal, timeout=PATIENCE).stage
            for name in ("first", "second")
        ]
        stages = [find, *(stage for stage in learned if stage is not None)]
        agents.bus.run_goal(
            EVALUATE, "demo/whole", Evaluate(task=TASK, stages=stages), timeout=PATIENCE
        )
        assert [train.spec.start for train in agents.world.trained.values()] == [None, None]
        played = [name for session, name in agents.world.played if "demo/whole" in session]
        # Both begin again, to the episode's end: 300 of 1,000 steps, and three times more.
        assert played == ["find", *["demo/first/train"] * 4, *["demo/second/train"] * 4]


# ---- what the language model sees, and may call


def test_the_prompt_lists_skills_only_where_there_are_any():
    note = SkillNote(name="find_a_tree", purpose="walk up to a tree", success=WOOD, rate=0.9)
    prompts = ROOT / "nodes" / "fast_agent" / "prompts"
    for kind in (ProgramQuestion, SpecQuestion):
        without = render(prompts, kind(task=TASK, sub_action=FIND))[1].content
        shown = render(prompts, kind(task=TASK, sub_action=FIND, skills=[note]))[1].content
        assert "find_a_tree" not in without
        assert "Skills:" not in without
        assert "`find_a_tree` (the crosshair on a block called `wood` within reach" in shown


def test_a_program_that_calls_a_skill_holds_its_source():
    skill = "BLOCK = 'wood'\n\n\ndef near(obs, goal):\n    return nearest(obs, goal)\n\n\n"
    skill += "def action(obs):\n    while near(obs, goal=BLOCK) is None:\n        obs = turn(30)\n"
    own = "BLOCK = 'stone'\n\n\ndef action(obs):\n    find_a_tree(obs)\n    obs = noop()\n"
    whole = with_skills(own, {"find_a_tree": skill, "other": skill})
    assert whole.startswith(own)
    assert "def find_a_tree(obs)" in whole
    assert "find_a_tree__BLOCK = 'wood'" in whole
    assert "other" not in whole
    compile_program(whole, RUNTIME)
    assert with_skills(WALK, {"find_a_tree": skill}) == WALK
    # A name of the skill's may be one of a parameter that the language has.
    skill = "max_steps = 9\ndef action(obs):\n    obs = walk_to(obs, 1, 2, max_steps=max_steps)\n"
    whole = with_skills(own, {"find_a_tree": skill})
    assert "max_steps=find_a_tree__max_steps)" in whole
    compile_program(whole, RUNTIME)
    assert with_skills("def action(obs:\n  find_a_tree()", {"find_a_tree": skill}).count("\n") == 1


def test_a_function_that_a_called_skill_also_uses_has_to_be_renamed():
    skill = (
        "LEFT = 5\n\n\ndef ahead(obs):\n    return LEFT\n\n\n"
        "def action(obs):\n    step = ahead(obs)\n    obs = walk_to(obs, step, 0)\n"
    )
    call = "def action(obs):\n    fetch_it(obs)\n    obs = noop()\n"
    for name in ("walk_to", "step"):
        own = f"def {name}(obs, x, z):\n    return noop()\n\n\n{call}"
        said = f"the skill fetch_it means something else by the name {name}: call your function"
        problems = clashes(own, {"fetch_it": skill})
        assert [(each.line, each.message) for each in problems] == [(1, f"{said} something else")]
        assert clashes(own.replace("fetch_it", name), {"fetch_it": skill}) == []
    apart = f"step = 1\nLEFT = 2\n\n\ndef ahead(obs):\n    return LEFT + step\n\n\n{call}"
    assert clashes(apart, {"fetch_it": skill}) == []
    compile_program(with_skills(apart, {"fetch_it": skill}), RUNTIME)
    assert clashes("def action(obs:\n  fetch_it()", {"fetch_it": skill}) == []


@pytest.mark.parametrize("name", ["attack", "walk to", "for", "obs", "action", "range"])
def test_a_skill_gets_a_name_that_programs_can_call(tmp_path: Path, name: str):
    known = Library(tmp_path / "skills").add("a:goal", name, learned(), None, TEN)
    own = f"def action(obs):\n    obs = {known}(obs)\n    obs = attack()\n"
    compile_program(with_skills(own, {known: WALK}), RUNTIME)


@pytest.mark.parametrize(
    "path", sorted(CARD.rulebook.programs.glob("*.py")), ids=lambda path: path.stem
)
def test_every_program_of_the_stock_can_be_called_as_a_skill(path: Path):
    own = "def action(obs):\n    known(obs)\n"
    compile_program(with_skills(own, {"known": path.read_text()}), RUNTIME)
