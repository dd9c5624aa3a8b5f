"""One run that is watched, for all pages that show it: its states by channel, kept up to date.

A thread looks at the folder twice a second; what the nodes publish comes in between. A state goes
to the pages only when it is another one than before.
"""

import contextlib
import threading
import time
from pathlib import Path
from typing import Any

import msgspec

from messages.bus import Bus, BusError
from messages.empty import Empty
from messages.system import LIST, NodeState
from rlgpt.composing.configuration import Stack, load
from rlgpt.dash.feed import Feed
from rlgpt.dash.follow.gpu_memory import Gpus
from rlgpt.dash.follow.node_messages import NodeMessages, connect
from rlgpt.dash.follow.run_files import Memory, MergedLog, Versions
from rlgpt.refused import Refused
from rlgpt.report import node_files
from rlgpt.report.account import account
from rlgpt.runs import run_folder
from rlgpt.runs.typed import run_word

_LOOK = 0.5  # seconds between two looks at the folder
_STATES = 1.0  # seconds between two requests for the nodes' states
_ANSWERING = 2.0  # seconds that a launcher has for its list


class NotRunning(Exception):
    """No launcher or no node answers; the text is a sentence for the user."""


class Follower:
    """Begins to look when it is made, ends with `close`, or when the run's folder is deleted."""

    def __init__(self, run: Path) -> None:
        self.run = run
        try:
            self._stack = load(run)
        except Refused:
            self._stack = None  # of another version: what its files show is shown
        nodes = list(node_files.part(node_files.config(run), "nodes"))
        self.log = MergedLog(run, nodes)
        self.memory = Memory()
        self._nodes = nodes
        self._versions = Versions(run)
        self._gpus = Gpus()
        self._lock = threading.Lock()
        self._feeds: list[Feed] = []
        self.gone = False  # the run's folder was deleted
        # What is not known yet takes the place of what a page has of an earlier server.
        self._states: dict[str, bytes] = {"speaking": b"[]", "rates": b"[]"}
        self._messages: NodeMessages | None = None
        self._states_at = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="dash-follow", daemon=True)
        self._thread.start()

    def add(self, feed: Feed) -> None:
        """The page is sent all states as they are, then each that changes."""
        with self._lock:
            for channel, state in self._states.items():
                feed.put(channel, state)
            self._feeds.append(feed)
            if self.gone:
                feed.end()

    def remove(self, feed: Feed) -> None:
        with self._lock:
            if feed in self._feeds:
                self._feeds.remove(feed)

    @property
    def watched(self) -> bool:
        with self._lock:
            return bool(self._feeds)

    def version(self, panel: str) -> int:
        """Grows whenever the files of a panel are others."""
        return self._versions.numbers[panel]

    def renew(self, panel: str) -> None:
        """Have the pages fetch what a panel shows again."""
        self.show("versions", self._versions.renew(panel))

    def reached(self, launched: bool = False) -> tuple[Bus, Stack]:
        """The bus of a run that goes on, with a launcher if that is asked for (``launched``).
        Raises NotRunning."""
        messages, stack = self._messages, self._stack
        if not run_folder.launched(self.run) and (
            launched or not run_folder.running_nodes(self.run)
        ):
            raise NotRunning(
                f"no launcher runs; `rlgpt resume {run_word(self.run)}` starts the nodes"
            )
        if messages is None or stack is None:
            raise NotRunning("this page is not connected to the nodes yet; try again in a moment")
        return messages.bus, stack

    def close(self) -> None:
        self._over.set()
        self._thread.join(10.0)
        if self._messages is not None:
            self._messages.close()

    # ---- inside

    def show(self, channel: str, state: Any) -> None:
        """A state of the run, for all pages, where it is another one than before."""
        encoded = msgspec.json.encode(state)
        with self._lock:
            if self._states.get(channel) == encoded:
                return
            self._states[channel] = encoded
            for feed in self._feeds:
                feed.put(channel, encoded)

    def _follow(self) -> None:
        while not self._over.is_set():
            with contextlib.suppress(OSError):  # a file was removed meanwhile
                if not self.run.is_dir():
                    self._end_feeds()
                    return
                self._look()
            self._over.wait(_LOOK)

    def _end_feeds(self) -> None:
        with self._lock:
            self.gone = True
            for feed in self._feeds:
                feed.end()

    def _look(self) -> None:
        launched = run_folder.launched(self.run)
        running = run_folder.running_nodes(self.run)
        if self._messages is None and self._stack is not None and (launched or running):
            self._messages = connect(self.run, self._stack, self.show)
        versions = self._versions.look()
        self.show("versions", versions)
        self.show("log", {"newest": self.log.look(), "of": self.log.id})
        now = time.monotonic()
        if now - self._states_at >= _STATES:
            self._states_at = now
            self.show("run", self._run_state(launched))
            self._show_nodes(launched, running)
            if self._messages is not None:
                self._messages.expire()
                self.show("rates", self._messages.rates())
            self.show("gpus", self._gpus.look())

    def _run_state(self, launched: bool) -> dict[str, Any]:
        state = account(self.run).state
        return {"kind": state.kind, "text": state.text, "launched": launched}

    def _show_nodes(self, launched: bool, running: list[str]) -> None:
        states = self._launcher_states() if launched else None
        beats = {} if self._messages is None else self._messages.heartbeats()
        rows: list[dict[str, Any]] = []
        if states is not None:
            for each in states:
                rows.append(msgspec.to_builtins(each))
            used = {each.node: each.memory for each in states if each.pid}
            self.memory.note(used, time.time())
        else:
            for node in self._nodes:
                how = "running without a launcher" if node in running else "not running"
                rows.append(msgspec.to_builtins(_still(node, how)))
        for row in rows:
            beat = beats.get(row["node"])
            row["busy"] = beat.busy if beat is not None and row["state"] == "ready" else []
            row["uptime"] = round(row["uptime"])
        self.show("nodes", rows)

    def _launcher_states(self) -> list[NodeState] | None:
        if self._messages is None:
            return None
        try:
            return self._messages.bus.call(LIST, Empty(), timeout=_ANSWERING).nodes
        except BusError:
            return None  # it is beginning, or ending


def _still(node: str, state: str) -> NodeState:
    return NodeState(node=node, state=state, pid=0, restarts=0, uptime=0.0, memory=0)
