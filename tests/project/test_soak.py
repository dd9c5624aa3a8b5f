"""The verdict of a soak, and what it samples of a process."""

import os
import random
import socket
import threading

import pytest

from benchmarks.soak.growth import growth, growths, table, verdict
from benchmarks.soak.samples import held_by

TIMES = [5.0 * number for number in range(120)]


def test_noise_restarts_and_memory_that_is_freed_are_no_growth() -> None:
    noise = random.Random(1)
    for values in (
        [200e6 + noise.uniform(-3e6, 3e6) for _ in TIMES],
        [50e6 + 2e6 * (number % 24) for number in range(120)],  # a restart every two minutes
        [80e6 if number < 30 else 90e6 for number in range(120)],  # the warming up
        [90e6 + (30e6 if 60 <= number < 90 else 0.0) for number in range(120)],  # a training
    ):
        found = growth("learner", "rss", TIMES, values)
        assert found is not None
        assert not found.grows
    assert growth("learner", "rss", TIMES[:5], [1.0] * 5) is None


def test_a_leak_of_memory_or_files_is_growth_by_the_hour() -> None:
    noise = random.Random(2)
    hour = [5.0 * number for number in range(720)]
    memory = [100e6 + 60e3 * number + noise.uniform(-1e6, 1e6) for number in range(720)]
    found = growth("dash", "rss", hour, memory)
    assert found is not None
    assert found.grows
    assert found.an_hour == pytest.approx(60e3 * 720, rel=0.1)
    files = [20.0 + number // 120 for number in range(720)]
    steady, leaking = growths({("a", "rss"): (hour, files), ("llm", "files"): (hour, files)})
    assert (leaking.measure, leaking.grows) == ("files", True)
    assert not steady.grows
    assert "**grows**" in table([leaking])
    assert "**grows**" not in table([steady])


def test_a_soak_that_shows_nothing_is_no_good_one() -> None:
    steady = growth("llm", "files", TIMES, [20.0] * 120)
    leaking = growth("dash", "files", TIMES, [float(number) for number in range(120)])
    assert steady is not None
    assert leaking is not None
    assert verdict([steady], goals=3, failures=0) == []
    assert verdict([steady, leaking], goals=3, failures=0) == ["it grows: dash: files"]
    few, idle, failed = verdict([], goals=0, failures=2)
    assert "nothing has the 12 samples to judge by" in few
    assert "no goal was pursued to its end" in idle
    assert "goals or restarts: 2, see above" in failed


def test_the_sample_of_a_process_counts_its_files_sockets_and_threads() -> None:
    before = held_by(os.getpid())
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    ends = socket.socketpair()
    after = held_by(os.getpid())
    over.set()
    thread.join()
    for end in ends:
        end.close()
    assert before is not None
    assert after is not None
    assert after.sockets - before.sockets == 2
    assert after.files - before.files == 2
    assert after.threads - before.threads == 1
    assert after.rss > 1 << 20
    assert held_by(2**22 + 1) is None
