"""Stands for the process that Ray starts on a host: it starts a node, and then waits."""

import sys
import time
from pathlib import Path

from rlgpt.cluster.host_process import HostProcess

if __name__ == "__main__":
    made = HostProcess()
    made.put("keys/toy.key_secret", 0, b"secret")
    made.put("config.yaml", 0, b"nodes: {first: {parameters: {helper: true}}}")
    folder = Path(made.run_folder())
    if sys.argv[1:] == ["start"]:
        assert made.start("tests.launch_toys.first", ["--run", str(folder)]) == ""
        while not made.wait(1.0, 0)[1]:
            continue
    print(folder, flush=True)
    time.sleep(1000)
