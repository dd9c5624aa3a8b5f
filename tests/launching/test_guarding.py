"""The launcher's side of its guardian."""

import errno
import os
from pathlib import Path

import pytest

from rlgpt.launching import guarding
from rlgpt.launching.guarding import Guardian


def test_a_guardian_that_cannot_be_watched_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the launcher has too many open files: another one is tried later."""
    monkeypatch.setattr(guarding, "_AT_ONCE", 0.0)
    guardian = Guardian(tmp_path)
    started: list[int] = []

    def fails(pid: int, flags: int = 0) -> int:
        started.append(pid)
        raise OSError(errno.EMFILE, "Too many open files")

    os.kill(guardian._process.pid, 9)
    with monkeypatch.context() as full:
        full.setattr("os.pidfd_open", fails)
        assert not guardian.replace()
    assert not guardian.there
    with pytest.raises(ProcessLookupError):
        os.kill(started[0], 0)
    guardian.began(os.getpid())  # it is sent to the next one
    assert guardian.replace()
    assert guardian.there
    guardian.close()
    assert not guardian.there
