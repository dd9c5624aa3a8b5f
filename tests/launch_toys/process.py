"""A node without a bus, for tests of launching: it does only what the launcher needs of a process.

Its parameters set how it misbehaves: ``fail_times`` (exit 1 at once, as often as that), ``code``
(exit with it at once), ``deaf`` (ignore SIGTERM), ``helper`` (start a process of its own),
``silent`` (never ready), ``room`` (whether the cluster that places it has a host for it). Each
start and each orderly end is a line of <run>/events.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import yaml


def notify(state: str) -> None:
    if "NOTIFY_SOCKET" in os.environ:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto(state.encode(), os.environ["NOTIFY_SOCKET"])


def main(name: str) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", type=Path)
    parser.add_argument("--name", default=name)
    parser.add_argument("overrides", nargs="*")
    given = parser.parse_args()
    name = given.name
    config = yaml.safe_load((given.run / "config.yaml").read_text())
    parameters = config["nodes"][name].get("parameters", {})

    def note(what: str) -> None:
        with (given.run / "events").open("a") as events:
            events.write(f"{name} {what}\n")

    def stop(*_: object) -> None:
        note("stop")
        sys.exit(0)

    signal.signal(signal.SIGTERM, signal.SIG_IGN if parameters.get("deaf") else stop)
    signal.signal(signal.SIGINT, stop)
    note("start")
    started = (given.run / "events").read_text().splitlines().count(f"{name} start")
    if "code" in parameters:
        print(f"{name}: this is invalid", file=sys.stderr, flush=True)
        sys.exit(parameters["code"])
    if started <= parameters.get("fail_times", 0):
        print(f"{name}: failing start {started}", file=sys.stderr, flush=True)
        sys.exit(1)
    if parameters.get("helper"):
        subprocess.Popen(["sleep", "1000"], env={**os.environ, "TOY_RUN": str(given.run)})
    if "room" in parameters:
        notify("X_PLACED=0")
        notify("X_PLACED=1" if parameters["room"] else "STATUS=waits for room")
    if not parameters.get("silent") and parameters.get("room", True):
        notify("READY=1")
    print(f"{name} runs, {given.overrides}", flush=True)
    while True:
        # In short pieces: a signal that comes just before one begins is seen when that ends.
        time.sleep(0.2)
