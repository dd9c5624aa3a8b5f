"""MineCLIP's reward and feature in sessions: what is paid and seen, in the jail and without, in a
training over the bus, and what is refused where there are no weights. The weights are random."""

import socket
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import yaml

from messages.bus import Bus, RemoteError
from messages.chat import SpecAnswer, SpecQuestion
from messages.codec import decode
from messages.plan import SubAction
from messages.program import Program
from messages.training import TRAIN, Train, TrainingSpec
from messages.world import (
    OPEN,
    Condition,
    Guard,
    Interface,
    OpenSession,
    RewardTerm,
    SeedRange,
    Task,
)
from models.mineclip import MineClip
from nodes.common.checks.spec_check import spec_problems
from nodes.common.questions.asking import render
from nodes.env_server.hosting import Host, OwnProcess
from nodes.env_server.jail import worker_wire
from nodes.env_server.jail.confined import AskedModel, receive_exactly
from nodes.env_server.session import Session
from nodes.env_server.video_model import VideoModel
from nodes.llm.rulebook import rulebook_backend
from tests.bus_processes import PATIENCE, Process, launch
from tests.env_server.jailed_host import embedded, jailed_host
from tests.fake_world import FakeWorld
from tests.learning.mineclip_files import write
from worlds.minecraft.card.features import FEATURES

ROOT = Path(__file__).parents[2]
ENV_SERVER = ROOT / "tests" / "env_server" / "env_server_process.py"
LEARNER = ROOT / "tests" / "learning" / "learner_process.py"
LOG = Condition(kind="have", name="log")
TASK = Task(id="harvest_log", prompt="chop down a tree", success=LOG, horizon=100_000)
TERM = RewardTerm(kind="mineclip", weight=2.0, name="chop down a tree", negatives=["sky", "sea"])
INTERFACE = Interface(
    observations=["compass", "mineclip"],
    actions=["forward", "turn_left", "attack", "noop"],
    rewards=[TERM],
    success=LOG,
    horizon=6,
)


class Grey:
    """In place of MineCLIP: a frame is told by how light it is, a clip is paid by its sum."""

    height, width, seconds = 10, 16, 0.0

    def __init__(self) -> None:
        self.batches: list[int] = []

    def embed(self, frames: np.ndarray) -> np.ndarray:
        self.batches.append(len(frames))
        light = frames.reshape(len(frames), -1).mean(1, dtype=np.float32)
        return np.repeat(light[:, None], 512, 1)

    def reward(self, clips: np.ndarray, prompt: str, negatives: Sequence[str] = ()) -> np.ndarray:
        assert (prompt, list(negatives)) == (TERM.name, TERM.negatives)
        return clips[:, :, 0].sum(1)


def opening(interface: Interface = INTERFACE, **changes: Any) -> OpenSession:
    fields = {
        "session": "test/a", "task": TASK, "size": 3, "seeds": SeedRange(first=0, count=90),
        "interface": interface, "autoreset": True,
    }  # fmt: skip
    return OpenSession(**{**fields, **changes})


def fake(model: VideoModel | None, interface: Interface = INTERFACE, **changes: Any) -> Session:
    request = opening(interface, **changes)
    return Session(request, FakeWorld(request.size), model=model)


def test_each_step_pays_for_the_last_16_frames_of_its_episode() -> None:
    """The fake world is lighter the farther the player went; before an episode all was black."""
    grey = Grey()
    session = fake(grey)
    opened = session.opened()
    assert [(field.name, field.size) for field in opened.fields] == [
        ("compass", 4), ("mineclip", 512),
    ]  # fmt: skip
    assert (opened.features[:, 4:] == 40).all()
    grey.batches.clear()
    paid, shown = [], []
    for _ in range(7):
        stepped = session.step(np.array([0, 3, 0]))
        paid.append(stepped.reward[:2] / 2)
        shown.append(stepped.features[:2, 4])
    # Forward is 2.5 lighter a step, and a picture holds whole numbers.
    light = [40, 42, 45, 47, 50, 52, 55]
    assert np.array(paid)[:, 0].tolist() == [*np.cumsum(light)[1:].tolist(), 40 + 42]
    assert np.array(paid)[:, 1].tolist() == [40.0 * (n + 2) for n in range(6)] + [80]
    assert np.array(shown)[:, 0].tolist() == [42, 45, 47, 50, 52, 40, 42]  # 40: the next episode
    assert grey.batches == [3, 3, 3, 3, 3, 3, 3, 3]  # all together, and once more for the reset

    longer = msgspec.structs.replace(INTERFACE, horizon=40)
    session = fake(grey, longer)
    paid = [float(session.step(np.array([3, 3, 3])).reward[0]) for _ in range(20)]
    assert paid[13:] == [2 * 40.0 * 15, *[2 * 40.0 * 16] * 6]  # no more than 16


