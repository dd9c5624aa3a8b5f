"""The Malmo endpoint when the machine or the client gives it less than it needs."""

import os
import resource
import subprocess
import sys
import time

import pytest

from tests.voxel_world.malmo_client import DEADLINE, HELLO, MISSION, TOKEN, Client, Server, serving
from voxeldojo.malmo.__main__ import main
from voxeldojo.malmo.framing import BadMessage
from voxeldojo.malmo.mission import parse_mission


def _wait_for(server: Server, sentence: str) -> None:
    end = time.monotonic() + DEADLINE
    while sentence not in server.log():
        assert time.monotonic() < end, server.log()
        time.sleep(0.05)


def test_a_part_of_an_options_name_is_none_of_serve(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["serve", "--port", "70000", "--conn", "1"])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "unrecognized arguments: --conn 1" in capsys.readouterr().err


def test_the_server_accepts_again_when_file_descriptors_are_free_again() -> None:
    with serving("--area", "64") as server:
        open_now = len(os.listdir(f"/proc/{server.pid}/fd"))
        _, most = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (open_now, most))
        waiting = [Client(server.port) for _ in range(3)]  # in the listener's queue
        _wait_for(server, "no connection can be accepted now (Too many open files)")
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (most, most))
        for client in waiting:
            client.begin()
            _, info = client.step("forward 1")
            assert info["total_time"] == 1
            client.close()
        assert server.log().count("can be accepted now") == 1


@pytest.mark.parametrize(
    "encoding", ["klingon", "base64", "idna", "undefined", "shift_jis", "utf-32", "mbcs", "hex"]
)
def test_an_encoding_that_cannot_be_read_is_reported_as_a_bad_message(encoding: str) -> None:
    text = MISSION.replace('encoding="UTF-8"', f'encoding="{encoding}"')
    with pytest.raises(BadMessage, match=r"^the XML (has an encoding that|is not well-formed)"):
        parse_mission(text.encode())


def test_a_client_with_an_unknown_encoding_is_logged() -> None:
    with serving("--area", "64") as server:
        client = Client(server.port)
        client.send(HELLO, MISSION.replace("UTF-8", "klingon").encode(), TOKEN)
        assert client.ended()
        client.close()
        _wait_for(server, "the connection ends")
        [reason] = server.reasons()
        assert reason.startswith("the XML has an encoding that cannot be read: ")
        assert "klingon" in reason
        assert "Traceback" not in server.log()


def test_every_kernel_of_the_keys_is_compiled_before_the_first_client() -> None:
    """Some are called by no other kernel, so that compiling the world leaves them out."""
    program = """
from voxeldojo.engine.hands.hotbar import select_slot, swap_slots
from voxeldojo.malmo.__main__ import _warm_up
_warm_up(None, 32)
print(len(select_slot.signatures), len(swap_slots.signatures))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "1 1\n", done.stderr


@pytest.mark.parametrize(("of", "as_"), [('slot="0"', 'slot="0.5"'), (">24<", ">24.5<")])
def test_a_mission_counts_in_whole_numbers(of: str, as_: str) -> None:
    assert of in MISSION
    with pytest.raises(BadMessage, match=r"(slot|Height) is a whole number, not '(0|24)\.5'"):
        parse_mission(MISSION.replace(of, as_).encode())


def test_a_mission_gives_at_least_one_of_an_item() -> None:
    with pytest.raises(BadMessage, match="quantity is from 1 to 64, not 0"):
        parse_mission(MISSION.replace('quantity="1"', 'quantity="0"').encode())
