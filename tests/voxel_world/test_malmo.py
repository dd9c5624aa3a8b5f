"""The Malmo server: a real process, real sockets, a client that speaks as MineDojo's does."""

import math
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from tests.voxel_world.malmo_client import (
    DEADLINE,
    HELLO,
    MISSION,
    PEEK,
    QUIT,
    TOKEN,
    Client,
    Server,
    serving,
)
from voxeldojo.game import Game
from voxeldojo.malmo.mission import parse_mission


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("--area", "64", "--seed", "3") as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    found = Client(server.port)
    yield found
    found.close()


@pytest.mark.parametrize("port", ["taken", "99999"])
def test_a_port_that_is_taken_or_invalid_is_refused_in_one_sentence(
    server: Server, port: str
) -> None:
    asked = str(server.port) if port == "taken" else port
    command = [sys.executable, "-m", "voxeldojo.malmo", "--port", asked, "--area", "32"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE)
    assert done.returncode == 2
    assert done.stderr.startswith("voxeldojo serve: ")
    assert done.stderr.count("\n") == 1
    assert "Errno" not in done.stderr
    assert port != "taken" or "--port 0" in done.stderr


def held(info: dict) -> dict[str, int]:
    return {s["name"]: s["quantity"] for s in info["inventory"] if s["name"] != "air"}


def test_a_mission_shows_everything_that_minedojo_reads(client: Client) -> None:
    client.begin()
    frame, info = client.peek()
    assert len(frame) == 24 * 32 * 3
    assert len(info["inventory"]) == 41
    assert info["inventory"][0] == {
        "name": "bucket", "variant": 0, "quantity": 1, "max_durability": -1, "cur_durability": -1,
        "inventory": "inventory",
    }  # fmt: skip
    assert len(info["voxels"]) == 27 * 10
    assert "rays" not in info
    leaves = sum(
        len(value.get("minecraft", value)) if isinstance(value, dict) else 1
        for value in info["stat"].values()
    )
    assert leaves + len(info["achievement"]) == 1819
    keys = """
        life armor food saturation xp air is_sleeping xpos ypos zpos yaw pitch biome_id sea_level
        biome_temperature biome_rainfall light_level is_raining can_see_sky sun_brightness
        sky_light_level nearby_crafting_table nearby_furnace world_time total_time biome_name
        is_alive is_dead
    """
    assert not set(keys.split()) - set(info)


def test_a_frame_is_sent_with_its_bottom_row_first(client: Client) -> None:
    client.begin()
    frame, _ = client.peek()
    game = Game(parse_mission(MISSION.encode()), area=64)
    picture = game.observation()["rgb"]
    game.close()
    assert np.array_equal(np.frombuffer(frame, np.uint8).reshape(24, 32, 3)[0], picture[:, -1].T)
    assert not np.array_equal(picture[:, 0], picture[:, -1])


def test_one_step_is_one_tick(client: Client) -> None:
    client.begin()
    _, before = client.peek()
    _, after = client.step("camera 0.0 30.0", "forward 1", "craft none", "equip none")
    assert after["total_time"] - before["total_time"] == 1
    assert after["stat"]["time_since_death"] == 1
    turned = (after["yaw"] - before["yaw"]) % 360.0
    assert math.isclose(turned, 30.0, abs_tol=1e-3)
    moved = math.hypot(after["xpos"] - before["xpos"], after["zpos"] - before["zpos"])
    assert 0.05 < moved < 0.2


def test_chat_commands_of_a_fast_reset_change_what_the_player_observes(client: Client) -> None:
    client.begin()
    _, info = client.step("chat /kill")
    assert (info["life"], info["is_dead"], info["stat"]["deaths"]) == (0.0, True, 1)
    assert info["stat"]["time_since_death"] == 0
    client.step("chat /spreadplayers ~ ~ 0 200 false @p")
    _, info = client.step("chat /time set 13000")
    assert info["life"] == 20.0
    assert held(info) == {}
    assert info["world_time"] == 13001
    _, info = client.step("chat /replaceitem entity @p slot.weapon.mainhand minecraft:log 5 2")
    assert (held(info), info["inventory"][0]["variant"]) == ({"log": 5}, 2)
    _, info = client.step("chat /replaceitem entity @p slot.armor.feet minecraft:iron_boots 1 0")
    assert info["inventory"][36]["name"] == "iron_boots"
    _, info = client.step("chat /tp 20.5 90 21.5 45.0 10.0")
    assert (info["xpos"], info["zpos"], info["yaw"], info["pitch"]) == (20.5, 21.5, 45.0, 10.0)
    _, info = client.step("chat /setblock ~ ~1 ~1 diamond_ore")
    assert "diamond ore" in info["voxels"]
    _, info = client.step("chat /clear")
    assert held(info) == {}


