"""Games behind one protocol: what is said of one that is not there, or not whole."""

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import yaml

import worlds
from messages.bus import Bus, RemoteError
from messages.world import OPEN, Condition, OpenSession, SeedRange, Task
from nodes.env_server.games import any_task, first_kind, make_world, play_of
from tests.bus_processes import PATIENCE, Process, launch
from tests.launch_toys.launched import refused
from worlds import registry
from worlds.foreign import foreign_problem

ROOT = Path(__file__).parents[2]
ENV_SERVER = ROOT / "tests" / "env_server" / "env_server_process.py"
LOG = Task(id="harvest_log", prompt="a log", success=Condition(kind="have", name="log"))
PLAY = """
from worlds.play import Play

class Toy(Play):
    kinds = ("dice",)
    noop = make_world = unjailable = readings = view = changes = None
    judge = features = actions = warm_up = None

PLAY = Toy()
"""


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for packages of games; `toy` is in ``toy_game``, as if by an entry point."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "OURS", {"minecraft": "worlds.minecraft", "toy": "toy_game"})
    worlds.card.cache_clear()
    worlds.play.cache_clear()
    (tmp_path / "toy_game").mkdir()
    (tmp_path / "toy_game" / "__init__.py").touch()
    yield tmp_path / "toy_game"
    worlds.card.cache_clear()
    worlds.play.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "toy_game"]:
        del sys.modules[name]


def of(game: str) -> Task:
    return msgspec.structs.replace(LOG, game=game)


def test_an_unknown_game_is_refused_with_those_that_exist() -> None:
    for find in (worlds.card, worlds.play):
        with pytest.raises(worlds.GameError, match="there is no game 'chess'; there are minecraft"):
            find("chess")
    with pytest.raises(ValueError, match="there is no game 'chess'"):
        make_world("embedded", 1, of("chess"))


def test_a_game_that_is_not_whole_is_refused_with_what_it_lacks(toys: Path) -> None:
    with pytest.raises(worlds.GameError, match=r"'toy' has no play: there is no toy_game\.play"):
        worlds.play("toy")
    (toys / "play.py").write_text("PLAY = 5\n")
    with pytest.raises(worlds.GameError, match="'toy' has no play: PLAY is int, no Play"):
        worlds.play("toy")


@pytest.mark.parametrize(
    ("module", "source", "said"),
    [
        ("card", "", r"'toy' has no card: toy_game\.card has no CARD"),
        (
            "card",
            "from worlds.card import Card\nCARD = Card(name='toy')",
            "TypeError: .* missing 7 .*'title', .*card.py, line 2",
        ),
        (
            "play",
            "from worlds.play import Play\nPLAY = type('T', (Play,), {})()",
            "TypeError: Can't in",
        ),
        (
            "play",
            "import nosuchgame",
            "needs the package 'nosuchgame', which is not installed: pip",
        ),
    ],
)
def test_a_mistake_in_a_games_card_or_play_is_refused_in_one_sentence(
    toys: Path, module: str, source: str, said: str
) -> None:
    (toys / f"{module}.py").write_text(source)
    with pytest.raises(worlds.GameError, match=said) as refused:
        getattr(worlds, module)("toy")
    assert "\n" not in str(refused.value)


def test_a_kind_of_world_is_found_by_its_name(toys: Path) -> None:
    (toys / "play.py").write_text(PLAY)
    assert play_of("embedded", LOG) is worlds.play("minecraft")
    assert play_of("dice", of("toy")) is worlds.play("toy")
    assert first_kind(None) == first_kind(LOG) == "embedded"
    assert first_kind(of("toy")) == "dice"
    assert any_task("minedojo").game == "minecraft"


def test_a_world_of_another_game_is_refused(toys: Path) -> None:
    (toys / "play.py").write_text(PLAY)
    with pytest.raises(ValueError, match="'dice' is of the game toy, and the task 'harvest_log' "):
        make_world("dice", 1, LOG)
    with pytest.raises(ValueError, match=r"'embedded' is of the game minecraft, and .* has dice"):
        make_world("embedded", 1, of("toy"))


