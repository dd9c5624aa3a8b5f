"""``python -m rlgpt.cluster.remote_launch launch NAME ... run=RUN``, or ``resume RUN``: a whole
launch on a host of the cluster, as a process here. It is `rlgpt launch` and `rlgpt resume` to its
caller: it prints the same, can be stopped the same way, and leaves the same run folder.

The launch is composed here, so that launch files of one's own are needed only here; the host goes
on with what it is sent. The run folder is whole again once that has ended, in whatever way. Where
the host is lost it is not, and the exit code is ``HOST_LOST``.
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from nodes.common.running.command import ended
from nodes.common.running.exit_codes import FAILED, HOST_LOST
from nodes.common.running.process import leave
from nodes.common.storage.whole_files import write_whole
from rlgpt.cluster.bringing import files_of
from rlgpt.cluster.cluster_joining import join, last_line
from rlgpt.cluster.host_process import HostProcess
from rlgpt.cluster.placed_process import PlacedProcess, Signals, Stopped, say
from rlgpt.composing.configuration import check, check_parameters, check_plan, check_task, save
from rlgpt.refused import Refused
from rlgpt.runs import run_folder
from rlgpt.runs.away import AWAY
from rlgpt.table.room import GIB, GIB_A_CELL

PRINTED = "launch.txt"
"""The file of a cell's run folder that has what its launch printed."""
OURS = frozenset({"lock", "config.yaml", PRINTED, AWAY})


def play(ray: Any, run: Path, signals: Signals) -> int:
    """Go on with a launch on some host. Returns the exit code."""
    actor = (
        ray.remote(HostProcess)
        .options(
            num_cpus=1,
            memory=GIB_A_CELL * GIB,
            max_restarts=0,  # the table begins it again
            max_concurrency=4,  # a signal while `wait` waits
            scheduling_strategy="SPREAD",
        )
        .remote(str(run))
    )
    placed = PlacedProcess(ray, actor, signals, run, ours=OURS)
    where = placed.wait_for_room()
    if not where:
        return 128 + signals.take()
    try:
        for path in [run / "config.yaml", *files_of(run, OURS)]:
            placed.send(path, str(path.relative_to(run)))
    except Stopped:
        placed.ask("discard")
        return 128 + signals.take()
    write_whole(run / AWAY, f"{where}\n".encode())
    there = placed.ask("run_folder")
    place = there.removesuffix(str(run))
    placed.start("rlgpt.cluster.host_launch", [place, str(run)], where)
    code = placed.follow()
    placed.finish()
    (run / AWAY).unlink()
    return code if code >= 0 else 128 - code


def composed(name: str, overrides: list[str]) -> Path:
    """Compose a launch into the run folder that ``run=`` names. Raises Refused."""
    from rlgpt.composing.composition import compose_launch  # Hydra: `resume` does not need it

    data = compose_launch(name, overrides)
    stack = check(data, name)
    check_task(stack, name)
    check_plan(stack, name)
    check_parameters(stack, name)
    run = Path(data["run"])
    try:
        save(data, run)
    except OSError as error:
        raise Refused(f"cannot write to the run folder {run} ({error.strerror})") from None
    return run


def main() -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("word", choices=["launch", "resume"])
    parser.add_argument("name")
    parser.add_argument("overrides", nargs="*")
    given = parser.parse_args()
    signals = Signals()
    signals.catch()
    try:
        new = given.word == "launch"
        run = composed(given.name, given.overrides) if new else Path(given.name)
        with run_folder.Lock(run):  # no other launch goes on with it here meanwhile
            return _joined(run, signals)
    except Refused as refused:
        say(f"rlgpt: {refused.sentence}")
        return refused.code


def _joined(run: Path, signals: Signals) -> int:
    ray = join(os.environ["RAY_ADDRESS"])
    signals.catch()
    try:
        return play(ray, run, signals)
    except (ray.exceptions.RayActorError, ray.exceptions.GetTimeoutError):
        say("its host was lost")
        return HOST_LOST
    except ray.exceptions.RayError as error:
        raise Refused(f"Ray: {last_line(str(error))}", code=FAILED) from None


if __name__ == "__main__":
    code = ended(main)
    sys.stdout.flush()
    leave(code)
