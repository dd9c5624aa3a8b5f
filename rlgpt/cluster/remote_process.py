"""``python -m rlgpt.cluster.remote_process --run RUN --name NODE``: a node on a host of the
cluster, as a process here.

The supervisor starts it, waits for it and signals it like any node. It has the node started on a
host, prints what it prints, is ready when it is, takes its files here, and ends as it ends. Where
the host is lost it ends too; the supervisor then starts another one, which chooses a host again.
"""

import argparse
import os
import signal
import sys
from pathlib import Path
from typing import Any

from messages.bus.network.address import read_hosts
from nodes.common.running.exit_codes import FAILED
from nodes.common.running.process import end_with_supervisor, leave, notify
from nodes.common.storage.yaml_numbers import written_yaml
from nodes.config import key_folder
from rlgpt.cluster.bringing import files_to_bring
from rlgpt.cluster.cluster_joining import join, last_line
from rlgpt.cluster.forwarding import Forwarder
from rlgpt.cluster.host_choice import placed_nodes, resources
from rlgpt.cluster.host_process import HostProcess
from rlgpt.cluster.placed_process import BRING_EVERY, PlacedProcess, Signals, Stopped, say
from rlgpt.composing.configuration import Stack, load, read
from rlgpt.launching.child import GRACE
from rlgpt.launching.readiness import PLACED, READY, STATUS, UNPLACED
from rlgpt.refused import Refused

OFTEN = 2.0  # seconds between two looks at the files of a node that has more to lose


class RemoteNode:
    """One process of a node, from its start on some host to its end."""

    def __init__(
        self, ray: Any, actor: Any, stack: Stack, run: Path, node: str, signals: Signals
    ) -> None:
        self._stack = stack
        self._run = run
        self._node = node
        plays = node in stack.env_servers
        self._placed = PlacedProcess(
            ray,
            actor,
            signals,
            run / node,
            node,
            bring_every=BRING_EVERY if plays else OFTEN,
            grace=GRACE,
        )
        self._forwarders: list[Forwarder] = []

    def play(self) -> int:
        """Returns the exit code, negative where a signal ended the node."""
        stack, node, placed = self._stack, self._node, self._placed
        notify(UNPLACED)
        where = placed.wait_for_room(lambda sentence: notify(f"{STATUS}{sentence}"))
        if not where:
            return 0
        notify(PLACED)
        port = placed.ask("free_port", where)
        there = placed.ask("run_folder")
        try:
            too_large = self._send(there, where, port)
        except Stopped:
            placed.ask("discard")
            return 0
        named = ["--name", node] if stack.nodes[node].kind_of else []
        placed.start(stack.module(node), ["--run", there, *named], where, too_large)
        try:
            code = placed.follow(lambda: self._open_way(where, port))
        finally:
            for each in self._forwarders:
                each.close()
        placed.finish()
        return code

    def _send(self, there: str, where: str, port: int) -> list[str]:
        """Returns the files of the node that are too large to be sent."""
        run, node, placed = self._run, self._node, self._placed
        keys = key_folder(run, self._stack.keys) or run / "keys"
        for path in [*keys.glob("*.key"), keys / f"{node}.key_secret"]:
            placed.send(path, f"keys/{path.name}")
        taken, too_large = files_to_bring(run / node)
        for path in taken:
            placed.send(path, str(path.relative_to(run)))
        config = read(run)
        hosts = {**self._stack.hosts, node: {"host": where, "port": port}}
        config |= {"run": there, "keys": "keys", "hosts": hosts}
        placed.put("config.yaml", written_yaml(config).encode())
        return [str(path.relative_to(run / node)) for path in too_large]

    def _open_way(self, where: str, port: int) -> None:
        # Only now: a peer that is connected to a node can expect an answer.
        here = read_hosts(self._stack.hosts)[self._node]
        try:
            for side in (0, 1):
                way = Forwarder((here.host, here.port + side), (where, port + side))
                self._forwarders.append(way)
        except OSError as error:
            self._placed.ask("discard")
            raise Refused(
                f"{here.host}:{here.port} and the port above it, where its peers connect, cannot "
                f"be listened on: {error.strerror}; end what uses them, or set hosts.{self._node}",
                code=FAILED,
            ) from None
        notify(READY)


def _actor(ray: Any, stack: Stack, node: str) -> Any:
    """On a host other than the launcher's where there is one with room: the learner needs this
    one's cores. Several nodes are spread by their number."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # pyright: ignore

    wanted = resources(stack, node)
    own = ray.get_runtime_context().get_node_id()
    others = sorted(h["NodeID"] for h in ray.nodes() if h["Alive"] and h["NodeID"] != own)
    options: dict[str, Any] = {}
    if others:
        chosen = others[placed_nodes(stack).index(node) % len(others)]
        options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(
            chosen, soft=True, _spill_on_unavailable=True
        )
    return (
        ray.remote(HostProcess)
        .options(
            num_cpus=wanted.cpus,
            num_gpus=wanted.gpus,
            resources=dict(wanted.others),
            max_restarts=0,  # the supervisor decides
            max_concurrency=4,  # a signal while `wait` waits
            **options,
        )
        .remote()
    )


def main() -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--name", required=True)
    given = parser.parse_args()
    end_with_supervisor()
    signals = Signals()
    signals.catch()
    try:
        ray = _joined()
        signals.catch()
        try:
            stack = load(given.run)
            actor = _actor(ray, stack, given.name)
            return RemoteNode(ray, actor, stack, given.run, given.name, signals).play()
        except (ray.exceptions.RayActorError, ray.exceptions.GetTimeoutError):
            say("its host was lost")
            return FAILED
        except ray.exceptions.RayError as error:
            say(f"Ray: {last_line(str(error))}")
            return FAILED
    except Refused as refused:
        say(f"{given.name}: {refused.sentence}")
        return refused.code
    except OSError as error:
        say(f"{given.name}: {_about(error)}")
        return FAILED


def _about(error: OSError) -> str:
    return f"{error.filename}: {error.strerror}" if error.filename else str(error)


def _joined() -> Any:
    """As `join`, but what it refuses may be over soon: the launcher has looked at the cluster, and
    its head is started again, or is slow. The supervisor tries it again. Raises Refused."""
    try:
        return join(os.environ["RAY_ADDRESS"])
    except Refused as refused:
        raise Refused(f"it has not joined the cluster: {refused.sentence}", code=FAILED) from None


def _end(code: int) -> None:
    """End as the node did: by the same signal, or with its code. The cluster then ends what is left
    of it, as it does for every process that has left."""
    if code < 0:
        sys.stdout.flush()
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    leave(code)


if __name__ == "__main__":
    _end(main())
