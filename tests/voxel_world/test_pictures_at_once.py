"""Pictures of several worlds that several threads draw at once."""

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.voxel_world.arena import embedded, whole_state
from voxeldojo.engine import EmbeddedWorld
from voxeldojo.engine.picture import batch_drawing
from voxeldojo.engine.threads.thread_crew import Crew

WORLDS = 5
SIZES = ((64, 64), (37, 96))
WALK = (1, 0, 0, 12, 13, 3, 0, 0)


@pytest.fixture(scope="module")
def walked() -> Iterator[EmbeddedWorld]:
    """Worlds that differ: by their land, their mobs and the time of day."""
    world = embedded(WORLDS, biome="plains", inventory={"diamond_sword": 1, "torch": 3})
    world.reset(np.arange(WORLDS), np.arange(WORLDS) + 40)
    for _ in range(30):
        world.step(np.tile(WALK, (WORLDS, 1)), np.ones(WORLDS, bool))
    world.state.players["time"] = np.linspace(0, 20000, WORLDS)
    yield world
    world.close()


def one_by_one(world: EmbeddedWorld, size: tuple[int, int]) -> np.ndarray[Any, Any]:
    return np.stack([world.rgb(row, *size).copy() for row in range(WORLDS)])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_pictures_are_the_same_by_any_number_of_threads(
    walked: EmbeddedWorld, threads: int, size: tuple[int, int]
) -> None:
    alone = one_by_one(walked, size)
    assert len({picture.tobytes() for picture in alone}) == WORLDS
    assert len(walked.share_among(threads)) == threads - 1
    for _ in range(3):  # scratch is left as it was found
        together = walked.rgb_all(*size)
        assert together.shape == (WORLDS, 3, *size)
        assert together.tobytes() == alone.tobytes()
    rows = np.array([3, 0, 3])
    assert walked.rgb_all(*size, rows).tobytes() == alone[rows].tobytes()
    assert walked.rgb_all(*size, rows[:0]).shape == (0, 3, *size)


def test_drawing_changes_nothing_in_a_world(walked: EmbeddedWorld) -> None:
    walked.share_among(2)
    before = whole_state(walked)
    walked.rgb_all(*SIZES[0])
    walked.rgb(0, *SIZES[1])
    assert whole_state(walked) == before


def test_pictures_are_drawn_into_the_given_arrays(walked: EmbeddedWorld) -> None:
    alone = one_by_one(walked, SIZES[0])
    walked.share_among(2)
    batch = np.zeros((WORLDS, 3, *SIZES[0]), np.uint8)
    walked.draw(np.array([4, 1]), [batch[4], batch[1]])
    assert (batch[[1, 4]] == alone[[1, 4]]).all()
    assert not batch[[0, 2, 3]].any()


def test_more_threads_than_pictures_share_what_there_is(walked: EmbeddedWorld) -> None:
    alone = one_by_one(walked, SIZES[0])
    walked.share_among(4)
    assert (walked.rgb_all(*SIZES[0], np.array([2, 1])) == alone[[2, 1]]).all()


@pytest.mark.parametrize(
    ("arrays", "why"),
    [
        (np.zeros((2, 3, 8, 8), np.float32), r"not \(3, 8, 8\) of float32"),
        (np.zeros((2, 4, 8, 8), np.uint8), r"not \(4, 8, 8\) of uint8"),
        ([np.zeros((3, 8, 8), np.uint8), np.zeros((3, 8, 9), np.uint8)], r"not \(3, 8, 9\)"),
        (np.zeros((2, 3, 8, 16), np.uint8)[..., ::2], "contiguous"),
        (np.zeros((3, 3, 8, 8), np.uint8), "2 pictures do not fit into 3 arrays"),
        (np.zeros((2, 3, 0, 8), np.uint8), "0 x 8 pixels"),
    ],
)
def test_arrays_that_hold_no_picture_are_refused(
    walked: EmbeddedWorld, arrays: Any, why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        walked.draw(np.arange(2), arrays)


@pytest.mark.parametrize("failing", ["MainThread", "crew_0"])
def test_what_fails_in_any_of_the_threads_is_raised(
    walked: EmbeddedWorld, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    both = threading.Barrier(2)

    def fails(*arguments: Any) -> None:
        both.wait(60)  # each thread has a picture
        if threading.current_thread().name == failing:
            raise MemoryError(failing)

    walked.share_among(2)
    with monkeypatch.context() as patched:
        patched.setattr(batch_drawing, "DRAW", fails)
        with pytest.raises(MemoryError, match=failing):
            walked.rgb_all(*SIZES[0], np.arange(2))
    alone = one_by_one(walked, SIZES[0])
    assert (walked.rgb_all(*SIZES[0]) == alone).all()  # the threads are still there


def test_all_threads_are_over_when_one_has_failed() -> None:
    crew, begun, goes_on, over = Crew(2), threading.Event(), threading.Event(), []

    def fails() -> None:
        assert begun.wait(60)
        threading.Timer(0.05, goes_on.set).start()
        raise ValueError("first")

    def takes_longer() -> None:
        begun.set()
        assert goes_on.wait(60)
        over.append(True)

    with pytest.raises(ValueError, match="first"):
        crew.share([fails, takes_longer])
    assert over == [True]
    crew.close()


def test_each_thread_can_be_reached_and_ends_with_its_world() -> None:
    world = embedded(2)
    reached: list[threading.Thread] = []
    for run in world.share_among(3):
        run(lambda: reached.append(threading.current_thread()))
    assert len({*reached, threading.main_thread()}) == 3
    world.close()
    assert not any(thread.is_alive() for thread in reached)


def test_fewer_threads_than_one_are_refused(walked: EmbeddedWorld) -> None:
    walked.share_among(1)
    with pytest.raises(ValueError, match="1 thread or more, not 0"):
        walked.share_among(0)
    assert walked.rgb_all(*SIZES[0]).any()
