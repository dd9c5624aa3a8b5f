"""Skills that are damaged or of another version are passed over, and nothing fails by them."""

import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.bus import ServiceError
from messages.plan import IMPLEMENT, Implement, Stage, SubAction
from messages.program import Program
from messages.training import ACTOR, GetActor, GotActor, Policy, Trained
from messages.world import Field
from nodes.common.skills.skill_library import Library
from nodes.common.skills.skills import Counts, Learned, LibraryError
from nodes.common.storage.node_memory import Memory
from nodes.fast_agent.known_skills.run_skills import RunSkills
from nodes.fast_agent.known_skills.skill_lookup import SkillLookup
from tests.agent_stack import FIND, LOG, TASK, ToyWorld, rulebook_world, stack
from tests.agents.stored_skills import TEN, WALK, policy
from tests.agents.test_guard_loops import achieved
from tests.agents.test_guards_by_rl import learning
from tests.bus_processes import PATIENCE
from tests.weights import weights


def with_macro() -> Learned:
    """A policy that does what it is for in the toy world."""
    made = policy()
    assert made.spec is not None
    macros = [Program(name="cut", source=WALK)]
    interface = msgspec.structs.replace(made.spec.interface, macros=macros)
    spec = msgspec.structs.replace(made.spec, interface=interface)
    return msgspec.structs.replace(made, spec=spec)