def test_items_are_crafted_equipped_and_placed_by_name(client: Client) -> None:
    client.begin()
    client.step("chat /replaceitem entity @p slot.hotbar.4 minecraft:log 4 1")
    _, info = client.step("craft planks")
    assert held(info) == {"bucket": 1, "log": 3, "planks": 4}
    assert info["stat"]["craft_item"]["minecraft"]["planks"] == 4
    _, info = client.step("craft crafting_table")
    _, info = client.step("equip crafting_table")
    assert info["inventory"][0]["name"] == "crafting_table"
    client.step("camera 60.0 0.0")
    _, info = client.step("place crafting_table")
    assert "crafting_table" not in held(info)
    assert info["nearby_crafting_table"] is True
    # At the table, and in the furnace, which is not there.
    client.step("craft planks")
    client.step("craft stick")
    _, info = client.step("craftNearby wooden_sword", "smeltNearby coal")
    assert "wooden_sword" in held(info)
    assert "coal" not in held(info)


def test_commands_that_fail_are_logged(server: Server, client: Client) -> None:
    client.begin()
    client.step("chat /summon unicorn ~-1 ~1 ~1")
    client.step("chat /weather hail")
    client.step("hotbar.10 1")
    log = server.log()
    assert "`/summon unicorn ~-1 ~1 ~1` was not done: there is no mob unicorn" in log
    assert "`/weather hail` was not done" in log
    assert "left out of an action: hotbar.10 1" in log


def test_each_connection_has_a_world_of_its_own(server: Server) -> None:
    first, second = Client(server.port), Client(server.port)
    first.begin()
    second.begin()
    _, before = second.peek()
    for _ in range(5):
        first.step("forward 1")
    _, after = second.peek()
    assert after == before
    first.close()
    _, still = second.step("forward 0")
    assert still["total_time"] == 1
    second.close()


def test_a_mission_with_a_seed_repeats_its_world_and_one_without_does_not(server: Server) -> None:
    def start(seed: str) -> list:
        client = Client(server.port)
        client.begin(MISSION.replace('seed="7"', f'seed="{seed}"'))
        frame, info = client.peek()
        client.close()
        return [frame, info["xpos"], info["zpos"]]

    assert start("7") == start("7")
    assert start("7") != start("a text")
    assert start("a text") == start("a text")
    assert start("") != start("")


def test_a_second_mission_on_one_connection_begins_again(client: Client) -> None:
    client.begin()
    client.step("forward 1")
    client.send(QUIT)
    client.receive()
    client.send(MISSION.encode(), TOKEN)
    client.receive()
    assert client.peek()[1]["total_time"] == 0


def test_exit_ends_the_connection_and_not_the_server(server: Server, client: Client) -> None:
    client.send(HELLO, b"<Exit>NOW</Exit>")
    assert client.receive() == b"\0\0\0\1"
    assert client.ended()
    again = Client(server.port)
    again.begin()
    again.send(b"<Disconnect/>")
    assert again.ended()
    again.close()


