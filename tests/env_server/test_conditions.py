"""Minecraft's conditions: the env server's judge, and the card's definition by what was seen, agree
on each kind in the embedded world."""

import msgspec
import numpy as np
import pytest

from messages.chat import JudgeQuestion
from messages.world import JUDGED, Condition, Episode, RewardTerm, View
from nodes.common.questions.asking import render
from nodes.llm.prompt_pages import ROOT, samples
from tests.fake_world import FakeWorld
from tests.voxel_world.arena import FLOOR, Arena
from voxeldojo.actions import action
from voxeldojo.engine.mobs.placing import place_mob
from voxeldojo.rules import BIOMES, block_names, item_names
from voxeldojo.rules.mobs import MOB_IDS, MOBS, entity_names, mob_names
from worlds import card, play
from worlds.minecraft.card.conditions import CONDITIONS, DIMENSIONS, KINDS, STATIONS, TICKS, VITALS
from worlds.minecraft.play import views
from worlds.minecraft.play.conditions import Judge
from worlds.minecraft.play.features import Senses
from worlds.minecraft.play.readings import Readings
from worlds.minecraft.play.views import view
from worlds.minecraft.play.warm_up import warm_up

OFF_HAND = 40


class Watched:
    """One player whom a judge and a card watch; ``holds`` says what both find."""

    def __init__(self, arena: Arena, kind: str, name: str, quantity: int = 1) -> None:
        self.condition = Condition(kind=kind, name=name, quantity=quantity)
        assert not CONDITIONS.problem(self.condition)
        self._readings = Readings(arena.world)
        self._judge = Judge(self.condition, arena.world)
        self._start = tuple(each.copy() for each in self._readings.counters())
        self._before = self._look()

    @property
    def holds(self) -> bool:
        judged = bool(self._judge.holds(self._readings_of_now(), self._start, 0)[0])
        episode = Episode(
            environment=0, seed=0, success=judged, steps=1, reward=0.0, ended="running",
            before=self._before, after=self._look(),
        )  # fmt: skip
        assert CONDITIONS.holds(self.condition, episode) == judged
        return judged

    def _readings_of_now(self) -> Readings:
        self._readings.forget()
        return self._readings

    def _look(self) -> View:
        return view(self._readings_of_now(), 0)


def test_have_counts_all_slots_worn_items_included() -> None:
    arena = Arena(inventory={"iron_helmet": 1})
    had = Watched(arena, "have", "iron_helmet")
    arena.do(action(function="equip", slot=arena.slot_of("iron_helmet")))
    assert arena.have("iron_helmet") == 0  # of the 36 slots
    assert not had.holds
    arena.hold("iron_helmet", slot=9)
    assert had.holds
    shields = Watched(arena, "have", "shield", 2)
    arena.hold("shield", count=2, slot=OFF_HAND)
    assert shields.holds


def test_worn_is_armour_and_the_off_hand() -> None:
    arena = Arena(inventory={"iron_helmet": 1})
    helmet, shield = Watched(arena, "worn", "iron_helmet"), Watched(arena, "worn", "shield")
    assert not helmet.holds
    arena.do(action(function="equip", slot=arena.slot_of("iron_helmet")))
    assert helmet.holds
    assert not shield.holds
    arena.hold("shield", slot=OFF_HAND)
    assert shield.holds


def test_a_kill_counts_from_where_the_episode_began() -> None:
    arena = Arena()
    arena.hold("diamond_sword")
    one = Watched(arena, "killed", "chicken")
    for _ in range(2):
        place_mob(arena.world.state, arena.world.rules, 0, MOB_IDS["chicken"], 16.5, FLOOR, 18.0)
        assert one.holds == (_ == 1)
        arena.stand(16.5, FLOOR, 16.5, pitch=45.0)
        for _ in range(60):
            arena.do("attack")
            if one.holds:
                break
        else:
            pytest.fail("the chicken was not killed")
        later = Watched(arena, "killed", "chicken")
        assert not later.holds


def test_used_and_placed_are_the_statistic_of_use() -> None:
    arena = Arena(inventory={"cobblestone": 3})
    arena.hold("iron_helmet", slot=20)
    used, placed = Watched(arena, "used", "iron_helmet"), Watched(arena, "placed", "cobblestone", 2)
    arena.stand(16.5, FLOOR, 16.5, pitch=60.0)
    arena.do(action(function="equip", slot=20))
    assert used.holds
    assert not placed.holds
    arena.place(arena.slot_of("cobblestone"))
    assert not placed.holds
    arena.stand(16.5, FLOOR, 16.5, yaw=90.0, pitch=60.0)
    arena.place(arena.slot_of("cobblestone"))
    assert placed.holds


