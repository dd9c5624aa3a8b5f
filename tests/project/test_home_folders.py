"""A `~` in a path that a user gives."""

import re
from pathlib import Path

from tests.launch_toys.launched import refused

ROOT = Path(__file__).parents[2]


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
