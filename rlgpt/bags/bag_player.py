"""`rlgpt bag play`: the messages of a bag in place of the nodes that sent them."""

import math
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from messages.calling import calls
from messages.system import description, heartbeat
from nodes.common.running.counted import counted
from nodes.common.running.ending_signals import ended_by
from nodes.common.running.standard_error import to_stderr
from rlgpt.bags.bag_reader import BagReader, Channel, Recorded, left_out
from rlgpt.bags.mcap_records import ENCODING
from rlgpt.bags.message_maps import NoMap, parted
from rlgpt.bags.message_schemas import Types
from rlgpt.bags.recorded_answers import Answers
from rlgpt.bags.stand_in import StandIn
from rlgpt.bags.topic_patterns import check_patterns, is_wanted
from rlgpt.composing.configuration import Stack, load
from rlgpt.inspecting.opening import connected
from rlgpt.launching.machines import LAUNCHER
from rlgpt.refused import Refused, instead
from rlgpt.runs import run_folder
from rlgpt.single_runs.foreground_node import taken_over

CONNECTING = 1.0
"""Seconds in which subscribers connect before the first message."""


@dataclass(frozen=True)
class Pace:
    """How a bag is played. ``rate``: 2 is twice as fast, 0 as fast as it goes."""

    rate: float = 1.0
    start: float = 0.0  # seconds of the recording that are left out
    loop: bool = False
    once: bool = False  # end with the last message, also where requests could still be answered

    def __post_init__(self) -> None:
        if not 0.0 <= self.rate < math.inf:
            raise Refused(f"--rate {self.rate:g}: a number, 0 (as fast as it goes) or more")
        if not 0.0 <= self.start < 1e9:
            raise Refused(f"--start-offset {self.start:g}: seconds, 0 or more")


def play(
    file: str, wanted: str | None, replace: Sequence[str], topics: Sequence[str], pace: Pace
) -> int:
    """Publish what ``replace`` (empty: all nodes of the bag that do not run) have published, and
    reply to requests as they have. ``topics``: patterns of those that are published."""
    run = run_folder.find(wanted)
    stack = load(run)
    contents = _Contents(Path(os.path.expanduser(file)), topics)
    if pace.start > contents.seconds:
        raise Refused(f"--start-offset {pace.start:g}: the bag lasts {contents.seconds:.1f} s")
    nodes = _nodes(contents, replace, stack, run)
    if pace.loop and not contents.count(nodes):
        raise Refused(
            f"--loop has nothing to repeat: the bag has no message of {', '.join(nodes)} to "
            "publish; leave --loop out, and requests are answered until Ctrl-C"
        )
    answers = Answers(Types())
    answers.read(each for each in contents.messages() if _node(each.channel) in nodes)
    with ExitStack() as closing:
        # First, so that no signal ends it between taking a node's place and giving it back.
        over = closing.enter_context(_interruptible())
        closing.enter_context(_released(run, stack, nodes))
        players: dict[str, StandIn] = {}
        for node in nodes:
            players[node] = StandIn(run, stack, node, contents.topics.get(node, {}), answers)
            closing.callback(players[node].close)
        for player in players.values():
            player.start()
        services = [name for name in answers.types if name.partition("/")[0] in nodes]
        to_stderr(
            f"playing {file} in place of {', '.join(nodes)}: "
            f"{counted(contents.count(nodes), 'message')}, "
            f"{counted(len(services), 'service')}; Ctrl-C ends it"
        )
        for sentence in contents.left_out:
            to_stderr(sentence)
        sent, damaged = _publish(contents, players, answers, pace, over)
        if services and not pace.once and not over.is_set():
            done = f"published {counted(sent, 'message')}"
            to_stderr(f"{done}; requests are answered until Ctrl-C")
            over.wait()
    to_stderr(
        f"published {counted(sent, 'message')}; answered {counted(answers.given, 'request')}, "
        f"{answers.repeated:,} of them with the last answer again; "
        f"{answers.missing:,} {'was' if answers.missing == 1 else 'were'} not in the bag"
    )
    if damaged:
        to_stderr(f"{counted(damaged, 'damaged message', 'was', 'were')} not published")
    return 0


