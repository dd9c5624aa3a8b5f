"""The picture: sizes, light, bodies, and that everything there is has a look of its own."""

import hashlib
import http.client
import json
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

import numpy as np
import pytest

from voxeldojo.engine.mobs.wounds import IMMUNE
from voxeldojo.engine.observation.view_options import LARGEST_SIDE
from voxeldojo.engine.picture import mob_styles
from voxeldojo.engine.picture.block_styles import faces_of
from voxeldojo.engine.picture.shapes import HIDDEN, shape_of
from voxeldojo.engine.picture.textures import textures
from voxeldojo.game import Game
from voxeldojo.rules import BLOCKS, ITEMS
from voxeldojo.rules.mobs import MOB_IDS, MOBS
from voxeldojo.viewing import browser, in_terminal, view
from voxeldojo.viewing.shown_world import CannotSee, open_game, size_of

AIR, STONE, WATER, TORCH = 0, 1, 9, 50


@pytest.fixture
def stage(game: Game) -> Game:
    """A flat stone floor under a noon sky, the player looking along +z."""
    game.reset(5)
    state = game.world.state
    state.blocks[0] = 0
    state.meta[0] = 0
    state.light[0] = 240
    state.blocks[0, :, :, 63] = STONE
    player = game.player
    player["x"], player["y"], player["z"] = player["west"] + 64.5, 64.0, player["north"] + 64.5
    player["yaw"] = player["pitch"] = 0.0
    player["ceiling"] = 127
    player["time"] = 6000
    state.mobs[0]["kind"] = 0
    return game


def put(game: Game, east: int, up: int, south: int, block: int) -> None:
    player, state = game.player, game.world.state
    last = state.blocks.shape[1] - 1
    x, y, z = (int(np.floor(player[axis])) for axis in "xyz")
    state.blocks[0, (x + east) & last, (z + south) & last, y + up] = block


def shot(game: Game, height: int = 64, width: int = 64) -> np.ndarray:
    return game.world.rgb(0, height, width).astype(int)


@pytest.mark.parametrize("size", [(1, 1), (3, 7), (64, 64), (160, 256), (101, 201)])
def test_a_picture_of_any_size_can_be_drawn(stage: Game, size: tuple[int, int]) -> None:
    image = stage.world.rgb(0, *size)
    assert image.shape == (3, *size)
    assert image.dtype == np.uint8


def test_the_same_scene_is_drawn_the_same_again(stage: Game) -> None:
    hashes = {hashlib.sha256(stage.world.rgb(0, 64, 96).tobytes()).hexdigest() for _ in range(3)}
    assert len(hashes) == 1


def test_the_block_under_the_crosshair_is_outlined(stage: Game) -> None:
    for east in range(-4, 5):
        for up in range(-1, 5):
            put(stage, east, up, 3, STONE)
    near = shot(stage, 100, 100)
    for east in range(-4, 5):
        for up in range(-1, 5):
            put(stage, east, up, 3, AIR)
            put(stage, east, up, 7, STONE)
    assert near.sum(0).min() < 0.4 * near.sum(0).mean()  # the dark line around it
    assert shot(stage, 100, 100)[:, :40].sum(0).min() > 60  # out of reach: no line


def test_water_tints_the_picture_blue(stage: Game) -> None:
    before = shot(stage)[:, 40:].reshape(3, -1).mean(1)
    for up in range(3):
        for east in range(-9, 10):
            for south in range(-9, 10):
                put(stage, east, up, south, WATER)
    after = shot(stage)[:, 40:].reshape(3, -1).mean(1)
    assert after[2] > 1.2 * after[0]
    assert after[0] < before[0]


