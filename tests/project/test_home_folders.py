"""A `~` in a path that a user gives."""

import re
from pathlib import Path

import pytest

from nodes.fast_agent.fast_agent import FastAgent
from nodes.testing import MockBus, start
from tests.launch_toys.launched import refused

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("table harvest --show --results=~/mine", "no result of harvest in {home}/mine yet"),
        ("skill list --library=~/mine", "no skill library {home}/mine/library.sqlite"),
        ("param load ~/file", "~/file: write node: {{parameter: value}}"),
        ("program run ~/file --task harvest_log --seeds 0", "--seeds 0: 1 to"),
        ("dash it --token-file=~/file", "~/file holds no token"),
        ("bag info ~/file", "{home}/file is no bag"),
    ],
)
def test_no_option_takes_the_home_folder_for_one_that_is_called_so(
    tmp_path: Path, home: Path, words: str, said: str
) -> None:
    """A shell leaves the `~` of `--results=~/mine` as it is."""
    (tmp_path / "runs" / "it").mkdir(parents=True)
    (tmp_path / "runs" / "it" / "config.yaml").write_text("name: it\nnodes: {}\n")
    (home / "file").write_text("text")
    (home / "file").chmod(0o600)
    assert said.format(home=home) in refused(*words.split(), cwd=tmp_path)
    assert not (tmp_path / "~").exists()


def test_a_skill_library_may_be_in_the_home_folder(tmp_path: Path, home: Path) -> None:
    start(FastAgent, MockBus("fast_agent"), tmp_path, skills="~/skills")
    assert (home / "skills" / "library.sqlite").is_file()
    assert not (tmp_path / "~").exists()


def test_a_home_that_there_is_not_is_a_name_like_any_other(tmp_path: Path) -> None:
    said = refused("bag", "info", "~nobody-of-this-name/a.mcap", cwd=tmp_path)
    assert "~nobody-of-this-name/a.mcap cannot be read" in said


def test_no_path_is_expanded_by_the_method_that_raises_runtime_error() -> None:
    """`Path.expanduser` and `Path.home` raise it where a user has no home folder, as in a container
    with another user id; `os.path.expanduser` leaves the text as it is."""
    raising = re.compile(r"\.expanduser\(\)|Path\.home\(\)")
    found = [
        str(path.relative_to(ROOT))
        for package in ("rlgpt", "nodes", "messages", "models", "worlds", "voxeldojo")
        for path in (ROOT / package).rglob("*.py")
        if raising.search(path.read_text("utf-8"))
    ]
    assert found == []