def test_lived_counts_ticks_of_the_game() -> None:
    arena = Arena()
    ticks, day = Watched(arena, "lived", "ticks", 30), Watched(arena, "lived", "days")
    arena.do("noop", 29)
    assert not ticks.holds
    arena.do("noop")
    assert ticks.holds
    assert not day.holds
    arena.player["ticks"] = 24_000
    assert day.holds


def test_conditions_on_biome_dimension_and_height_hold_where_the_player_is() -> None:
    arena = Arena(biome="forest")
    assert Watched(arena, "in_biome", "forest").holds
    assert not Watched(arena, "in_biome", "plains").holds
    nether = Watched(arena, "in_dimension", "nether")
    assert Watched(arena, "in_dimension", "overworld").holds
    assert not nether.holds
    arena.player["dimension"] = 1
    assert nether.holds
    assert Watched(arena, "height", "above", FLOOR).holds
    assert Watched(arena, "height", "below", FLOOR).holds
    assert not Watched(arena, "height", "above", FLOOR + 1).holds
    assert not Watched(arena, "height", "below", FLOOR - 1).holds


def test_health_conditions_hold_at_their_quantity() -> None:
    arena = Arena()
    watched = {name: Watched(arena, "health", name, 15) for name in ("life", "food", "oxygen")}
    assert all(each.holds for each in watched.values())
    for vital, field in (("life", "life"), ("food", "food"), ("oxygen", "air")):
        arena.player[field] = 14
        assert not watched[vital].holds


@pytest.mark.parametrize(
    ("kind", "name", "quantity", "problem"),
    [
        ("killed", "wood", 1, "there is no mob 'wood'"),
        ("killed", "zombie pigman", 1, "did you mean zombie_pigman"),
        ("used", "spade", 1, "there is no item 'spade'"),
        ("placed", "iron_sword", 1, "is not counted"),
        ("placed", "carrot", 1, "is not counted"),
        ("worn", "iron_helmet", 2, "a quantity is 1, not 2"),
        ("worn", "log", 1, "log is not worn"),
        ("worn", "air", 1, "air is in no inventory"),
        ("near", "air", 1, "air is always near"),
        ("facing", "air", 1, "air is not seen: name a block or mob"),
        ("lived", "years", 1, "a unit of time is ticks or days, not 'years'"),
        ("in_biome", "forrest", 1, "there is no biome 'forrest'"),
        ("in_dimension", "hell", 1, "a dimension is overworld, nether or end, not 'hell'"),
        ("height", "up", 64, "a height is above or below, not 'up'"),
        ("health", "life", 21, "1 to 20, not 21"),
        ("health", "mana", 1, "life, food or oxygen, not 'mana'"),
    ],
)
def test_mistakes_in_a_condition_are_named(
    kind: str, name: str, quantity: int, problem: str
) -> None:
    assert problem in CONDITIONS.problem(Condition(kind=kind, name=name, quantity=quantity))


@pytest.mark.parametrize("kind", ["gain", "approach", "facing"])
def test_air_is_neither_rewarded_nor_a_target(kind: str) -> None:
    term = RewardTerm(kind=kind, weight=1.0, name="air")
    assert card("minecraft").specs.reward_problem(term).startswith("air is ")
    with pytest.raises(ValueError, match="air is no"):
        play("minecraft").reward(term, FakeWorld(1))
    assert card("minecraft").specs.target_problem("air") == "air is not seen: name a block or mob"
    with pytest.raises(ValueError, match="air is no block or mob: name one"):
        Senses(["air"], [], FakeWorld(1))


def test_a_world_that_does_not_count_reports_it() -> None:
    for kind, name in (("killed", "cow"), ("used", "stick"), ("lived", "days")):
        with pytest.raises(ValueError, match="this world does not count"):
            Judge(Condition(kind=kind, name=name), FakeWorld(1))


@pytest.mark.parametrize(
    "mob", [name for name, seen in zip(mob_names, entity_names, strict=True) if name != seen][1:]
)
def test_a_mob_is_faced_by_the_name_it_is_summoned_by_and_by_the_one_it_is_seen_by(mob: str):
    arena = Arena()
    names = mob, entity_names[mob_names.index(mob)]
    watched = [Watched(arena, "facing", name) for name in names]
    assert [each.holds for each in watched] == [False, False]
    number = MOB_IDS[mob]
    y = FLOOR + 1.62 - MOBS[number - 1].height / 2  # its middle before the eyes
    place_mob(arena.world.state, arena.world.rules, 0, number, 16.5, y, 18.5)
    assert [each.holds for each in watched] == [True, True]


