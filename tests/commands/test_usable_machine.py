"""What a container may use of a machine is what the doctor and the tables count with."""

import os
from pathlib import Path

import pytest

from rlgpt import usable_machine
from rlgpt.inspecting.stack_doctor import examine
from rlgpt.table.room import GIB, cells_here
from rlgpt.usable_machine import usable_cores, usable_memory


@pytest.fixture
def group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of this process's group, which is in another one, on a machine of 16 cores."""
    found = tmp_path / "groups" / "outer" / "inner"
    found.mkdir(parents=True)
    (tmp_path / "own").write_text("9:name=systemd:/\n0::/outer/inner\n")
    monkeypatch.setattr(usable_machine, "_GROUPS", tmp_path / "groups")
    monkeypatch.setattr(usable_machine, "_OWN", tmp_path / "own")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)))
    pages = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 64 * GIB // 4096}
    pages["SC_AVPHYS_PAGES"] = 32 * GIB // 4096
    whole = os.sysconf
    monkeypatch.setattr(os, "sysconf", lambda name: pages[name] if name in pages else whole(name))
    return found


def test_without_limits_all_of_the_machine_is_usable(group: Path) -> None:
    assert (usable_cores(), usable_memory(), cells_here()) == (16, 64 * GIB, 16)
    (group / "memory.max").write_text("max\n")
    (group / "cpu.max").write_text("max 100000\n")
    (group.parent / "cpu.max").write_text("")
    assert (usable_cores(), usable_memory(), cells_here()) == (16, 64 * GIB, 16)


def test_the_smallest_limit_of_a_group_and_those_around_it_counts(group: Path) -> None:
    (group / "memory.max").write_text(f"{12 * GIB}\n")
    (group.parent / "memory.max").write_text(f"{8 * GIB}\n")
    assert (usable_memory(), cells_here()) == (8 * GIB, 4)
    (group / "cpu.max").write_text("250000 100000\n")
    (group.parent / "cpu.max").write_text("400000 100000\n")
    assert (usable_cores(), cells_here()) == (2.5, 2)
    (group / "cpu.max").write_text("50000 100000\n")
    assert (usable_cores(), cells_here()) == (0.5, 1)


def test_groups_that_a_container_is_not_shown_leave_those_that_it_is(group: Path) -> None:
    usable_machine._OWN.write_text("0::/../../elsewhere\n")
    (group / "memory.max").write_text("1\n")
    (usable_machine._GROUPS / "memory.max").write_text(f"{8 * GIB}\n")
    assert usable_memory() == 8 * GIB
    usable_machine._OWN.unlink()
    assert usable_memory() == 8 * GIB


def test_the_doctor_has_no_more_memory_free_than_may_be_used(group: Path) -> None:
    (group / "memory.max").write_text(f"{8 * GIB}\n")
    (group / "cpu.max").write_text("150000 100000\n")
    (memory,) = [each for each in examine(try_jail=False) if each.about == "memory"]
    words = "1.5 cores, 8.0 GiB of memory, 8.0 GiB of it not in use at all"
    assert (memory.well, memory.words) == (True, words)