@pytest.mark.parametrize("mob", [mob.name for mob in MOBS])
def test_every_mob_is_seen_where_it_stands(stage: Game, mob: str) -> None:
    assert mob in mob_styles.MOBS
    empty = shot(stage)
    row = stage.world.state.mobs[0, 0]
    row["kind"], row["life"] = MOB_IDS[mob], 5.0
    row["variant"], row["carried"], row["counter"], row["age"] = 1, 0, 0, 0
    row["x"], row["y"] = stage.player["x"], stage.player["y"]
    row["z"], row["yaw"] = stage.player["z"] + 4.0, 180.0
    seen = np.argwhere((shot(stage) != empty).any(0))
    assert len(seen) > 5
    assert abs(seen[:, 1].mean() - 31.5) < 8.0
    row["z"] = stage.player["z"] - 4.0
    if mob not in ("ender_dragon", "ghast", "giant"):
        assert (shot(stage) == empty).all()


def test_a_mob_flashes_red_while_it_recovers_from_a_blow(stage: Game) -> None:
    row = stage.world.state.mobs[0, 0]
    row["kind"], row["life"], row["variant"], row["carried"] = MOB_IDS["sheep"], 5.0, 0, 0
    row["x"], row["y"] = stage.player["x"], stage.player["y"]
    row["z"], row["yaw"] = stage.player["z"] + 3.0, 180.0
    row["invulnerable"] = 0
    unhurt = shot(stage)
    row["invulnerable"] = IMMUNE
    hurt = shot(stage)
    red = (hurt != unhurt).any(0)
    assert red.sum() > 20
    assert (hurt[1:, red] < unhurt[1:, red]).all()
    row["invulnerable"] = 0
    assert (shot(stage) == unhurt).all()


def test_mobs_are_drawn_in_their_colours(stage: Game) -> None:
    def colour(mob: str) -> np.ndarray:
        empty = shot(stage, 96, 96)
        row = stage.world.state.mobs[0, 0]
        row["kind"], row["life"], row["variant"], row["carried"] = MOB_IDS[mob], 5.0, 0, 0
        row["x"], row["y"] = stage.player["x"], stage.player["y"]
        row["z"], row["yaw"] = stage.player["z"] + 3.0, 180.0
        with_mob = shot(stage, 96, 96)
        row["kind"] = 0
        return with_mob[:, (with_mob != empty).any(0)].mean(1)

    assert colour("creeper").argmax() == 1
    assert colour("pig").argmax() == 0
    assert colour("sheep").min() > 130
    assert colour("enderman").max() < 60
    assert colour("spider").max() < 80


def test_every_block_has_a_look_of_its_own() -> None:
    looks = textures()
    for block in BLOCKS:
        if block.name == "air":
            continue
        assert faces_of(block.name, 0) is not None, block.name
        for meta in range(16):
            kind, _ = shape_of(block.name, meta)
            row = 16 * block.id + meta
            if kind != HIDDEN:
                texture = looks.faces[row, 2]
                assert (looks.ink[texture : texture + 256] >> 24).any(), (block.name, meta)


def test_every_item_has_an_icon() -> None:
    looks = textures()
    for number, item in enumerate(ITEMS):
        visible = (looks.icons[number] >> 24 > 0).sum()
        unseen = item.name in ("air", "barrier", "structure_void")
        assert (visible == 0) == unseen, item.name


def test_view_writes_a_picture_and_prints_what_is_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a" / "picture.png"
    assert view.main(["plains", "--seed", "5", "--out", str(path), "--size", "40x60"]) == 0
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(data[16:20], "big") == 60
    start = data.index(b"IDAT") + 4
    length = int.from_bytes(data[start - 8 : start - 4], "big")
    assert len(zlib.decompress(data[start : start + length])) == 40 * (1 + 3 * 60)
    assert "grass" in capsys.readouterr().out


@pytest.mark.parametrize(("given", "engine"), [(-1, 2**63 - 1), (10**23, 10**23 % 2**63), (5, 5)])
def test_any_whole_number_is_accepted_as_a_seed(given: int, engine: int) -> None:
    game, _ = open_game("plains", given)
    assert game.seed == engine
    game.close()


