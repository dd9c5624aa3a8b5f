"""The cluster, as a process of its own has found it: Ray is imported only there."""

import os
import subprocess

import msgspec

from nodes.common.running.process import python
from rlgpt.cluster.cluster_joining import PAGE
from rlgpt.refused import Refused

LOOKING = 180.0  # seconds


class HostFound(msgspec.Struct, frozen=True, kw_only=True):
    """A host of the cluster and what it has, whether free or not."""

    address: str
    cpus: float = 0.0
    gpus: float = 0.0
    memory: float = 0.0  # bytes
    others: dict[str, float] = {}  # names that it was started with


class Cluster(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster that was found. ``address``: that of its head. ``host``: the address by which it
    reaches this one."""

    address: str
    host: str
    hosts: list[HostFound]


class _Answer(msgspec.Struct, kw_only=True):
    refused: str = ""
    found: Cluster | None = None


def find_cluster() -> Cluster:
    """The cluster that the processes which this one starts join: they have its address. Raises
    Refused where there is none that can be used."""
    try:
        done = subprocess.run(
            python("rlgpt.cluster.cluster_check"), capture_output=True, text=True, timeout=LOOKING
        )
        answer = msgspec.json.decode(done.stdout.strip().splitlines()[-1], type=_Answer)
    except subprocess.TimeoutExpired:
        raise Refused(f"the Ray cluster did not answer within {LOOKING:.0f} s ({PAGE})") from None
    except (IndexError, msgspec.DecodeError):
        last = (done.stderr.strip().splitlines() or ["it ended without output"])[-1]
        raise Refused(f"Ray cannot be used here: {last} ({PAGE})") from None
    if answer.found is None:
        raise Refused(answer.refused)
    # Not looked for again: `auto` may find another one, and for `local` Ray starts one of its own.
    os.environ["RAY_ADDRESS"] = answer.found.address
    return answer.found


def answer(found: Cluster | Refused) -> str:
    """What the process that looks prints."""
    if isinstance(found, Refused):
        return msgspec.json.encode(_Answer(refused=found.sentence)).decode()
    return msgspec.json.encode(_Answer(found=found)).decode()