def test_frames_are_embedded_only_when_an_observation_or_reward_needs_them() -> None:
    grey = Grey()
    plain = msgspec.structs.replace(
        INTERFACE, observations=["compass"], rewards=[RewardTerm(kind="step", weight=1.0)]
    )
    session = fake(grey, plain)
    session.step(np.array([0, 0, 0]))
    only_seen = msgspec.structs.replace(plain, observations=["mineclip"])
    assert grey.batches == []
    session.take(only_seen)
    session.step(np.array([0, 0, 0]))
    session.opened()
    assert grey.batches == [3]


@pytest.mark.parametrize(("change", "what"), [
    ({"rewards": [RewardTerm(kind="step", weight=1.0)]}, "the observation 'mineclip'"),
    ({"observations": ["compass"]}, "the reward term 'mineclip'"),
])  # fmt: skip
def test_without_weights_the_observation_and_the_reward_are_refused(
    change: dict[str, Any], what: str
) -> None:
    with pytest.raises(ValueError, match=f"{what} needs MineCLIP's weights.*mineclip.weights=PATH"):
        fake(None, msgspec.structs.replace(INTERFACE, **change))


def test_a_session_whose_steps_would_take_too_long_is_refused_when_it_opens() -> None:
    slow = Grey()
    slow.seconds = 1.0
    fake(slow, size=30)
    with pytest.raises(ValueError, match=r"31 environments with 2 frames .* could take 62 s"):
        fake(slow, size=31)


def test_the_longest_decision_is_an_interrupted_macro_with_a_turn_of_each_guard() -> None:
    slow = Grey()
    slow.seconds = 1.0
    walk = Program(name="walk", source="def action(obs):\n    forward()\n", max_steps=900)
    look = "def when(obs):\n    return False\n"
    guard = Guard(name="flee", when=look, program=walk, max_steps=50)
    macro = msgspec.structs.replace(walk, interrupt=18)
    interface = msgspec.structs.replace(INTERFACE, macros=[macro], horizon=5000)
    fake(slow, interface)
    plain = msgspec.structs.replace(interface, observations=["compass"], rewards=[])
    with pytest.raises(ValueError, match="3 environments with 69 frames"):
        fake(slow, interface, guards=[guard])
    with pytest.raises(ValueError, match="3 environments with 69 frames"):
        fake(slow, plain, autoreset=False).take(interface, guards=[guard])


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("mineclip"))


def played(host: Host, interface: Interface) -> list[np.ndarray]:
    """What a learner would have seen of eight decisions."""
    session = host.open(opening(interface), None, lambda steps: None)
    opened = session.opened()
    seen = [np.array(opened.features)]
    random = np.random.default_rng(0)
    for _ in range(8):
        stepped = session.step(random.integers(0, 4, 3))
        seen += [np.array(stepped.features), np.array(stepped.reward)]
    twice = [msgspec.structs.replace(TERM, negatives=["sky", "sky"])]
    with pytest.raises(ValueError, match="one is given twice"):
        session.take(msgspec.structs.replace(interface, rewards=twice))
    session.close()
    return seen


def test_a_jailed_session_has_the_same_features_and_rewards(weights: Path, tmp_path: Path) -> None:
    model = MineClip(weights)
    model.seconds = 0.0  # this machine may be busy
    # Random weights find one of three prompts likelier than the others, whatever is seen.
    black = np.tile(model.embed(np.zeros((1, 3, 40, 64), np.uint8)), (1, 16, 1))
    prompts = [TERM.name, *TERM.negatives]
    terms = [
        RewardTerm(
            kind="mineclip", weight=2.0, name=name, negatives=[p for p in prompts if p != name]
        )
        for name in prompts
    ]
    best = max(terms, key=lambda term: model.reward(black, term.name, term.negatives)[0])
    interface = msgspec.structs.replace(INTERFACE, rewards=[best])
    with jailed_host(tmp_path, model=model) as host:
        jailed = played(host, interface)
    own = played(OwnProcess(embedded(model=model), "a test"), interface)
    for one, other in zip(jailed, own, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)
    features, rewards = jailed[0][:, 4:], np.array(jailed[2::2])
    assert features.std(0).mean() > 0.01  # players see different things
    assert (rewards > 0).any()
    assert (rewards >= 0).all()
    assert (rewards <= 2 * (1 - 1 / 3)).all()
    assert len(np.unique(rewards)) > 10


def test_a_worker_sends_many_frames_in_messages_of_at_most_64() -> None:
    ours, theirs = socket.socketpair()
    asked: list[int] = []

    def receive(sock: socket.socket) -> Callable[[int], bytearray]:
        return lambda length: receive_exactly(sock.recv_into, length)

    def answer() -> None:
        for _ in range(3):
            question = decode(worker_wire.Embed, worker_wire.read(receive(theirs)))
            asked.append(len(question.frames))
            worker_wire.write(
                theirs, worker_wire.Estimate(values=Grey().embed(np.asarray(question.frames)))
            )

    thread = threading.Thread(target=answer)
    thread.start()
    frames = np.arange(150, dtype=np.uint8)[:, None, None, None] + np.zeros(
        (1, 3, 10, 16), np.uint8
    )
    seen = AskedModel(ours, receive(ours), 10, 16, 0.0).embed(frames)
    thread.join(PATIENCE)
    ours.close()
    theirs.close()
    assert asked == [64, 64, 22]
    assert seen[:, 0].tolist() == list(range(150))