@pytest.mark.parametrize(
    "wrong",
    [
        ["planes"],
        ["harvest_1_lgo"],
        ["plains", "--size", "40"],
        ["plains", "--size", "0x9"],
        ["plains", "--size", "9" * 5000 + "x1"],
        ["plains", "--size", "1x" + "9" * 5000],
        ["plains", "--size", "9x9", "--out", "/proc/nothing/picture.png"],
        ["plains", "--size", "9x9", "--out", "/proc/nothing/picture.jpg"],
        ["plains", "--size", "9x9", "--out", "/proc/nothing/picture"],
        [],
    ],
)
def test_view_refuses_in_one_sentence(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert view.main(wrong) == 2
    said = capsys.readouterr().err
    assert said.startswith("voxeldojo view: ")
    assert said.count("\n") == 1
    assert len(said) < 400
    assert "Errno" not in said
    assert "harvest_1_log" in said or "harvest_1_lgo" not in wrong


def test_a_picture_of_a_command_may_be_as_large_as_one_of_the_world() -> None:
    largest = f"{LARGEST_SIDE}x{LARGEST_SIDE}"
    assert size_of(largest) == (LARGEST_SIDE, LARGEST_SIDE)
    with pytest.raises(CannotSee, match="a picture has 1 to 4096 pixels a side, not '1x4097'"):
        size_of("1x4097")


def test_a_picture_is_written_only_where_its_name_says_what_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert view.main(["plains", "--size", "9x9", "--out", str(tmp_path / "x.jpg")]) == 2
    assert "a picture is a PNG file: --out FILE.png, not " in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    assert view.main(["plains", "--size", "9x9", "--out", str(tmp_path / "x.PNG")]) == 0
    assert (tmp_path / "x.PNG").read_bytes().startswith(b"\x89PNG")


def test_a_command_without_arguments_refuses_them() -> None:
    for command in ("compile", "fingerprint"):
        done = subprocess.run(
            [sys.executable, "-m", "voxeldojo", command, "x"], capture_output=True, text=True
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert "unrecognized arguments: x" in done.stderr


def test_half_blocks_show_two_rows_of_a_picture_in_a_line() -> None:
    image = np.zeros((3, 4, 2), np.uint8)
    image[0, 0] = 200
    lines = in_terminal.half_blocks(image).split("\r\n")
    assert len(lines) == 2
    assert lines[0].startswith("\x1b[38;2;200;0;0;48;2;0;0;0m\u2580\u2580")


def test_the_play_page_moves_the_player_and_refuses_wrong_requests(stage: Game) -> None:
    server = browser.PlayServer(stage, "Look.", 0, (40, 64))
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def ask(method: str, path: str, body: object = None, host: str = "") -> tuple[int, str, bytes]:
        link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        text = body if isinstance(body, str) else json.dumps(body)
        headers = {"Host": host} if host else {}
        link.request(method, path, text if method == "POST" else None, headers)
        answer = link.getresponse()
        found = answer.status, answer.headers.get("X-World", ""), answer.read()
        link.close()
        return found

    try:
        assert b"<canvas" in ask("GET", "/")[2]
        assert ask("GET", "/other")[0] == 404
        start = float(stage.player["z"])
        for _ in range(10):
            status, told, pixels = ask("POST", "/tick", {"held": ["forward"], "yaw": 0})
            assert status == 200
        assert len(pixels) == 40 * 64 * 4
        assert json.loads(told)["position"][2] > start + 0.5
        for wrong in ([], {"held": 3}, {"yaw": "x"}, {"craft": 999}, {"equip": "nothing"}, "{"):
            status, _, said = ask("POST", "/tick", wrong)
            assert status == 400
            assert said.count(b"\n") == 1
        assert ask("GET", "/", host="evil.example")[0] == 403
    finally:
        server.shutdown()
        server.server_close()


def test_the_game_in_a_terminal_plays_and_restores_the_terminal() -> None:
    import os
    import pty
    import select
    import sys

    child, screen = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-m", "voxeldojo.viewing.by_hand", "plains"])
    said, end, asked = b"", time.monotonic() + 240.0, False
    while time.monotonic() < end:
        if select.select([screen], [], [], 0.5)[0]:
            try:
                said += os.read(screen, 65536)
            except OSError:
                break
        if not asked and said.count(b"life ") > 2:
            os.write(screen, b"wwx")
            asked = True
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert "\u2580".encode() in said
    assert said.rstrip().endswith(b"\x1b[?25h")
