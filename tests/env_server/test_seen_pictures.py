"""Pictures as what a policy sees: by name, of any size, drawn once a step, through convolutions."""

from typing import Any

import msgspec
import numpy as np
import pytest
import torch

from messages.chat import SpecAnswer
from messages.world import Condition, Interface, OpenSession, RewardTerm, SeedRange, Task
from models.distribution import MaskedCategorical
from models.policy import PICTURE_WIDTH, ActorCritic, NetworkShape, PictureEncoder, actor
from nodes.common.checks.spec_check import spec_problems
from nodes.config import ConfigError
from nodes.env_server.session import Session
from nodes.fast_agent.agent import Agent
from nodes.learner.checkpoints.state import Spaces, stored_networks
from nodes.testing import MockBus, start
from tests.fake_world import FakeWorld
from worlds.common.feature_matrix import FeatureMatrix
from worlds.common.pictures import RGB, picture_shape, picture_size
from worlds.play import Readings, World

LOG = Condition(kind="have", name="log")
TASK = Task(id="log", prompt="a log", success=LOG)


def test_the_name_of_a_picture_observation_gives_its_size() -> None:
    assert picture_shape("rgb") == (3, 64, 64)
    assert picture_shape("rgb_120x160") == (3, 120, 160)
    assert picture_size("rgb") == RGB.size == 12288
    for name in ("rgb_", "rgb_64", "rgb_8x64", "rgb_64x999", "view", "rgb_64x64x3"):
        assert picture_shape(name) is None
        assert picture_size(name) == 0


class Drawing(World):
    """A world whose pictures tell how often each environment was drawn."""

    size = 3

    def __init__(self) -> None:
        self.drawn = np.zeros(3, np.int64)

    def reset(self, environments: Any, seeds: Any) -> None: ...
    def step(self, actions: Any, active: Any) -> None: ...

    def rgb(self, environment: int, height: int, width: int) -> np.ndarray[Any, Any]:
        self.drawn[environment] += 1
        picture = np.zeros((3, height, width), np.uint8)
        picture[0, 0, 1], picture[2] = 51 * self.drawn[environment], 255
        return picture


class Seen(Readings):
    def warm(self) -> None: ...
    def alive(self) -> Any: ...
    def counters(self) -> Any: ...


def test_picture_columns_are_drawn_again_only_for_environments_that_moved() -> None:
    world = Drawing()
    readings = Seen(world)
    matrix = FeatureMatrix(["time", "rgb_36x40"], {}, 1, 3)
    assert [(field.name, field.size) for field in matrix.fields] == [
        ("time", 1),
        ("rgb_36x40", 3 * 36 * 40),
    ]
    time, previous = np.zeros(3, np.float32), np.full(3, -1)

    def shown() -> np.ndarray[Any, Any]:
        return matrix.compute(readings, time, previous)[:, 1:].reshape(3, 3, 36, 40)

    pictures = shown()
    assert pictures.dtype == np.float32
    assert np.allclose(pictures[:, 0, 0, 1], 0.2)
    assert (pictures[:, 2] == 1).all()
    assert not pictures[:, 1].any()
    readings.forget(np.array([False, True, False]))
    assert np.allclose(shown()[:, 0, 0, 1], [0.2, 0.4, 0.2])
    assert world.drawn.tolist() == [1, 2, 1]
    FeatureMatrix(["rgb_36x40"], {}, 1, 3).compute(readings, time, previous)
    assert world.drawn.tolist() == [1, 2, 1]


class PicturedWorld(FakeWorld):
    def rgb(self, environment: int, height: int, width: int) -> np.ndarray[Any, Any]:
        return np.full((3, height, width), 20 * self.z[environment], np.uint8)


def session_that_shows(observations: list[str]) -> Session:
    interface = Interface(observations=observations, actions=["forward"], success=LOG, horizon=20)
    opening = OpenSession(
        session="a", task=TASK, size=2, seeds=SeedRange(first=0, count=2), interface=interface
    )
    return Session(opening, PicturedWorld(2))