class _Contents:
    """What a bag has for playing.

    Attributes:
        topics: of each node, the topics that are published, each with its last channel.
        first: when the first message was recorded, in nanoseconds, and ``seconds`` from it to the
            last one; the first message of a latched topic does not count, from each start of its
            node.
        left_out: what of the file cannot be read, in sentences.
    """

    def __init__(self, path: Path, patterns: Sequence[str]) -> None:
        self._path = path
        self._patterns = patterns
        self._counts: dict[str, int] = {}
        self.topics: dict[str, dict[str, Channel]] = {}
        self.nodes: set[str] = set()
        self.first = 0
        met: set[str] = set()
        channels: set[int] = set()  # those met
        encodings: set[str] = set()
        latest = 0
        reader = BagReader(path)
        for message in reader.messages():
            encodings.add(message.channel.encoding)
            node = _node(message.channel)
            self.nodes.add(node)
            # A snapshot begins with the last message of each latched topic, maybe hours older.
            if not message.channel.latched or message.channel.number in channels:
                self.first = self.first or message.logged
            if self.publishes(message.channel):
                self.topics.setdefault(node, {})[message.channel.topic] = message.channel
                self._counts[node] = self._counts.get(node, 0) + 1
            met.add(message.channel.topic)
            channels.add(message.channel.number)
            latest = message.logged
        self.first = self.first or latest
        self.seconds = (latest - self.first) / 1e9
        if not self.nodes:
            raise Refused(f"{path} has no messages")
        if ENCODING not in encodings:  # no node leaves its place for nothing
            raise Refused(
                f"{path} cannot be played: its messages are {', '.join(sorted(encodings))}, as "
                "`rlgpt bag export` writes them; play the bag that was recorded"
            )
        check_patterns(path, patterns, met)
        self.left_out = [*left_out(reader)]

    def messages(self) -> Iterator[Recorded]:
        return BagReader(self._path).messages()

    def count(self, nodes: Sequence[str]) -> int:
        return sum(self._counts.get(node, 0) for node in nodes)

    def publishes(self, channel: Channel) -> bool:
        """Whether a channel's messages are published. Those by which a node reports that it runs
        are the player's own."""
        node = _node(channel)
        own = (heartbeat(node).name, description(node).name, calls(node).name)
        if "service" in channel.metadata or channel.topic in own or channel.encoding != ENCODING:
            return False
        return is_wanted(channel.topic, self._patterns)


def _node(channel: Channel) -> str:
    return channel.metadata.get("node") or channel.topic.partition("/")[0]


def _nodes(contents: _Contents, replace: Sequence[str], stack: Stack, run: Path) -> list[str]:
    """The nodes whose place is taken."""
    if LAUNCHER in replace:
        raise Refused("the launcher starts the nodes, so that a bag cannot take its place")
    for node in replace:
        if node not in contents.nodes:
            known = sorted(contents.nodes - {LAUNCHER})
            raise Refused(f"there is no node `{node}` in the bag{instead(node, known)}")
        stack.check_node(node)
    if replace:
        return list(dict.fromkeys(replace))
    running = run_folder.running_nodes(run)
    free = sorted((contents.nodes & set(stack.nodes)) - set(running))
    if not free:
        raise Refused(
            "every node of the bag is running, or is none of this run; --replace NODE takes the "
            "place of one"
        )
    return free


@contextmanager
def _released(run: Path, stack: Stack, nodes: Sequence[str]) -> Iterator[None]:
    """The launcher, if there is one, leaves the nodes to this process meanwhile."""
    if not run_folder.launched(run):
        yield
        return
    with connected(run, stack) as bus, ExitStack() as taken:
        for node in nodes:
            taken.enter_context(taken_over(run, bus, node))
        yield


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """An event that Ctrl-C, SIGTERM and the end of the terminal set."""
    over = threading.Event()
    with ended_by(lambda *_: over.set()):
        yield over


def _publish(
    contents: _Contents,
    players: dict[str, StandIn],
    answers: Answers,
    pace: Pace,
    over: threading.Event,
) -> tuple[int, int]:
    """Returns how many messages were published, and how many could not be."""
    sent = damaged = 0
    over.wait(CONNECTING)
    begin = contents.first + int(pace.start * 1e9)
    while not over.is_set():
        began = monotonic()
        for message in contents.messages():
            player = players.get(_node(message.channel))
            if player is None or not contents.publishes(message.channel):
                continue
            latched = message.channel.latched
            if message.logged < begin and not latched:
                continue  # the state that latched topics hold at the start is published at once
            if pace.rate:
                due = began + (message.logged - begin) / 1e9 / pace.rate
                # At a very low rate it is due after the last moment that can be waited for.
                over.wait(min(max(0.0, due - monotonic()), threading.TIMEOUT_MAX))
            if over.is_set():
                break
            try:
                frames, goal = parted(message.data)
            except NoMap:
                damaged += 1
                continue
            player.publish(message.channel.topic, latched, frames, goal)
            sent += 1
        if not pace.loop:
            break
        answers.rewind()
    return sent, damaged
