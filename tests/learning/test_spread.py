"""A training's batch on several env servers: the same as on one, and what a loss costs."""

import itertools
import logging
import random
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch

from messages.bus import RemoteError, ServiceError
from messages.program import Program
from messages.roll_out import RollOut
from messages.training import Tryouts
from messages.world import OPEN, STEP, SeedRange
from nodes.config import env_servers
from nodes.learner.collecting import spread
from nodes.learner.collecting.env_servers import servers_of
from nodes.learner.collecting.episodes import RecentEpisodes
from nodes.learner.collecting.session_plan import SessionPlan
from nodes.learner.collecting.spread import SpreadSession, shares
from nodes.learner.collecting.spread_rollout import MOST_STEPS, SureDecisions
from tests.learning.corridor import corridor_spec
from tests.learning.spread_training import (
    NAMES,
    PARAMETERS,
    TO_THE_END,
    Server,
    all_there,
    train,
    weights,
)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread, "LONGEST_PAUSE", 0.0)


def test_environments_are_split_evenly_without_empty_parts() -> None:
    assert shares(7, 3) == [slice(0, 2), slice(2, 4), slice(4, 7)]
    assert shares(2, 3) == [slice(0, 1), slice(1, 2)]


def test_env_servers_are_those_of_the_configuration_each_with_its_deadline() -> None:
    config = {"nodes": {"env_server": {}, "env_server_2": {"kind_of": "env_server"}, "critic": {}}}
    assert env_servers(config) == ["env_server", "env_server_2"]
    assert env_servers({}) == ["env_server"]
    asked: list[tuple[str, float | None]] = []

    def call(service: Any, request: Any, timeout: Any = None, *, absence: Any = None) -> None:
        asked.append((service.name, absence))

    for each in servers_of(config, call).values():  # pyright: ignore[reportArgumentType]
        each(STEP, None)  # pyright: ignore[reportArgumentType]
    assert asked == [("env_server/step", 1.0), ("env_server_2/step", 1.0)]
    # The only one is waited for as ever.
    assert servers_of({}, call) == {"env_server": call}  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("rollouts", ["session", "learner"])
@pytest.mark.parametrize("count", [2, 3])
def test_several_servers_train_the_same_policy_as_one(
    tmp_path: Path, count: int, rollouts: str
) -> None:
    """To the bit: the same environments play the same seeds, wherever they are, and whether they
    or the learner make the decisions. Here a decision takes one or four steps, and most rollouts
    end by their steps."""
    tryouts = Tryouts(seeds=SeedRange(first=5000, count=5), every=1000)
    spec = corridor_spec(budget=2000, stop_at=2.0)
    spec = msgspec.structs.replace(spec, tryouts=tryouts, most=3000)
    parameters = msgspec.structs.replace(PARAMETERS, rollout_samples=120)
    alone = train(tmp_path / "one", [Server()], spec, parameters)
    servers = [Server() for _ in range(count)]
    servers[-1].at_most = 3  # their answers come in parts of different lengths
    parameters = msgspec.structs.replace(parameters, rollouts=rollouts)
    together = train(tmp_path / "several", servers, spec, parameters)
    assert msgspec.structs.replace(together, policy=alone.policy) == alone
    for name, tensor in weights(tmp_path / "one").items():
        assert torch.equal(tensor, weights(tmp_path / "several")[name]), name
    assert all(server.steps > 0 for server in servers)
    assert all(server.corridors.sessions == {} for server in servers)


def test_a_server_makes_those_decisions_alone_that_are_sure_to_begin() -> None:
    """Seven environments, whose decisions take four steps at most, and their resets thirty."""
    prefix = [Program(name="walk", source="", max_steps=30)]
    spec = msgspec.structs.replace(corridor_spec(budget=2000), prefix=prefix)
    sure = SureDecisions(spec, 7)

    def decisions(samples: int, in_all: int | None = None) -> int:
        drawn = np.zeros((16, 7))
        return sure.of(RollOut(session="toy", drawn=drawn, samples=samples, in_all=in_all))

    assert decisions(10**9) == decisions(16 * 28) == 16  # all that are asked for
    # The fourth decision begins after 84 steps at most, and none does after 85 or more.
    assert (decisions(85), decisions(84), decisions(1)) == (4, 3, 1)
    # The third one begins after 2 * 7 * 34 steps at most, resets included.
    assert (decisions(10**9, 476), decisions(10**9, 475), decisions(10**9, 0)) == (3, 2, 1)
    assert SureDecisions(spec, 1000).of(
        RollOut(session="toy", drawn=np.zeros((16, 1000)), samples=10**9)
    ) == MOST_STEPS // 4000  # fmt: skip


