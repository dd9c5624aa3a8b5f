"""A launch with random kills; `make test-kills` makes ten of them."""

from pathlib import Path

import pytest

from tests.random_kills import killed, straight

SEED = 20


@pytest.mark.slow
@pytest.mark.timeout(2000)
def test_random_kills_change_no_table(run_folder: Path) -> None:
    killer = killed(run_folder, "killed", SEED, 20, straight(run_folder))
    assert killer.hits.total() == 20