BILLION = (
    '<!DOCTYPE a [<!ENTITY b "cccccccccc"><!ENTITY d "&b;&b;&b;&b;&b;&b;&b;&b;">]>'
    "<MissionInit>&d;</MissionInit>"
)
REFUSED = [
    ([b"GET / HTTP/1.1"], "a client begins with"),
    ([HELLO, PEEK], "there is no mission yet"),
    ([HELLO, b"<StepServer></StepServer>"], "there is no mission yet"),
    ([HELLO, b"<Find/>"], "is no message of Malmo's"),
    ([HELLO, b"\xff\xfe\0"], "is no message of Malmo's"),
    ([HELLO, b"<MissionInit", TOKEN], "not well-formed"),
    ([HELLO, b"<MissionInit/>", TOKEN], "one agent"),
    ([HELLO, BILLION.encode(), TOKEN], "document type"),
    ([HELLO, b"<MissionInit>" + b"<a>" * 40, TOKEN], "levels"),
    ([HELLO, b"<MissionInit>" + b"<a/>" * 30000 + b"</MissionInit>", TOKEN], "elements"),
    ([HELLO, MISSION.encode(), b"no token"], "is no token"),
    ([HELLO, MISSION.replace("bucket", "bukkit").encode(), TOKEN], "there is no item 'bukkit'"),
    ([HELLO, MISSION.replace(">24<", ">nan<").encode(), TOKEN], "Height is no number"),
    ([HELLO, MISSION.replace(">24<", ">9999<").encode(), TOKEN], "pictures are 1 to"),
    ([HELLO, MISSION.replace('slot="0"', 'slot="41"').encode(), TOKEN], "slot is from 0 to 40"),
    ([HELLO, MISSION.replace('min x="-1"', 'min x="-99"').encode(), TOKEN], "voxels go from"),
    (
        [HELLO, MISSION.replace("DefaultWorld", "FileWorld").encode(), TOKEN],
        "reads no saved worlds",
    ),
    (
        [
            HELLO,
            MISSION.replace("DefaultWorldG", "BiomeG").replace('seed="7"', 'biome="99"').encode(),
            TOKEN,
        ],
        "there is no biome with the number 99",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("messages", "reason"), REFUSED, ids=[reason for _, reason in REFUSED])
def test_bytes_that_break_the_protocol_end_the_connection(
    server: Server, client: Client, messages: list[bytes], reason: str
) -> None:
    before = len(server.reasons())
    client.send(*messages)
    assert client.ended()
    assert any(reason in sentence for sentence in server.reasons()[before:])


LINES = [
    "camera a b", "camera nan 0.0", "camera 1.0", "camera inf -inf", "forward 2", "attack yes",
    "equip excalibur", "place \0", "\n" * 500,
]  # fmt: skip


@pytest.mark.parametrize("line", LINES, ids=repr)
def test_invalid_lines_end_the_connection(server: Server, client: Client, line: str) -> None:
    client.begin()
    client.send(b"<StepClient0>" + line.encode() + b"</StepClient0 >")
    assert client.ended()
    assert "a fault of this server's own" not in server.log()


def test_a_message_announced_as_too_long_ends_the_connection(
    server: Server, client: Client
) -> None:
    client.send(HELLO)
    client.socket.sendall(b"\xff\xff\xff\xff")
    assert client.ended()
    assert "is announced" in server.log()


def test_a_client_that_vanishes_in_a_message_is_logged(server: Server, client: Client) -> None:
    client.begin()
    before = len(server.reasons())
    client.socket.sendall(b"\0\0\1\0half")
    client.socket.shutdown(1)
    assert client.ended()
    assert "the client closed the connection" in server.reasons()[before:]


def test_the_command_refuses_what_it_cannot_listen_on(server: Server) -> None:
    command = [sys.executable, "-m", "voxeldojo", "serve"]
    asked = [
        (["--port", str(server.port), "--area", "64"], "cannot listen on 127.0.0.1"),
        (["--port", "0", "--biome", "moon"], "there is no biome 'moon'"),
        (["--port", "0", "--area", "7"], "area is 32"),
        (["--port", "99999"], "a port is 0 to 65535"),
        ([], "--port"),
    ]
    running = [
        subprocess.Popen([*command, *words], stderr=subprocess.PIPE, text=True)
        for words, _ in asked
    ]
    for process, (_, sentence) in zip(running, asked, strict=True):
        _, told = process.communicate(timeout=DEADLINE)
        assert process.returncode == 2
        assert sentence in told


def test_effect_commands_begin_and_end_effects(client: Client) -> None:
    client.begin()
    _, info = client.step("chat /effect @p poison 60 1")
    for _ in range(30):
        _, info = client.step("forward 0")
    assert info["life"] < 20.0
    client.step("chat /effect @p poison 0")
    client.step("chat /effect @p regeneration 60 4")
    for _ in range(60):
        _, info = client.step("forward 0")
    assert info["life"] == 20.0
    client.step("chat /effect @p wither")
    client.step("chat /effect @p clear")
    for _ in range(50):
        _, info = client.step("forward 0")
    assert info["life"] == 20.0


def test_unknown_effects_are_logged(server: Server, client: Client) -> None:
    client.begin()
    for words, reason in [
        ("@p poisn", "there is no effect poisn; did you mean poison"),
        ("@p poison 1 9", "the strength is 0 to 7"),
        ("@e[type=item] poison", "the selector @e[type=item] found nothing"),
    ]:
        client.step(f"chat /effect {words}")
        assert reason in server.log()


def test_a_mission_may_begin_in_a_village_and_is_refused_where_there_is_none(
    server: Server, client: Client
) -> None:
    handlers = "<VillageSpawnDecorator/></ServerHandlers>"
    village = MISSION.replace("</ServerHandlers>", handlers)
    client.begin(village)
    _, info = client.peek()
    assert info["life"] == 20.0
    grid = MISSION.replace('min x="-1" y="-1" z="-1"', 'min x="-9" y="-3" z="-9"')
    grid = grid.replace('max x="1" y="1" z="1"', 'max x="9" y="9" z="9"')
    found = Client(server.port)
    found.begin(grid.replace("</ServerHandlers>", handlers))
    _, info = found.peek()
    found.close()
    assert {"crops", "grass path", "oak door", "sandstone stairs"} & set(info["voxels"][::10])
    forest = village.replace("DefaultWorldGenerator", "BiomeGenerator biome='4'")
    last = Client(server.port)
    last.send(HELLO, forest.encode(), TOKEN)
    assert last.ended()
    last.close()
    assert "there is no village here" in server.reasons()[-1]