def test_pictures_are_observations_of_a_world_of_another_game_too() -> None:
    session = session_that_shows(["life", "rgb_48x64"])
    opened = session.opened()
    assert Spaces.of(opened).shapes == [(2,), (3, 48, 64)]
    assert (opened.features[:, 2:] == 0).all()
    moved = session.step(np.array([0, 0])).features
    assert np.allclose(moved[:, 2:], 5 / 255)


def test_pictures_alone_are_bytes() -> None:
    session = session_that_shows(["rgb_48x64", "rgb_36x36"])
    opened = session.opened()
    assert opened.features.dtype == np.uint8
    assert opened.features.shape == (2, 3 * 48 * 64 + 3 * 36 * 36)
    assert Spaces.of(opened).seen == torch.uint8
    moved = session.step(np.array([0, 0]))
    assert moved.features.dtype == moved.final_features.dtype == np.uint8
    assert (moved.features == 5).all()


@pytest.mark.parametrize("shape", [(3, 36, 36), (3, 64, 64), (3, 120, 160)])
def test_the_encoder_gives_the_same_width_for_each_picture_size(shape: tuple[int, ...]) -> None:
    encoded = PictureEncoder(shape)(torch.rand(2, 5, int(np.prod(shape))))
    assert encoded.shape == (2, 5, PICTURE_WIDTH)


def test_pictures_and_vectors_are_seen_side_by_side_and_a_checkpoint_keeps_them() -> None:
    generator = torch.Generator().manual_seed(0)
    for encoder in (0, 8):
        shape = NetworkShape(hidden=16, encoder=encoder)
        networks = ActorCritic([(2,), (3, 36, 36)], 4, shape, generator)
        features = torch.rand(3, 2 + 3 * 36 * 36)
        logits = networks.actor(features)
        for column in (0, 1 + 36 * 36):  # each of them matters
            other = features.clone()
            other[:, column : column + 200] = 1 - other[:, column : column + 200]
            assert not torch.equal(networks.actor(other), logits)
        spaces = Spaces(fields=[("life", 2), ("rgb_36x36", 3 * 36 * 36)], choices=list("abcd"))
        kept = {
            "meeting": msgspec.to_builtins(spaces),
            "shape": msgspec.to_builtins(shape),
            "networks": networks.state_dict(),
        }
        assert torch.equal(stored_networks(kept).actor(features), logits)


def test_a_policy_learns_what_only_the_picture_shows() -> None:
    generator = torch.Generator().manual_seed(1)
    network = actor([(3, 36, 36)], 2, NetworkShape(hidden=16), generator)
    optimiser = torch.optim.Adam(network.parameters(), lr=3e-3)
    pictures = torch.rand(64, 3, 36, 36, generator=generator) * 0.5
    right = torch.arange(64) % 2
    pictures[right == 1, 0, 10:20, 10:20] += 0.5  # a red patch
    mask = torch.ones(64, 2, dtype=torch.bool)
    for _ in range(60):
        loss = -MaskedCategorical(network(pictures.flatten(1)), mask).log_prob(right).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert (network(pictures.flatten(1)).argmax(1) == right).float().mean() > 0.95


def test_a_spec_may_name_any_size_and_no_other_name() -> None:
    answer = SpecAnswer(
        observations=["rgb_48x48"],
        actions=["attack"],
        rewards=[RewardTerm(kind="success", weight=1.0)],
        horizon=10,
        budget=100,
    )
    assert spec_problems(answer, ["life"], ["attack"], True, 1000) == []
    wrong = msgspec.structs.replace(answer, observations=["rgb_9x9"])
    assert (
        "There is no observation called 'rgb_9x9'"
        in spec_problems(wrong, ["life"], ["attack"], True, 1000)[0]
    )


@pytest.mark.parametrize("named", [["rbg"], [], ["rgb", "rgb"]])
def test_the_picture_feature_is_checked_when_the_fast_agent_starts(
    tmp_path: Any, named: list[str]
) -> None:
    with pytest.raises(ConfigError, match=r"fast_agent\.parameters\.observations: "):
        start(Agent, MockBus("fast_agent"), tmp_path, observations=named)