def test_a_mob_hides_the_block_behind_it() -> None:
    arena = Arena()
    arena.put(16, FLOOR + 1, 19, "log")
    watched = [Watched(arena, kind, "wood") for kind in ("facing", "near")]
    reward = play("minecraft").reward(
        RewardTerm(kind="facing", weight=1.0, name="wood"), arena.world
    )
    everybody = np.ones(1, bool)
    assert [each.holds for each in watched] == [True, True]
    assert reward.pay(Readings(arena.world), everybody).all()
    place_mob(arena.world.state, arena.world.rules, 0, MOB_IDS["cow"], 16.5, FLOOR + 0.5, 18.0)
    assert Watched(arena, "facing", "cow").holds
    assert [each.holds for each in watched] == [False, False]
    assert not reward.pay(Readings(arena.world), everybody).any()


def test_judge_and_card_agree_on_all_that_a_condition_can_name() -> None:
    """In a scene where some of each kind holds."""
    named: dict[str, list[str]] = {
        **dict.fromkeys(("have", "used", "placed", "worn"), item_names[1:]),
        "near": block_names[1:],
        "facing": [*block_names, *entity_names[1:], *mob_names[1:]],
        "nearby": [*STATIONS],
        "killed": mob_names[1:],
        "lived": [*TICKS],
        "in_biome": [biome.name for biome in BIOMES],
        "in_dimension": [*DIMENSIONS],
        "height": ["above", "below"],
        "health": [*VITALS],
        JUDGED: ["creative:0"],
    }
    assert named.keys() == KINDS.keys()
    arena = Arena()
    wanted = [Condition(kind=kind, name=name) for kind, names in named.items() for name in names]
    wanted = [each for each in wanted if not CONDITIONS.problem(each)]
    watched = [Watched(arena, each.kind, each.name) for each in wanted]
    arena.stand(16.5, FLOOR, 16.5, pitch=60.0)
    arena.hold("crafting_table")
    arena.place(0)
    arena.hold("shield", slot=OFF_HAND)
    world = arena.world
    world.state.kills[0, MOB_IDS["zombie_pigman"]] = 1
    world.state.used[0, item_names.index("cobblestone")] = 1
    held = {each.condition.kind for each in watched if each.holds}
    assert held == KINDS.keys() - {JUDGED}


def test_each_kind_is_judged_worded_and_warmed_up() -> None:
    conditions = {each.kind: each for each in (*warm_up().conditions, warm_up().task.success)}
    assert conditions.keys() == KINDS.keys()
    world = Arena().world
    for condition in conditions.values():
        assert not CONDITIONS.problem(condition)
        Judge(condition, world)
        assert CONDITIONS.words(condition) != CONDITIONS.short(condition)
        assert len(CONDITIONS.short(condition)) < 60


def test_used_counts_from_the_start_of_each_environments_episode() -> None:
    """A batch: an episode that begins later counts from then."""
    world = Arena().world
    judge = Judge(Condition(kind="used", name="stick"), world)
    readings = Readings(world)
    start = tuple(each.copy() for each in readings.counters())
    world.state.used[0, world.item_names.index("stick")] = 1
    readings.forget()
    assert judge.holds(readings, start, 0).tolist() == [True]
    start = tuple(np.copy(each) for each in readings.counters())
    assert judge.holds(readings, start, 1).tolist() == [False]


def test_kills_and_uses_are_in_the_changes_and_in_the_critics_prompt() -> None:
    start = Watched(Arena(), "killed", "cow")._before
    after = msgspec.structs.replace(
        start, killed={"cow": 2}, used={"iron_sword": 5}, worn=["shield"], biome="desert"
    )
    assert views.changes(start, after) == {
        "biome": f"{start.biome} -> desert",
        "killed.cow": "0 -> 2",
        "used.iron_sword": "0 -> 5",
        "worn": "nothing -> shield",
    }
    agent, question = samples()["JudgeQuestion"]
    assert isinstance(question, JudgeQuestion)
    episodes = [msgspec.structs.replace(each, after=after) for each in question.evidence.episodes]
    asked = msgspec.structs.replace(
        question, evidence=msgspec.structs.replace(question.evidence, episodes=episodes)
    )
    user = render(ROOT / "nodes" / agent / "prompts", asked)[1].content
    assert "killed {'cow': 2}; used {'iron_sword': 5}; wears shield" in user
