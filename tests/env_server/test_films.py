"""A film, while it is written and after."""

import os
from pathlib import Path

import numpy as np

from nodes.env_server.film import Film
from nodes.env_server.filmed_steps import HEIGHT, WIDTH


def test_a_film_takes_no_thread_and_its_encoder_ends_with_it(tmp_path: Path) -> None:
    """A session is held for longer than its film; with one encoder for each an env server had
    seventy threads after ten sessions."""

    def threads() -> int:
        return len(os.listdir("/proc/self/task"))

    before = threads()
    films = [Film(tmp_path / f"{number}.mp4", warn=print) for number in range(5)]
    for film in films:
        for _ in range(5):
            film.add(np.zeros((3, HEIGHT, WIDTH), np.uint8))
        assert threads() == before
        film.close()
        assert vars(film)["_stream"] is None
        assert film.path.stat().st_size > 500


def test_a_film_without_a_frame_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_bytes(b"an earlier film")
    film = Film(tmp_path / "a.mp4", warn=print)
    film.close()
    film.close()
    assert film.lost
    assert list(tmp_path.iterdir()) == []
