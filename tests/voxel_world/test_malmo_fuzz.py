"""Garbage at the Malmo server: every connection ends in order, and it goes on."""

import random
import re

from tests.voxel_world.malmo_client import (
    HELLO,
    MISSION,
    PEEK,
    QUIT,
    TOKEN,
    Client,
    Server,
    serving,
)
from voxeldojo.game import Keys
from voxeldojo.malmo.action_lines import parse_lines
from voxeldojo.malmo.framing import BadMessage
from voxeldojo.malmo.mission import parse_mission
from voxeldojo.tasks import WorldSettings

ROUNDS = 100
STEP = b"<StepClient0>camera 0.0 15.0\nforward 1\nattack 1\nequip none\nplace log</StepClient0 >"
GOOD = [HELLO, QUIT, MISSION.encode(), TOKEN, PEEK, STEP, b"<StepServer></StepServer>", STEP]
COMMANDS = ["summon", "kill", "time", "weather", "replaceitem", "tp", "clear", "setblock"]
WORDS = [
    "~", "~1e9", "-1", "99999999999", "@p", "@e[type=item]", "set", "slot.hotbar.9", "nan", "stone",
    "entity", "minecraft:log", "slot.armor.tail", "~~", "-", "", "1.5.2", "²", "\t", "/",
]  # fmt: skip


MISSIONS, ACTIONS = 3000, 3000
VALUES = [
    "", "0", "-1", "41", "1e400", "nan", "inf", "-0.0", "9" * 40, "true", "none", "log",
    "minecraft:", "plains", "²", "&amp;", "&#0;", "<a/>", "\t", "0x10", "1,5", "3;7,2*3,2;1;",
]  # fmt: skip
VERBS = [
    "camera", "forward", "back", "left", "jump", "sneak", "sprint", "use", "attack", "drop",
    "craft", "craftNearby", "smeltNearby", "equip", "place", "chat", "hotbar.1", "pitch", "",
]  # fmt: skip
ARGUMENTS = [
    "0", "1", "2", "none", "1.5 -3", "nan 0", "1e400 1", "180.0 -180.0", "planks", "glass", "torch",
    "air", "log", "excalibur", "/kill", "\0", "ä", "- -", "1 2 3", "one",
]  # fmt: skip


def _spoil(message: bytes, chance: random.Random) -> bytes:
    data = bytearray(message)
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(data) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            del data[place : place + chance.randint(1, 40)]
        elif kind == 1:
            data[place:place] = chance.randbytes(chance.randint(1, 20))
        elif kind == 2 and place < len(data):
            data[place] = chance.randrange(256)
        else:
            data[place:place] = data[: chance.randint(0, 60)]
    return bytes(data)


def _assert_alive(server: Server) -> None:
    client = Client(server.port)
    client.begin()
    _, info = client.step("forward 1")
    assert info["total_time"] == 1
    client.close()


def test_garbage_ends_connections_and_never_the_server() -> None:
    chance = random.Random(7)
    with serving("--area", "32") as server:
        for number in range(ROUNDS):
            client = Client(server.port)
            spoiled = chance.randrange(len(GOOD))
            messages = [*GOOD[:spoiled], _spoil(GOOD[spoiled], chance), *GOOD[spoiled + 1 :]]
            try:
                if number % 5 == 0:  # wrong lengths: a stream that is cut anywhere
                    stream = b"".join(len(m).to_bytes(4, "big") + m for m in messages)
                    client.socket.sendall(stream[: chance.randrange(len(stream))])
                else:
                    client.send(*messages)
                client.socket.shutdown(1)
                assert client.ended()
            except TimeoutError:
                raise  # the connection is still there
            except OSError:
                pass  # the server had enough before everything was sent
            client.close()
        _assert_alive(server)
        assert "a fault of this server's own" not in server.log()


def test_odd_commands_are_refused_in_words() -> None:
    chance = random.Random(11)
    with serving("--area", "32") as server:
        client = Client(server.port)
        client.begin()
        for _ in range(300):
            words = [chance.choice(WORDS) for _ in range(chance.randint(0, 7))]
            client.step(f"chat /{chance.choice(COMMANDS)} {' '.join(words)}")
        _, info = client.step("forward 1")
        assert len(info["inventory"]) == 41
        client.close()
        _assert_alive(server)
        assert "a fault of this server's own" not in server.log()


def _other_values(chance: random.Random) -> str:
    """The mission with some of its values, elements or attributes other than they should be."""
    mission = MISSION
    for _ in range(chance.randint(1, 3)):
        places = list(re.finditer(r'"[^"]*"|>[^<>]+<|<[A-Za-z]+/?>| [a-z]+="', mission))
        if not places:
            return mission
        place, value = chance.choice(places), chance.choice(VALUES)
        found = place.group()
        if found.startswith('"'):
            put = f'"{value}"'
        elif found.startswith(">"):
            put = f">{value}<"
        else:
            put = chance.choice(("", found * 2, found.replace("e", "E")))
        mission = mission[: place.start()] + put + mission[place.end() :]
    return mission


def test_any_mission_is_read_or_refused_in_a_sentence() -> None:
    chance = random.Random(17)
    read = refused = 0
    for number in range(MISSIONS):
        text = _other_values(chance).encode()
        if number % 3 == 0:
            text = _spoil(text, chance)
        try:
            settings = parse_mission(text)
        except BadMessage as refusal:
            refused += 10 < len(str(refusal)) < 400
            continue
        assert isinstance(settings, WorldSettings)
        read += 1
    assert read > MISSIONS // 60
    assert read + refused == MISSIONS


def test_any_lines_are_keys_or_refused_in_a_sentence() -> None:
    chance = random.Random(19)
    read = refused = 0
    for number in range(ACTIONS):
        lines = [
            f"{chance.choice(VERBS)} {chance.choice(ARGUMENTS)}"
            for _ in range(chance.choice((1, 1, 1, 2, 4, 200)))
        ]
        text = "\n".join(lines).encode()
        if number % 3 == 0:
            text = _spoil(text, chance)
        try:
            keys, _chat, _unknown = parse_lines(text)
        except BadMessage as refusal:
            refused += 10 < len(str(refusal)) < 400
            continue
        assert isinstance(keys, Keys)
        assert abs(keys.pitch) + abs(keys.yaw) < float("inf")
        read += 1
    assert read > ACTIONS // 20
    assert read + refused == ACTIONS


def test_the_server_survives_clients_that_disconnect_at_any_byte() -> None:
    chance = random.Random(23)
    with serving("--area", "32") as server:
        stream = b"".join(len(m).to_bytes(4, "big") + m for m in GOOD)
        clients = []
        for _ in range(24):
            client = Client(server.port)
            client.socket.sendall(stream[: chance.randrange(1, len(stream))])
            clients.append(client)
        chance.shuffle(clients)
        for client in clients:
            # Some end in order, some with what the server still had to say unread (a reset).
            if chance.random() < 0.5:
                client.socket.shutdown(1)
            client.close()
        _assert_alive(server)
        assert "a fault of this server's own" not in server.log()
