"""A Malmo client of a few lines, and a server to talk to."""

import contextlib
import json
import re
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HELLO, QUIT, PEEK = b"<MalmoEnv0.37.0/>", b"<Quit/>", b"<Peek/>"
TOKEN = b"d70562f8-7feb-48e0-b4ba-edcd6acb2a06:0:0:1:true"
DEADLINE = 120.0  # generous: kernels may have to be compiled
MISSION = """<?xml version="1.0" encoding="UTF-8"?>
<MissionInit xmlns="http://ProjectMalmo.microsoft.com" PlatformVersion="0.37.0"><Mission>
<ServerSection>
  <ServerInitialConditions><Time><AllowPassageOfTime>true</AllowPassageOfTime></Time>
    <AllowSpawning>true</AllowSpawning></ServerInitialConditions>
  <ServerHandlers><DefaultWorldGenerator forceReset="false" seed="7" generatorOptions="{}"/>
  </ServerHandlers>
</ServerSection>
<AgentSection mode="Survival">
  <AgentStart><BreakSpeedMultiplier>1.0</BreakSpeedMultiplier>
    <StartingHealth maxHealth="20" health="20.0"/><StartingFood food="20"/>
    <Inventory><InventoryObject slot="0" type="bucket" metadata="0" quantity="1"/></Inventory>
  </AgentStart>
  <AgentHandlers>
    <VideoProducer want_depth="false"><Width>32 </Width><Height>24</Height></VideoProducer>
    <ObservationFromGrid><Grid name="voxels"><min x="-1" y="-1" z="-1"/><max x="1" y="1" z="1"/>
    </Grid></ObservationFromGrid>
  </AgentHandlers>
</AgentSection></Mission></MissionInit>"""


class Client:
    """Talks as bridge_env.py of minedojo 0.1 does."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)

    def send(self, *messages: bytes) -> None:
        for message in messages:
            self.socket.sendall(struct.pack("!I", len(message)) + message)

    def receive(self) -> bytes:
        (length,) = struct.unpack("!I", self._exactly(4))
        return self._exactly(length)

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise EOFError("the server closed the connection")
            data += part
        return data

    def begin(self, mission: str = MISSION) -> None:
        self.send(HELLO, QUIT)
        assert self.receive() == b"\0\0\0\1"
        self.send(mission.encode(), TOKEN)
        assert self.receive() == b"\0\0\0\1"

    def peek(self) -> tuple[bytes, dict[str, Any]]:
        self.send(PEEK)
        frame, info, done = self.receive(), self.receive(), self.receive()
        assert done == b"\0"
        return frame, json.loads(info)

    def step(self, *lines: str) -> tuple[bytes, dict[str, Any]]:
        action = "\n".join(lines).encode()
        self.send(b"<StepClient0>" + action + b"</StepClient0 >")
        frame, reply, info = self.receive(), self.receive(), self.receive()
        assert struct.unpack("!dbb", reply) == (0.0, 0, 1)
        self.send(b"<StepServer></StepServer>")
        return frame, json.loads(info)

    def ended(self) -> bool:
        """Whether the server closes the connection, whatever it says before."""
        try:
            while self.socket.recv(1 << 16):
                pass
        except ConnectionResetError:
            pass
        return True

    def close(self) -> None:
        self.socket.close()


class Server:
    """``port`` and ``pid``; ``log()``: what it has logged so far."""

    def __init__(self, port: int, pid: int, log: Path) -> None:
        self.port = port
        self.pid = pid
        self._log = log

    def log(self) -> str:
        return self._log.read_text()

    def reasons(self) -> list[str]:
        """Why connections ended."""
        return re.findall(r"the connection ends: (.*)", self.log())


@contextlib.contextmanager
def serving(*arguments: str) -> Iterator[Server]:
    """A server in a process of its own."""
    command = [sys.executable, "-m", "voxeldojo.malmo", "--port", "0", *arguments]
    with (
        tempfile.NamedTemporaryFile("w", suffix=".log") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("listening on "), Path(log.name).read_text()
            yield Server(int(line.rpartition(":")[2]), process.pid, Path(log.name))
        finally:
            process.terminate()
            assert process.wait(timeout=DEADLINE) == 0
