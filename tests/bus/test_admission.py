"""How many requests a node works on at a time: each limit, and that what ended counts no more."""

import pytest

from messages.bus.services.admission import (
    MAX_OPEN,
    MAX_OPEN_BYTES,
    MAX_OPEN_EACH,
    Admission,
)


def test_requests_of_one_connection_that_ended_leave_room_for_the_next() -> None:
    admission = Admission()
    for _ in range(MAX_OPEN_EACH):
        assert admission.rejects(b"a", 1) is None
        admission.enter(b"a", 1)
    assert f"{MAX_OPEN_EACH} requests of this connection" in (admission.rejects(b"a", 1) or "")
    assert admission.rejects(b"b", 1) is None
    admission.leave(b"a", 1)
    assert admission.rejects(b"a", 1) is None


def test_requests_of_all_connections_that_ended_leave_room_for_the_next() -> None:
    admission = Admission()
    routes = [str(number).encode() for number in range(MAX_OPEN)]
    for route in routes:
        admission.enter(route, 1)
    assert f"{MAX_OPEN} requests are not answered yet" in (admission.rejects(b"new", 1) or "")
    admission.leave(routes[0], 1)
    assert admission.rejects(b"new", 1) is None


@pytest.mark.parametrize("size", [MAX_OPEN_BYTES, MAX_OPEN_BYTES // 2])
def test_bytes_of_requests_that_ended_leave_room_for_the_next(size: int) -> None:
    admission = Admission()
    admission.enter(b"a", size)
    left = MAX_OPEN_BYTES - size
    assert admission.rejects(b"b", left) is None
    assert "have more than 256 MiB with this one" in (admission.rejects(b"b", left + 1) or "")
    admission.leave(b"a", size)
    assert admission.rejects(b"b", left + 1) is None
    assert admission.rejects(b"b", 2 * MAX_OPEN_BYTES) is None  # alone it is always accepted
