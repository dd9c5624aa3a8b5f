"""A live run of toys and its page, one for each file of tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.dash.dash_served import Served, served, toys, write_launch_file
from tests.launch_toys.launched import Launched


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("dash")
    write_launch_file(place)
    return place


@pytest.fixture(scope="module")
def live(place: Path) -> Iterator[Launched]:
    with toys(place, "it") as launch:
        yield launch


@pytest.fixture(scope="module")
def page(live: Launched) -> Iterator[Served]:
    with served(live.run) as page:
        yield page
