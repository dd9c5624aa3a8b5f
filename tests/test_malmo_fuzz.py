"""Garbage at the Malmo door: every connection ends in order, and the server goes on."""

import random

from tests.malmo_client import HELLO, MISSION, PEEK, QUIT, TOKEN, Client, Server, serving

ROUNDS = 100
STEP = b"<StepClient0>camera 0.0 15.0\nforward 1\nattack 1\nequip none\nplace log</StepClient0 >"
GOOD = [HELLO, QUIT, MISSION.encode(), TOKEN, PEEK, STEP, b"<StepServer></StepServer>", STEP]
COMMANDS = ["summon", "kill", "time", "weather", "replaceitem", "tp", "clear", "setblock"]
WORDS = [
    "~", "~1e9", "-1", "99999999999", "@p", "@e[type=item]", "set", "slot.hotbar.9", "nan", "stone",
    "entity", "minecraft:log", "slot.armor.tail", "~~", "-", "", "1.5.2", "²", "\t", "/",
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
            except OSError:
                pass  # the server had enough before everything was said
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