def test_an_unknown_kind_of_world_is_refused_with_all_that_exist(toys: Path) -> None:
    (toys / "play.py").write_text(PLAY)
    for made in (lambda: any_task("marble"), lambda: make_world("marble", 1, LOG)):
        with pytest.raises(ValueError, match=r"embedded, minedojo \(minecraft\); dice \(toy\)$"):
            made()
    worlds.play.cache_clear()
    del sys.modules["toy_game.play"]
    (toys / "play.py").write_text("import nosuchgame\n")
    with pytest.raises(ValueError, match=r"\(minecraft\); the game 'toy' needs the package 'nosu"):
        make_world("marble", 1, LOG)


def test_the_env_server_plays_tasks_of_one_game(run_folder: Path) -> None:
    world = {"kind": "embedded", "area": 32}
    config = {
        "name": "test", "run": str(run_folder), "seed": 0,
        "nodes": {"env_server": {"parameters": {"world": world}}},
    }  # fmt: skip
    (run_folder / "config.yaml").write_text(yaml.safe_dump(config))
    process = Process(ENV_SERVER, run_folder)
    bus = Bus(run_folder)
    try:
        seeds = SeedRange(first=0, count=1)
        request = OpenSession(session="a", task=of("toy"), size=1, seeds=seeds)
        with pytest.raises(RemoteError, match="is of the game toy, and this env server's world of"):
            bus.call(OPEN, request)
    finally:
        bus.close()
        process.stop()


def test_a_task_of_an_unknown_game_ends_the_env_server_with_a_sentence(run_folder: Path) -> None:
    config = {
        "name": "test", "run": str(run_folder), "seed": 0, "nodes": {},
        "task": msgspec.to_builtins(of("chess")),
    }  # fmt: skip
    (run_folder / "config.yaml").write_text(yaml.safe_dump(config))
    process = launch(ENV_SERVER, run_folder)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert said.startswith("env_server: there is no game 'chess'; there are minecraft")
    assert "Traceback" not in said


MINECRAFTS = "def action(obs):\n    obs = forward_attack()\n"
CRAFTERS = "def action(obs):\n    obs = gather(obs, ('tree',), 'wood', 1)\n"
SPEC = {
    "task": "harvest_log", "observations": ["life"], "actions": ["attack"], "horizon": 10,
    "budget": 10, "rewards": [{"kind": "success", "weight": 1.0}],
    "macros": [{"file": "wood.py"}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["launch", "crafter", "task.game=chess"], "crafter: task.game: there is no game 'chess'"),
        (
            ["launch", "harvest_log", "world=crafter"],
            "harvest_log: the world 'crafter' is of the game crafter, and the task 'harvest_log' "
            "of the game minecraft, which has embedded and minedojo: choose a task and a world",
        ),
        (
            ["launch", "cell", "task=crafter"],
            "cell: the world 'embedded' is of the game minecraft, and the task 'crafter' of the",
        ),
        (
            ["program", "run", "dig.py", "--task", "crafter"],
            "dig.py: this is a program for minecraft, which has forward_attack, and not for craf",
        ),
        (
            ["program", "run", "wood.py", "--task", "harvest_log"],
            "wood.py: this is a program for crafter, which has gather, and not for minecraft",
        ),
        (
            ["train", "spec.yaml"],
            "wood.py: this is a program for crafter, which has gather, and not for minecraft",
        ),
    ],
)
def test_tasks_of_another_game_are_refused_before_any_node_starts(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    (tmp_path / "dig.py").write_text(MINECRAFTS)
    (tmp_path / "wood.py").write_text(CRAFTERS)
    (tmp_path / "spec.yaml").write_text(yaml.safe_dump(SPEC))
    assert said in refused(*arguments, cwd=tmp_path)
    assert not (tmp_path / "runs").exists()


def test_a_program_that_defines_a_name_of_another_game_itself_is_not_refused() -> None:
    language = worlds.card("minecraft").language
    own = "def gather(obs, shelter):\n    noop = shelter\n    return noop\n" + CRAFTERS
    assert foreign_problem(own, language) == ""
    assert foreign_problem("def (", language) == ""
    assert "which has shelter" in foreign_problem("def action(obs):\n    shelter(obs)\n", language)


def test_cards_name_the_kinds_of_world_that_their_plays_have() -> None:
    for game in registry.OURS:
        assert list(worlds.card(game).worlds) == list(worlds.play(game).kinds)
        assert set(worlds.card(game).fingerprints) <= set(worlds.play(game).kinds)
