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
import time
from pathlib import Path
from types import FrameType
from typing import Any

from messages.bus.address import Host, read_hosts
from nodes.config import key_folder
from nodes.exit_codes import FAILED
from nodes.process import end_with_supervisor, leave, notify
from rlgpt.cluster.bringing import Bringing, taken_along
from rlgpt.cluster.cluster_joining import address_of, join
from rlgpt.cluster.forwarding import Forwarder
from rlgpt.cluster.host_process import HostProcess
from rlgpt.commit import current_commit
from rlgpt.configuration import Resources, Stack, load
from rlgpt.refused import Refused

NEWS = 0.5  # seconds that one question waits for news
ANSWER = 20.0  # seconds after which a host that does not answer is given up
ROOM = 10.0  # seconds without room for the node after which that is reported
BRING_EVERY = 10.0  # seconds; what a lost host had not handed over is lost


class Remote:
    """One process of a node, from its start on some host to its end."""

    def __init__(self, ray: Any, stack: Stack, run: Path, node: str) -> None:
        self._ray = ray
        self._stack = stack
        self._run = run
        self._node = node
        self._signals: list[int] = []
        self._forwarders: list[Forwarder] = []
        self._actor = _placed(ray, stack, node)
        self._bringing = Bringing(
            run / node, lambda path, offset: self._ask("part", node, path, offset)
        )

    def signalled(self, number: int, _: FrameType | None) -> None:
        """Passed on with the next question."""
        self._signals.append(number)

    def play(self) -> int:
        """Returns the exit code, negative where a signal ended the node."""
        self._wait_for_room()
        if self._signals:
            return 0
        if self._ask("commit") != current_commit():
            raise Refused("its host has another commit of the checkout", code=FAILED)
        where = address_of(self._ray, self._ask("host_id"))
        port, problem = self._start(where)
        if problem:
            raise Refused(f"it cannot be started at {where}: {problem}", code=FAILED)
        print(f"runs on the host {where}", flush=True)
        code = self._follow(Host(host=where, port=port))
        self._bring(ended=True)
        self._ask("discard")
        return code

    def _wait_for_room(self) -> None:
        answer = self._actor.commit.remote()
        reported = False
        began = time.monotonic()
        while not self._signals:
            done, _ = self._ray.wait([answer], timeout=NEWS)
            if done:
                return
            if not reported and time.monotonic() - began > ROOM:
                reported = True
                print("waits for a host of the cluster that has room for it", flush=True)

    def _start(self, where: str) -> tuple[int, str]:
        stack, node = self._stack, self._node
        keys = key_folder(self._run, stack.keys) or self._run / "keys"
        files = {"config.yaml": (self._run / "config.yaml").read_bytes()}
        for path in [*keys.glob("*.key"), keys / f"{node}.key_secret"]:
            files[f"keys/{path.name}"] = path.read_bytes()
        for name, content in taken_along(self._run / node).items():
            files[f"{node}/{name}"] = content
        named = ["--name", node] if stack.nodes[node].kind_of else []
        return self._ask("start", stack.module(node), named, node, where, files)

    def _follow(self, there: Host) -> int:
        read, bring_at = 0, time.monotonic() + BRING_EVERY
        while True:
            while self._signals:
                self._ask("signal", self._signals.pop(0))
            text, ready, code = self._ask("wait", NEWS, read)
            read += len(text)
            sys.stdout.buffer.write(text)
            sys.stdout.buffer.flush()
            if code is not None and not text:
                for each in self._forwarders:
                    each.close()
                return code
            if ready and not self._forwarders:
                # Only now: a peer that is connected to a node can expect an answer.
                here = read_hosts(self._stack.hosts)[self._node]
                self._forwarders = [
                    Forwarder((here.host, here.port + side), (there.host, there.port + side))
                    for side in (0, 1)
                ]
                notify("READY=1")
            if time.monotonic() > bring_at:
                self._bring(ended=False)
                bring_at = time.monotonic() + BRING_EVERY

    def _bring(self, ended: bool) -> None:
        for problem in self._bringing.bring(self._ask("files", self._node), ended):
            if ended:
                print(f"a file was not brought here: {problem}", flush=True)

    def _ask(self, method: str, *arguments: Any) -> Any:
        return self._ray.get(getattr(self._actor, method).remote(*arguments), timeout=ANSWER)


def _placed(ray: Any, stack: Stack, node: str) -> Any:
    """The actor, on a host other than the launcher's where there is one with room: the learner
    needs this one's cores. Several env servers are spread by their number."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # pyright: ignore

    wanted = stack.nodes[node].resources or Resources()
    own = ray.get_runtime_context().get_node_id()
    others = sorted(h["NodeID"] for h in ray.nodes() if h["Alive"] and h["NodeID"] != own)
    options: dict[str, Any] = {}
    if others:
        chosen = others[stack.env_servers.index(node) % len(others)]
        options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(
            chosen, soft=True, _spill_on_unavailable=True
        )
    return (
        ray.remote(HostProcess)
        .options(
            num_cpus=wanted.cpus,
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
    try:
        ray = join(os.environ.get("RAY_ADDRESS") or "auto")
        try:
            remote = Remote(ray, load(given.run), given.run, given.name)
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, remote.signalled)
            return remote.play()
        except (ray.exceptions.RayActorError, ray.exceptions.GetTimeoutError):
            print("its host was lost", flush=True)
            return FAILED
        except ray.exceptions.RayError as error:
            print(f"Ray: {str(error).strip().splitlines()[-1]}", flush=True)
            return FAILED
    except Refused as refused:
        print(f"{given.name}: {refused.sentence}", flush=True)
        return refused.code


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