def answer(**changes: Any) -> SpecAnswer:
    fields = {
        "observations": ["compass"], "actions": ["attack"], "rewards": [TERM], "horizon": 9,
        "budget": 100,
    }  # fmt: skip
    return SpecAnswer(**{**fields, **changes})


def test_a_spec_may_name_mineclip_only_where_its_weights_are() -> None:
    def problems(there: bool, **changes: Any) -> list[str]:
        known = [*FEATURES, "mineclip"] if there else list(FEATURES)
        return spec_problems(answer(**changes), known, ["attack"], True, 1000)

    seen = {"observations": ["compass", "mineclip"]}
    assert problems(True, **seen) == []
    assert len(problems(False, **seen)) == 2
    assert "no weights of MineCLIP" in problems(False)[0]
    nameless, twice = (msgspec.structs.replace(TERM, **change)
                       for change in ({"name": ""}, {"negatives": [TERM.name]}))  # fmt: skip
    assert problems(True, rewards=[nameless]) == ["Reward term 'mineclip' needs a name."]
    assert "given twice" in problems(True, rewards=[twice])[0]
    many = [str(number) for number in range(101)]
    assert (
        "at most 100" in problems(True, rewards=[msgspec.structs.replace(TERM, negatives=many)])[0]
    )
    step = RewardTerm(kind="step", weight=1.0, negatives=["sky"])
    assert "of kind 'mineclip' only" in problems(True, rewards=[step])[0]


def question(there: bool) -> SpecQuestion:
    sub_action = SubAction(name="learn log", description="", success=LOG, method="rl")
    observations = [*FEATURES, "mineclip"] if there else list(FEATURES)
    return SpecQuestion(
        task=TASK, sub_action=sub_action, observations=observations, actions=["attack"]
    )


def test_the_prompt_and_the_rulebook_use_mineclip_only_where_its_weights_are() -> None:
    prompts = ROOT / "nodes" / "fast_agent" / "prompts"
    for there in (True, False):
        said = " ".join(message.content for message in render(prompts, question(there)))
        assert ("mineclip" in said) == there
        spec = rulebook_backend.spec(question(there), "mineagent.yaml")
        assert ("mineclip" in spec.observations) == there
        terms = [(t.name, t.weight) for t in spec.rewards if t.kind == "mineclip"]
        assert terms == ([("chop down a tree", 0.1)] if there else [])


def configure(run: Path, mineclip: dict[str, Any]) -> None:
    world = {"kind": "embedded", "area": 32}
    learner = {"environments": 4, "decisions": 8, "minibatch": 16, "hidden": 16}
    config = {"name": "test", "run": str(run), "seed": 0, "nodes": {
        "env_server": {"parameters": {"world": world, "mineclip": mineclip}},
        "learner": {"parameters": learner},
    }}  # fmt: skip
    (run / "config.yaml").write_text(yaml.safe_dump(config))


def test_missing_weights_end_the_env_server_with_a_sentence(run_folder: Path) -> None:
    configure(run_folder, {"weights": "attn.pth"})
    process = launch(ENV_SERVER, run_folder)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert said.startswith(f"env_server: there are no MineCLIP weights at {run_folder}/attn.pth")
    assert "Traceback" not in said


@pytest.mark.slow
def test_a_policy_is_trained_by_what_mineclip_sees(weights: Path, run_folder: Path) -> None:
    configure(run_folder, {"weights": str(weights)})
    processes = [Process(script, run_folder) for script in (ENV_SERVER, LEARNER)]
    bus = Bus(run_folder)
    try:
        spec = TrainingSpec(
            name="tree", task=TASK, interface=INTERFACE, seeds=SeedRange(first=0, count=1000),
            budget=160,
        )  # fmt: skip
        heard: list[Any] = []
        trained = bus.run_goal(
            TRAIN, "test/train", Train(spec=spec), on_feedback=heard.append, timeout=280.0
        )
        assert 128 <= trained.samples <= 160
        assert any(progress.mean_return > 0 for progress in heard)
        nameless = msgspec.structs.replace(TERM, negatives=["sky", "sky"])
        wrong = msgspec.structs.replace(INTERFACE, rewards=[nameless])
        with pytest.raises(RemoteError, match="one is given twice"):
            bus.call(OPEN, opening(wrong), timeout=PATIENCE)
    finally:
        bus.close()
        for process in processes:
            process.kill()