def test_no_two_servers_play_the_same_seed(tmp_path: Path) -> None:
    """Nor a server what was played before it was lost, until all seeds were played."""
    servers = [Server(), Server()]
    spec = msgspec.structs.replace(TO_THE_END, seeds=SeedRange(first=0, count=100_003))

    def report(iteration: int) -> None:
        if iteration in (3, 6):
            servers[iteration // 6].restart()
        if iteration in (5, 8):
            all_there(servers, 2)(iteration)

    train(tmp_path, servers, spec, report=report)
    assert len(servers[0].sessions) == len(servers[1].sessions) == 2
    first, second = ({seed % 7 for seed in server.played} for server in servers)
    assert (first, second) == ({0, 1, 2}, {3, 4, 5, 6})
    for server in servers:
        assert len(server.played) == len(set(server.played))


def test_environments_play_their_own_seeds_also_where_the_range_is_short(tmp_path: Path) -> None:
    servers = [Server(), Server()]
    spec = msgspec.structs.replace(TO_THE_END, seeds=SeedRange(first=0, count=25))
    train(tmp_path, servers, spec)
    # 25 seeds are three for each of seven environments; the other four are not played.
    assert {seed % 7 for seed in servers[0].played} == {0, 1, 2}
    assert max(max(server.played) for server in servers) == 20


def test_a_lost_server_costs_its_own_episodes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    servers, calls = [Server(), Server()], itertools.count(1)
    counted_at = [0]

    def lose() -> None:
        if next(calls) == 11:  # the third of four parts of the third rollout
            servers[1].restart()
            counted_at[0] = servers[1].steps

    servers[1].before = lose
    trained = train(tmp_path, servers, report=all_there(servers, 2))
    assert "env_server_2 is lost" in caplog.text
    assert "its 4 episodes" in caplog.text
    assert "env_server_2 is taken in: 4 environments, 7 of 7 are there" in caplog.text
    # It was at the eleventh decision of that rollout; its ten steps before are the whole loss.
    assert trained.samples == servers[0].steps + servers[1].steps - 10 * 4
    assert 3000 <= trained.samples < 3000 + 7
    assert trained.reason == "the budget is spent"
    assert trained.success_rate > 0.5
    samples = [count for count, _ in trained.curve]
    steps = np.diff([0, *samples])
    # Single steps: a rollout of all, one without the lost server, and so on.
    assert steps[:5].tolist() == [112, 112, 48, 112, 112]


def test_a_server_that_connects_later_joins_the_training(tmp_path: Path) -> None:
    servers = [Server(), Server(), Server()]
    servers[2].there = False

    def report(iteration: int) -> None:
        if iteration == 3:
            servers[2].there = True
        if iteration == 5:
            all_there(servers, 3)(iteration)

    trained = train(tmp_path, servers, report=report)
    steps = np.diff([0, *(count for count, _ in trained.curve)])
    assert steps[:3].tolist() == [64, 64, 64]
    assert steps[6] == 112
    assert trained.samples == sum(server.steps for server in servers)


def test_a_server_that_comes_and_rejects_the_connection_is_reported_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    servers = [Server(), Server()]
    servers[1].there = False

    def comes(iteration: int) -> None:
        servers[1].absence = "it rejects the connection"
        deadline = time.monotonic() + 0.02  # in which it is tried again
        while time.monotonic() < deadline:
            time.sleep(0.001)

    train(tmp_path, servers, report=comes)
    assert "3 of 7 environments: env_server/open: no reply" in caplog.text
    said = "env_server_2 is not taken in: env_server/open: it rejects the connection"
    assert caplog.text.count(said) == 1
    assert caplog.text.count("is not taken in") <= 2  # what was tried before it came


@pytest.mark.parametrize("absent", [0, 1])
def test_a_batch_smaller_than_the_servers_is_played_by_those_that_are_there(
    tmp_path: Path, absent: int
) -> None:
    """One environment and two servers: whichever of them is absent, the other plays."""
    parameters = msgspec.structs.replace(PARAMETERS, environments=1)
    tryouts = Tryouts(seeds=SeedRange(first=5000, count=1), every=1000)
    spec = msgspec.structs.replace(TO_THE_END, budget=600, tryouts=tryouts)
    alone = train(tmp_path / "one", [Server()], spec, parameters)
    servers = [Server(), Server()]
    servers[absent].there = False
    trained = train(tmp_path / "two", servers, spec, parameters)
    assert msgspec.structs.replace(trained, policy=alone.policy) == alone
    assert servers[absent].steps == 0
    assert {5000} < set(servers[1 - absent].played)
    assert servers[1 - absent].corridors.sessions == {}


def test_demonstrations_are_played_where_a_server_is(tmp_path: Path) -> None:
    """Two of them on three servers, of which the last alone is there."""
    programs = [Program(name=name, source="", max_steps=40) for name in ("run", "walk")]
    interface = msgspec.structs.replace(TO_THE_END.interface, macros=programs)
    spec = msgspec.structs.replace(
        TO_THE_END, interface=interface, clone=programs, budget=600, most=4000
    )
    servers = [Server(), Server(), Server()]
    servers[0].there = servers[1].there = False
    parameters = msgspec.structs.replace(PARAMETERS, environments=2, clone_episodes=2)
    trained = train(tmp_path, servers, spec, parameters)
    assert [each.episodes for each in trained.demonstrated] == [1, 1]
    assert trained.samples > 0
    assert servers[2].steps == trained.samples + trained.prefix_samples


def test_a_spare_server_stands_in_for_one_that_ends_in_the_middle(tmp_path: Path) -> None:
    parameters = msgspec.structs.replace(PARAMETERS, environments=2)
    spec = msgspec.structs.replace(TO_THE_END, seeds=SeedRange(first=0, count=100_000))
    servers, calls = [Server(), Server(), Server()], itertools.count(1)

    def end() -> None:
        if next(calls) == 40:
            servers[0].there = False

    servers[0].before = end
    trained = train(tmp_path, servers, spec, parameters, all_there(servers, 2))
    assert servers[2].steps > 0
    assert trained.reason == "the budget is spent"
    # It goes on with the seeds of the environment that it plays, and none of them comes again.
    first, second, third = (set(server.played) for server in servers)
    assert {seed % 2 for seed in first | third} == {0}
    assert {seed % 2 for seed in second} == {1}
    assert not first & third


def test_a_split_that_is_replaced_leaves_no_thread(tmp_path: Path) -> None:
    servers = [Server(), Server()]
    servers[0].there = False
    plan = SessionPlan(name="toy/tryout", spec=TO_THE_END, gamma=0.99, size=4, once=True)
    log = logging.getLogger("test")
    session = SpreadSession(dict(zip(NAMES, servers, strict=False)), plan, log)
    superseded = list(session._members)
    assert [member.node for member in superseded] == ["env_server", "env_server_2"]
    session.open(0)
    for member in superseded:
        with pytest.raises(RuntimeError, match="after shutdown"):
            member.begin(0)
    session.close()


def test_when_all_servers_are_lost_the_rollout_is_discarded_and_begun_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    servers, calls = [Server(), Server()], itertools.count(1)

    def lose() -> None:
        if next(calls) == 40:
            for server in servers:
                server.restart()

    servers[0].before = lose
    # Step by step: by itself, the other one could have played its share before.
    parameters = msgspec.structs.replace(PARAMETERS, rollouts="learner")
    trained = train(tmp_path, servers, parameters=parameters)
    assert "discarded, uncounted" in caplog.text
    assert 3000 <= trained.samples < 3000 + 7


def test_a_training_waits_while_there_is_no_server(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    servers = [Server(), Server()]
    for server in servers:
        server.there = False

    def come() -> None:
        while "waiting for an env server" not in caplog.text:
            time.sleep(0.001)
        servers[1].there = True

    coming = threading.Thread(target=come)
    coming.start()
    trained = train(tmp_path, servers, report=lambda _: coming.join())
    assert trained.samples == servers[1].steps > 0
    # 4 of 7 environments, and a step of all 7 has to fit.
    assert trained.samples > 3000 - 2 * 7


def test_a_rejected_spec_ends_a_training_at_its_start_and_not_later(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    servers = [Server(), Server()]
    usual = servers[1].corridors.open

    def refuse(request: Any) -> Any:
        raise ServiceError("There is no such world.", code="no_world")

    servers[1].corridors.open = refuse  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(RemoteError, match="no such world"):
        train(tmp_path, servers)
    servers[1].corridors.open = usual  # pyright: ignore[reportAttributeAccessIssue]

    def report(iteration: int) -> None:
        if iteration == 2:
            servers[1].restart()
            servers[1].corridors.open = refuse  # pyright: ignore[reportAttributeAccessIssue]

    trained = train(tmp_path, servers, report=report)
    assert trained.reason == "the budget is spent"
    assert caplog.text.count("env_server_2 is not taken in") <= 1


def test_a_server_with_other_choices_is_refused(tmp_path: Path) -> None:
    servers = [Server(), Server()]
    usual = servers[1].corridors.open

    def renamed(request: Any) -> Any:
        opened = usual(request)
        return msgspec.structs.replace(opened, choices=["a", "b", "c"])

    servers[1].corridors.open = renamed  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ServiceError, match=r"env_server_2 has other spaces .* its actions are"):
        train(tmp_path, servers)


def test_a_resumed_training_splits_the_seeds_in_the_same_way(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(iteration: int) -> None:
        if iteration == 4:
            raise Stop

    servers, later = [Server(), Server()], [Server(), Server()]
    with pytest.raises(Stop):
        train(tmp_path, servers, report=stop)
    train(tmp_path, later)
    for before, after in zip(servers, later, strict=True):
        assert {seed % 7 for seed in before.played} == {seed % 7 for seed in after.played}
        assert max(before.played[:-4]) < min(after.played) + 7
    assert not {*servers[0].played, *later[0].played} & {*servers[1].played, *later[1].played}


def test_tryouts_are_played_by_the_servers_that_are_connected(tmp_path: Path) -> None:
    tryouts = Tryouts(seeds=SeedRange(first=5000, count=5), every=1000)
    spec = msgspec.structs.replace(TO_THE_END, tryouts=tryouts)
    servers = [Server(), Server()]
    servers[0].there = False
    trained = train(tmp_path, servers, spec)
    assert len(trained.tryouts) >= 3
    tried = [seed for seed in servers[1].played if seed >= 5000]
    assert set(tried) == set(range(5000, 5005))


@pytest.mark.parametrize("seed", range(4))
def test_a_training_keeps_to_its_samples_however_often_servers_are_lost(
    tmp_path: Path, seed: int
) -> None:
    """Whatever prefixes take, and however often servers are lost: what opens a session again is
    counted, too."""
    draw = random.Random(seed)
    longest = 30

    class Walking(Server):
        def __call__(self, service: Any, request: Any, timeout: float | None = None) -> Any:
            if draw.random() < 0.05:
                self.restart()
            reply = super().__call__(service, request, timeout)
            if service not in (OPEN, STEP):
                return reply
            episodes = request.size if service is OPEN else len(reply.final_rows)
            return msgspec.structs.replace(reply, prefix_steps=longest * episodes)

    prefix = [Program(name="walk", source="", max_steps=longest)]
    most = draw.choice((600, 1500))
    spec = msgspec.structs.replace(TO_THE_END, prefix=prefix, most=most)
    trained = train(tmp_path, [Walking(), Walking()], spec)
    assert trained.samples + trained.prefix_samples <= most
    assert f"of {most} samples" in trained.reason


@pytest.mark.parametrize("imitation", [pytest.param(0, marks=pytest.mark.slow), 2])
def test_a_policy_with_a_memory_is_trained_on_when_a_server_is_lost(
    tmp_path: Path, imitation: int
) -> None:
    servers, calls = [Server(), Server()], itertools.count(1)

    def lose() -> None:
        if next(calls) in (20, 60):
            servers[0].restart()

    servers[0].before = lose
    interface = msgspec.structs.replace(TO_THE_END.interface, memory="gru", memory_size=8)
    spec = msgspec.structs.replace(TO_THE_END, interface=interface, budget=2000)
    parameters = msgspec.structs.replace(PARAMETERS, imitation_every=imitation)
    trained = train(tmp_path, servers, spec, parameters, all_there(servers, 2))
    assert 2000 <= trained.samples < 2000 + 7
    assert trained.samples < sum(server.steps for server in servers)


def test_episodes_of_lost_environments_are_as_if_they_had_not_begun() -> None:
    episodes = RecentEpisodes(4)
    episodes.begin(3)
    episodes.end(2, True, 1.0, 5)
    assert episodes.total == 0  # two began before it
    episodes.leave([0, 1])
    assert episodes.total == 1
    assert episodes.success_rate == 0.25
    episodes.leave([0, 1])
    episodes.enter([0])
    for _ in range(2):
        episodes.end(0, True, 1.0, 5)
        episodes.end(2, True, 1.0, 5)
    assert episodes.total == 5
    assert episodes.success_rate == 1.0
    with pytest.raises(ValueError, match="no episode is under way"):
        episodes.end(1, True, 1.0, 5)
    again = RecentEpisodes(4)
    again.load_state_dict(episodes.state_dict())
    assert again.success_rate == 1.0
