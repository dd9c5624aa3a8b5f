"""The packages keep to the table of docs/architecture.md, and the check itself is checked."""

from pathlib import Path

import pytest

from tests.project.import_table import circle, upward, violations

ROOT = Path(__file__).resolve().parents[2]


def test_packages_import_each_other_only_as_the_table_allows() -> None:
    assert violations(ROOT) == []


def test_no_module_imports_itself_through_others(tmp_path: Path) -> None:
    assert circle(ROOT) == []
    (tmp_path / "models").mkdir()
    (tmp_path / "models/a.py").write_text("def f():\n    from models.b import c\n")
    (tmp_path / "models/b.py").write_text("import models.a\n")
    assert set(circle(tmp_path)) == {"models.a", "models.b"}


def test_folders_of_the_env_server_import_only_those_listed_before_them(tmp_path: Path) -> None:
    assert upward(ROOT) == []
    folder = tmp_path / "nodes/env_server/interface"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text("from nodes.env_server.session import Session\n")
    (folder / "b.py").write_text("from nodes.env_server.programs import Run\n")
    assert upward(tmp_path) == [
        "nodes/env_server/interface/a.py:1: interface/ comes before session/"
    ]


@pytest.mark.parametrize(
    ("path", "source", "broken"),
    [
        ("messages/a.py", "import models", True),
        ("messages/bus/a.py", "from nodes import node", True),
        ("messages/a.py", "import msgspec\nfrom messages.bus import Bus", False),
        ("models/a.py", "from messages import world", False),
        ("models/a.py", "def f():\n    from nodes.node import Node", True),
        ("nodes/critic/a.py", "from nodes.node import Node\nimport voxeldojo.rules", False),
        ("nodes/critic/a.py", "from nodes.critic import b\nfrom .b import c", False),
        ("nodes/critic/a.py", "from nodes.learner.optimising.ppo import loss", True),
        ("nodes/critic/a.py", "from nodes import learner", True),
        ("nodes/critic/a.py", "from ..learner import ppo", True),
        ("nodes/critic/a.py", "import importlib\nimportlib.import_module('nodes.learner')", True),
        ("nodes/critic/deep/a.py", "from nodes.critic import b", False),
        ("nodes/critic/a.py", "import rlgpt", True),
        ("nodes/node.py", "from nodes.common.storage.stored_goals import StoredGoals", False),
        ("nodes/node.py", "import nodes.critic", True),
        ("nodes/critic/a.py", "from nodes.common.storage import whole_files", False),
        ("nodes/common/storage/a.py", "from nodes.node import Node", False),
        ("nodes/common/storage/a.py", "import nodes.critic", True),
        ("rlgpt/a.py", "from nodes.common.storage.whole_files import write_whole", False),
        ("nodes/node.py", "import tests.bus.bus_server", True),
        ("rlgpt/a.py", "from nodes.node import Node\nfrom messages import plan", False),
        ("rlgpt/a.py", "from nodes.critic.critic import Critic", True),
        ("rlgpt/a.py", "import models", True),
        ("launch/__init__.py", "", True),
        ("worlds/toy/play/a.py", "from worlds.play import Play\nimport worlds.toy.card", False),
        ("worlds/toy/card/a.py", "from worlds.toy.play import PLAY", True),
        ("worlds/toy/card/a.py", "from worlds.play import Play", True),
        ("worlds/toy/play/a.py", "from nodes.node import Node", True),
        ("nodes/env_server/a.py", "from worlds.play import Play\nfrom worlds import play", False),
        ("nodes/env_server/a.py", "import worlds.toy.play", True),
        ("nodes/env_server/a.py", "from voxeldojo.world_interface import World", True),
        ("nodes/critic/a.py", "from worlds import card", False),
        ("nodes/critic/a.py", "from worlds import play", True),
        ("nodes/critic/a.py", "from worlds.toy.play import views", True),
        ("models/a.py", "import worlds.play", True),
    ],
)
def test_imports_that_the_table_forbids_are_found(
    tmp_path: Path, path: str, source: str, broken: bool
) -> None:
    for folder in (
        *("messages/bus", "models", "nodes/critic/deep", "nodes/learner", "nodes/env_server"),
        *("nodes/common/storage", "rlgpt", "worlds/toy/card", "worlds/toy/play"),
    ):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "launch").mkdir()
    (tmp_path / path).write_text(source)
    assert bool(violations(tmp_path)) is broken
