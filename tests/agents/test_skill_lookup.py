"""Which skills of a library fit a goal, and which of them is tried."""

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from messages.bus import GoalHandle
from messages.plan import (
    GuardProposal,
    Implement,
    MakeGuard,
    Method,
    Stage,
    SubAction,
    Working,
)
from messages.program import Program
from messages.world import Guard
from nodes.common.skills.skill_library import Library
from nodes.common.skills.skills import Counts, Learned, Provenance
from nodes.common.storage.node_memory import Memory
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.implementing import Implementing
from nodes.fast_agent.known_skills.run_skills import RunSkills
from nodes.fast_agent.known_skills.skill_lookup import GuardFound, LookedUp, SkillLookup
from tests.agent_stack import LOG, TASK
from tests.agents.stored_skills import WALK, WOOD, learned, policy
from tests.weights import weights

HERE = Provenance(run="/runs/a", goal="demo/find", world="embedded")
ELSEWHERE = msgspec.structs.replace(HERE, world="crafter")
FIND = SubAction(name="find", method="code", success=WOOD)


class Looking:
    """A library, and what a run in the embedded world finds in it."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self.library = Library(run / "skills")

    def add(self, name: str, successes: int, episodes: int, **changes: Any) -> None:
        made = learned(f"{WALK}# {name}\n", **{"provenance": HERE, **changes})
        self._add(name, made, None, successes, episodes)

    def add_policy(self, name: str, successes: int, episodes: int, **changes: Any) -> None:
        checkpoint = self._run / name
        checkpoint.write_bytes(weights(name))
        made = msgspec.structs.replace(policy(), **{"provenance": HERE, **changes})
        self._add(name, made, checkpoint, successes, episodes)

    def _add(
        self, name: str, made: Learned, checkpoint: Path | None, successes: int, episodes: int
    ) -> None:
        counts = Counts(successes=successes, episodes=episodes)
        self.library.add(name, name, made, checkpoint, counts)

    @property
    def lookup(self) -> SkillLookup:
        config = {"world": {"kind": "embedded"}}
        memory = Memory(self._run / "memory.sqlite")
        skills = RunSkills(self.library, self._run, config, logging.getLogger("test"))
        return SkillLookup(skills, memory)

    def found(
        self, sub_action: SubAction = FIND, before: list[Stage] | None = None, **parameters: Any
    ) -> LookedUp:
        of_run = Agent.Parameters(reuse_rate=0.8, **parameters)
        request = Implement(task=TASK, sub_action=sub_action, before=before or [], history=[])
        goal = cast(Implementing, SimpleNamespace(id="goal", request=request))
        return self.lookup.for_sub_action(cast(Agent, SimpleNamespace(parameters=of_run)), goal)

    def found_guard(self, method: Method = "code", **parameters: Any) -> GuardFound:
        proposal = GuardProposal(name="flee", method=method, when="")
        request = MakeGuard(task=TASK, proposal=proposal, sub_actions=[])
        goal = cast(GoalHandle[MakeGuard, Working], SimpleNamespace(id="guard", request=request))
        agent = SimpleNamespace(parameters=Agent.Parameters(**parameters))
        return self.lookup.for_guard(cast(Agent, agent), goal)


def name_of(found: LookedUp) -> str:
    return "" if found.skill is None else found.skill.name


@pytest.mark.parametrize(
    ("successes", "changes", "fits"),
    [
        (8, {}, True),  # at the very rate that is asked for
        (7, {}, False),
        (8, {"provenance": ELSEWHERE}, False),
        (8, {"task": msgspec.structs.replace(TASK, game="crafter")}, False),
        (8, {"condition": LOG}, False),
        (8, {"method": "rl"}, False),
        (8, {"start": {"log": 1}}, False),  # which this goal does not begin with
        (8, {"before": [Stage(sub_action=FIND)]}, False),
    ],
)
def test_a_skill_fits_by_its_rate_world_game_aim_method_and_start(
    tmp_path: Path, successes: int, changes: dict[str, Any], fits: bool
):
    looking = Looking(tmp_path)
    looking.add("seek", successes, 10, **changes)
    assert name_of(looking.found()) == ("seek" if fits else "")


@pytest.mark.parametrize(
    ("worse", "better"), [((8, 10), (9, 10)), ((9, 10), (18, 20)), ((19, 20), (10, 10))]
)
def test_the_skill_with_the_best_rate_is_tried_and_of_equals_the_more_certain_one(
    tmp_path: Path, worse: tuple[int, int], better: tuple[int, int]
):
    looking = Looking(tmp_path)
    looking.add("a", *worse)
    looking.add("b", *better)
    assert name_of(looking.found()) == "b"
    assert [note.name for note in looking.found().notes] == ["b", "a"]


def test_a_skill_that_was_learned_after_the_same_stage_is_tried_first(tmp_path: Path):
    looking = Looking(tmp_path)
    before = [Stage(sub_action=SubAction(name="dig", method="code", success=LOG))]
    looking.add("anywhere", 10, 10)
    looking.add("there", 8, 10, before=before)
    assert name_of(looking.found(before=before)) == "there"


@pytest.mark.parametrize(
    ("changes", "parameters", "fits"),
    [
        ({}, {}, True),
        ({}, {"observations": ("rgb",)}, False),
        ({"observations": ["rgb"]}, {"observations": ("rgb",)}, True),
        ({}, {"autocraft": True}, False),
        ({"autocraft": True}, {}, False),
        ({"macros": [Program(name="dig", source="")]}, {"macros": False}, False),
    ],
)
def test_a_policy_fits_where_the_runs_policies_may_see_and_do_the_same(
    tmp_path: Path, changes: dict[str, Any], parameters: dict[str, Any], fits: bool
):
    looking, spec = Looking(tmp_path), policy().spec
    assert spec is not None
    interface = msgspec.structs.replace(spec.interface, **changes)
    looking.add_policy("dig", 9, 10, spec=msgspec.structs.replace(spec, interface=interface))
    dig = SubAction(name="dig", method="rl", success=LOG)
    assert name_of(looking.found(dig, **parameters)) == ("dig" if fits else "")


def test_policies_to_begin_from_are_of_the_same_world(tmp_path: Path):
    looking = Looking(tmp_path)
    looking.add_policy("elsewhere", 10, 10, provenance=ELSEWHERE)
    looking.add_policy("here", 1, 10)
    found = looking.lookup.policies(LOG, lambda spec: True)
    assert [each.id for each in found] == ["skill/here"]


@pytest.mark.parametrize(
    ("successes", "changes", "fits"),
    [
        (8, {}, True),
        (7, {}, False),
        (8, {"provenance": ELSEWHERE}, False),
        (8, {"task": msgspec.structs.replace(TASK, game="crafter")}, False),
        (8, {"method": "rl"}, False),
    ],
)
def test_a_guard_fits_by_its_rate_world_game_and_method(
    tmp_path: Path, successes: int, changes: dict[str, Any], fits: bool
):
    looking = Looking(tmp_path)
    program = Program(name="flee", source=WALK)
    guard = Guard(name="flee", when="False", program=program, max_steps=9)
    looking.add("flee", successes, 10, guard=guard, program=None, **changes)
    assert bool(looking.found_guard().guard) == fits


@pytest.mark.parametrize(
    ("parameters", "fits"), [({}, True), ({"macros": False}, False), ({"autocraft": True}, True)]
)
def test_a_learned_guard_fits_where_policies_may_do_the_same(
    tmp_path: Path, parameters: dict[str, Any], fits: bool
):
    """Nothing is crafted for a guard, whatever the run has crafted for its other policies."""
    looking, spec = Looking(tmp_path), policy().spec
    assert spec is not None
    macros = [Program(name="step_back", source="")]
    interface = msgspec.structs.replace(spec.interface, macros=macros)
    guard = Guard(name="flee", when="False", interface=interface, policy="p", checkpoint="c")
    looking.add_policy("flee", 9, 10, guard=guard, spec=None)
    assert bool(looking.found_guard("rl", **parameters).guard) == fits
