"""The server: a thread and a world for each connection."""

import contextlib
import itertools
import logging
import socket
import threading
from typing import Any

from voxeldojo.game import Game, NotInThisWorld
from voxeldojo.malmo.conversation import Conversation
from voxeldojo.malmo.framing import BadMessage, Channel, Gone
from voxeldojo.tasks import WorldSettings

LOG = logging.getLogger("malmo")
RETRY = 0.2  # seconds until the server tries again to accept a connection


class MalmoServer:
    """``seed``: for the first mission that gives no world seed; each later one gets the next.
    ``patience``: see `Channel`."""

    def __init__(
        self,
        host: str,
        port: int,
        *,
        seed: int = 0,
        biome: str | None = None,
        area: int = 128,
        connections: int = 64,
        patience: float = 30.0,
    ) -> None:
        if connections < 1:
            raise ValueError(f"{connections} connections: at least one is to be served")
        self._listener = socket.create_server((host, port))
        self.port: int = self._listener.getsockname()[1]
        self._seeds = itertools.count(seed)
        self._biome, self._area, self._patience = biome, area, patience
        self._places = threading.BoundedSemaphore(connections)
        self._closed = threading.Event()

    def make_game(self, settings: WorldSettings) -> Game:
        seed = 0 if str(settings.world_seed).strip() else next(self._seeds)
        return Game(settings, default_biome=self._biome, seed=seed, area=self._area)

    def run(self) -> None:
        """Serve until the listener is closed."""
        for number in itertools.count(1):
            accepted = self._accept()
            if accepted is None:
                return
            connection, address = accepted
            if not self._places.acquire(blocking=False):
                LOG.warning("connection %d from %s: refused, all places are taken", number, address)
                connection.close()
                continue
            thread = threading.Thread(
                target=self._serve, args=(connection, number), name=f"malmo-{number}", daemon=True
            )
            try:
                thread.start()
            except RuntimeError as error:
                LOG.error("connection %d from %s: refused, %s", number, address, error)
                connection.close()
                self._places.release()

    def close(self) -> None:
        self._closed.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits in accept
        self._listener.close()

    def _accept(self) -> tuple[socket.socket, Any] | None:
        """The next connection; None when the server is closed. Retries after errors, which are
        temporary (no file descriptors left, a client that has already closed)."""
        logged = False
        while not self._closed.is_set():
            try:
                return self._listener.accept()
            except OSError as error:
                if self._closed.is_set():
                    break
                if not logged:
                    LOG.error(
                        "no connection can be accepted now (%s); trying again", error.strerror
                    )
                    logged = True
                self._closed.wait(RETRY)
        return None

    def _serve(self, connection: socket.socket, number: int) -> None:
        log = LOG.getChild(str(number))
        conversation = None
        try:
            channel = Channel(connection, self._patience)
            log.info("a client connects from %s", connection.getpeername()[0])
            conversation = Conversation(channel, self.make_game, log)
            log.info("the client %s", conversation.run())
        except (BadMessage, NotInThisWorld) as reason:
            log.error("the connection ends: %s", reason)
        except (Gone, OSError) as reason:
            log.info("the connection ends: %s", reason)
        except Exception:
            # A fault in one connection must not affect the others.
            log.exception("the connection ends: a fault of this server")
        finally:
            if conversation is not None:
                conversation.close()
            connection.close()
            self._places.release()