DAMAGES = [
    ("checkpoint.pt", lambda data: data[: len(data) // 2], "has a damaged checkpoint: "),
    ("checkpoint.pt", lambda data: b"", "has a damaged checkpoint: "),
    ("checkpoint.pt", lambda data: data.replace(b"dig", b"dug", 1), "weights fails its checksum"),
    ("checkpoint.pt", None, "has no checkpoint: "),
    ("spec.json", lambda data: data[: len(data) // 2], "has a damaged training spec: "),
    ("spec.json", lambda data: b"", "has a damaged training spec: "),
    ("spec.json", lambda data: b"\xff" + data, "has a damaged training spec: "),
    ("spec.json", lambda data: b"[]", "has a damaged training spec: "),
    ("spec.json", None, "has no training spec: "),
]


def with_dig(folder: Path) -> Path:
    """A library with a policy, in its folder."""
    (folder / "weights").write_bytes(weights("dig"))
    Library(folder / "skills").add("before", "dig", with_macro(), folder / "weights", TEN)
    return folder / "skills"


@pytest.mark.parametrize(("file", "damage", "said"), DAMAGES)
def test_a_policy_with_a_damaged_file_is_named_and_never_handed_out(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    file: str,
    damage: Callable[[bytes], bytes] | None,
    said: str,
):
    library = Library(with_dig(tmp_path))
    path = tmp_path / "skills" / "dig" / file
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage(path.read_bytes()))
    skill = library.find("dig")
    assert skill is not None
    with pytest.raises(LibraryError, match="`rlgpt skill remove dig` forgets it") as refused:
        skill.check()
    assert said in str(refused.value)
    assert str(path) in str(refused.value)
    memory = Memory(tmp_path / "memory.sqlite")
    lookup = SkillLookup(RunSkills(library, tmp_path, {}, logging.getLogger("test")), memory)
    assert lookup.policies(LOG, lambda spec: True) == []
    assert str(refused.value) in caplog.text


def test_where_the_best_skill_is_damaged_the_next_one_is_used(run_folder: Path, tmp_path: Path):
    library = Library(with_dig(tmp_path))
    (tmp_path / "weights").write_bytes(weights("dig well"))
    best = Counts(successes=10, episodes=10)
    library.add("before", "dig_well", with_macro(), tmp_path / "weights", best)
    spec = tmp_path / "skills" / "dig_well" / "spec.json"
    spec.write_bytes(spec.read_bytes()[:100])
    dig = SubAction(name="harvest log", method="rl", success=LOG)
    find = Stage(sub_action=FIND, program=Program(name="find", source="nearest("))
    with stack(run_folder, skills=str(tmp_path / "skills")) as agents:
        goal = Implement(task=TASK, sub_action=dig, before=[find], history=[])
        implemented = agents.bus.run_goal(IMPLEMENT, "alone", goal, timeout=PATIENCE)
        played = [name for _, name in agents.world.played]
    assert implemented.line.verdict.success
    assert "skill/dig_well" not in played
    assert "skill/dig" in played


@pytest.mark.parametrize("record", [b"{", b'{"purpose": "\xff"}'])
def test_a_row_that_cannot_be_read_is_named_and_the_other_skills_are_used(
    run_folder: Path, tmp_path: Path, record: bytes
):
    """SQLite's own reading refuses all rows for one text that is not UTF-8."""
    folder = with_dig(tmp_path)
    (tmp_path / "weights").write_bytes(weights("aim"))
    name = Library(folder).add("before", "aim", with_macro(), tmp_path / "weights", TEN)
    with sqlite3.connect(folder / "library.sqlite") as table:
        values = (record, name)
        table.execute("update skills set record = cast(? as text) where name = ?", values)
    dig = SubAction(name="harvest log", method="rl", success=LOG)
    find = Stage(sub_action=FIND, program=Program(name="find", source="nearest("))
    with stack(run_folder, skills=str(folder)) as agents:
        goal = Implement(task=TASK, sub_action=dig, before=[find], history=[])
        implemented = agents.bus.run_goal(IMPLEMENT, "alone", goal, timeout=PATIENCE)
    assert implemented.line.skill == "dig"
    log = (run_folder / "fast_agent" / "node.log").read_text()
    assert log.count(f"is broken at `{name}`: ") == 1
    assert f"`rlgpt skill remove {name}` forgets it; the others are used" in log


class Outgrown(ToyWorld):
    """Its learner finds that no policy of the library fits the sessions of today."""

    def train(self, goal: Any) -> Trained:
        if goal.request.spec.start is not None:
            raise ServiceError("Its observations are others.", code="policy_does_not_fit")
        return super().train(goal)


def test_a_training_whose_start_does_not_fit_begins_from_scratch(run_folder: Path, tmp_path: Path):
    """A library may be of another version, whose features had other sizes."""
    dig = SubAction(name="harvest log", method="rl", success=LOG)
    find = Stage(sub_action=FIND, program=Program(name="find", source="nearest("))
    goal = Implement(task=TASK, sub_action=dig, before=[find], history=[])

    def world(run: Path) -> ToyWorld:
        return Outgrown(run, rulebook_world)

    with stack(run_folder, skills=str(tmp_path / "skills"), world=world) as agents:
        first = agents.bus.run_goal(IMPLEMENT, "demo/0/dig", goal, timeout=PATIENCE)
        again = agents.bus.run_goal(IMPLEMENT, "demo/1/dig", goal, timeout=PATIENCE)
        trained = list(agents.world.trained)
    assert first.line.verdict == again.line.verdict
    assert trained == ["demo/0/dig/train", "demo/1/dig/train-from-scratch"]


def test_a_guard_that_does_not_fit_gives_way_to_a_new_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    """Its weights are whole, but every stage that it interrupts would be refused."""
    bus, trained, _ = learning(tmp_path, evaluation_episodes=24)
    achieved(bus)
    actor = bus.call(ACTOR, GetActor(policy=Policy(id="goal", checkpoint=""))).actor
    outgrown = msgspec.structs.replace(actor, fields=[Field(name="facing", size=4)])

    def answer(request: GetActor) -> GotActor:
        library = request.policy.id.startswith("skill/")
        return GotActor(actor=outgrown if library else actor)

    bus.answer(ACTOR, answer)
    report = achieved(bus, "another")
    assert report.success, report.reason
    guard = report.iterations[0].stages[0].guards[0]
    assert guard.policy == "another/iteration-0/guard-move-on/train"
    assert len(trained) == 2
    assert "the skill move_on cannot be played, and a guard is written in its place" in caplog.text
