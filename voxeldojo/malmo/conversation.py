"""The messages of one connection, from its first to its end."""

import logging
import re
import struct
from collections.abc import Callable

from voxeldojo.game import Game
from voxeldojo.malmo.action_lines import parse_lines
from voxeldojo.malmo.framing import BadMessage, Channel
from voxeldojo.malmo.mission import parse_mission
from voxeldojo.malmo.wire import frame_and_info

HELLO = re.compile(rb"<MalmoEnv[\w.]{1,20}/?>")
TOKEN = re.compile(rb"[\w.\-]{1,100}:0:\d{1,9}:1:(?:true|false)(?::-?\d{1,20})?")
STEP = re.compile(rb"<StepClient[02]>(.*)</StepClient[02] ?>", re.DOTALL)
MISSION_BYTES, OTHER_BYTES = 1 << 20, 1 << 16
YES = struct.pack("!I", 1)
NOT_DONE = struct.pack("!b", 0)
# Reward and done are decided by MineDojo's Python; no default mission ends by itself.
STEPPED = struct.pack("!dbb", 0.0, 0, 1)
REPEATED = 20  # different warnings that are logged in one mission, at most

MakeGame = Callable[..., Game]


class Conversation:
    """``make_game``: settings -> Game. ``log`` gets a warning for each thing that was not done."""

    def __init__(self, channel: Channel, make_game: MakeGame, log: logging.Logger) -> None:
        self._channel = channel
        self._make_game = make_game
        self._log = log
        self._game: Game | None = None
        self._logged: set[str] = set()

    def run(self) -> str:
        """Serve until the client ends the connection. Returns how it did that.

        Raises:
            BadMessage, Gone: the connection ends, for that reason.
            NotInThisWorld: the connection ends, as the world of a mission cannot be made.
        """
        if HELLO.fullmatch(self._channel.receive(256, at_once=True)) is None:
            raise BadMessage("a client begins with <MalmoEnv0.37.0/>")
        while True:
            message = self._channel.receive(MISSION_BYTES)
            if b"<MissionInit" in message[:256]:
                self._begin(message)
            elif message.startswith(b"<StepClient"):
                self._step(message)
            elif message == b"<StepServer></StepServer>":
                self._playing()
            elif message == b"<Peek/>":
                self._channel.send(*frame_and_info(self._playing()), NOT_DONE)
            elif message == b"<Quit/>":
                self.close()
                self._channel.send(YES)
            elif message == b"<Exit>NOW</Exit>":
                # Games of other clients go on: only this connection ends.
                self._channel.send(YES)
                return "asked for the exit"
            elif message == b"<Disconnect/>":
                return "disconnected"
            else:
                raise BadMessage(f"{message[:40]!r} is no message of Malmo's")

    def close(self) -> None:
        if self._game is not None:
            self._game.close()
            self._game = None

    def _begin(self, message: bytes) -> None:
        settings = parse_mission(message)
        token = self._channel.receive(OTHER_BYTES, at_once=True)
        if TOKEN.fullmatch(token) is None:
            raise BadMessage(f"{token[:60]!r} is no token of one agent, UUID:0:0:1:true")
        self.close()
        self._game = self._make_game(settings)
        self._logged.clear()
        self._log.info(
            "a mission begins: biome %s, seed %d, pictures of %d x %d",
            self._game.info()["biome_name"],
            self._game.seed,
            *settings.image_size,
        )
        self._channel.send(YES)

    def _step(self, message: bytes) -> None:
        game = self._playing()
        if len(message) > OTHER_BYTES:
            raise BadMessage(f"an action of {len(message)} bytes, {OTHER_BYTES} is the most")
        found = STEP.fullmatch(message)
        if found is None:
            raise BadMessage("an action stands between <StepClient0> and </StepClient0 >")
        keys, command, unknown = parse_lines(found[1])
        if unknown:
            self._warn_once(f"left out of an action: {', '.join(unknown[:8])}")
        if refused := game.tick(keys, command):
            self._warn_once(refused)
        frame, info = frame_and_info(game)
        self._channel.send(frame, STEPPED, info)

    def _playing(self) -> Game:
        if self._game is None:
            raise BadMessage("there is no mission yet: a MissionInit and its token come first")
        return self._game

    def _warn_once(self, sentence: str) -> None:
        if sentence not in self._logged and len(self._logged) < REPEATED:
            self._logged.add(sentence)
            self._log.warning("%s", sentence)
