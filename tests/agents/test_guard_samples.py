"""The samples of a guard that is learned: those of its training, and of the two tryouts by which it
is compared with going without it."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from messages.plan import MAKE_GUARD, GuardProposal, MakeGuard, Stage
from messages.program import Program
from messages.world import Guard, SeedRange
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.guard_making.guard_comparison import Compared, compare
from nodes.fast_agent.playing.stage_playing import Play, Played
from nodes.fast_agent.work import GuardWork
from tests.agent_stack import TASK as LOG_TASK
from tests.agents.feedback import HARVEST, episode
from tests.agents.test_guard_loops import TASK, achieved
from tests.agents.test_guards_by_rl import LEARNED, learning

HORIZON = 100
GUARDS = [Guard(name=name, when="False", max_steps=9) for name in ("first", "last", "new")]


class Comparing:
    """A fast agent, as a comparison sees it: each episode takes all its steps, and works where
    ``works(how, number)`` says so, of the tryout "with" or "without"."""

    def __init__(self, works: Callable[[str, int], bool] = lambda how, number: True) -> None:
        self.parameters = SimpleNamespace(
            better_of=True, critic=True, guard_episodes=10, persist=True
        )
        self.player = self.tryouts = self
        self.plays: list[tuple[str, Play]] = []
        self._works = works

    def working(self, goal: Any, activity: str) -> None: ...

    def remembered(self, name: str, value: int) -> int:
        return value

    def seeds(self, id: str, size: int) -> SeedRange:
        return SeedRange(first=0, count=size)

    def play(self, id: str, play: Play, cancelled: Callable[[], bool]) -> Played:
        how = id.split("/")[1]
        self.plays.append((how, play))
        ended = ("success" if self._works(how, at) else "horizon" for at in range(play.size))
        episodes = [episode(at, each) for at, each in enumerate(ended)]
        return Played(episodes=episodes, steps=play.size * HORIZON, reports=[])

    def compare(self, samples: int | None) -> Compared:
        program = Program(name="p", source="", max_steps=1000)
        request = MakeGuard(
            task=msgspec.structs.replace(LOG_TASK, horizon=HORIZON),
            proposal=GuardProposal(name="new", when=""),
            sub_actions=[],
            stages=[Stage(sub_action=HARVEST, program=program, guards=GUARDS[:2])],
            place=1,
            samples=samples,
        )
        goal: Any = SimpleNamespace(id="goal", request=request, withdrawn=False)
        return compare(GuardWork(cast(Agent, self), goal), GUARDS[2])

    @property
    def sizes(self) -> list[tuple[str, int]]:
        return [(how, play.size) for how, play in self.plays]


@pytest.mark.parametrize(("samples", "episodes"), [(None, 10), (2_000, 10), (1_000, 5), (200, 1)])
def test_both_tryouts_of_a_comparison_have_half_of_the_samples(
    samples: int | None, episodes: int
) -> None:
    comparing = Comparing()
    compared = comparing.compare(samples)
    assert comparing.sizes == [("without", episodes), ("with", episodes)]
    assert compared.tried is not None
    assert (compared.reason, compared.tried.episodes) == ("", episodes)


def test_episodes_that_only_one_of_the_tryouts_has_do_not_count() -> None:
    comparing = Comparing(lambda how, number: how == "without" or number < 5)
    compared = comparing.compare(1_150)  # half are five, and then six are left
    assert comparing.sizes == [("without", 5), ("with", 6)]
    assert compared.tried is not None
    assert compared.tried.with_guard == compared.tried.without
    assert compared.reason == ""


def test_a_guard_is_compared_at_its_place_among_the_others() -> None:
    comparing = Comparing()
    comparing.compare(None)
    names = [[each.name for each in play.stages[0].guards] for _, play in comparing.plays]
    assert names == [["first", "last"], ["first", "new", "last"]]


def test_a_comparison_takes_a_quarter_of_the_samples_of_a_guard_at_most(tmp_path: Path) -> None:
    bus, trained, _ = learning(tmp_path, fast_agent={"guard_episodes": 60})
    stages = [
        msgspec.structs.replace(stage, guards=[]) for stage in achieved(bus).iterations[0].stages
    ]
    request = MakeGuard(task=TASK, proposal=LEARNED, sub_actions=[], stages=stages, samples=1_000)
    bus.run_goal(MAKE_GUARD, "other/guard", request)
    assert (trained[-1].spec.most, trained[-1].spec.budget) == (750, 750)
