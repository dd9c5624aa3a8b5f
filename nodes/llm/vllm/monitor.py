"""Runs a server as its child so that nothing of it outlives the node that started it.

    python monitor.py CORES NICENESS COMMAND...

It leads a session of its own, with the server and all that the server starts in its process group.
End of file on standard input (the node ended, however it did) or the end of the server ends the
whole group. SIGTERM is passed on to the server. Run as a script, without the project's modules.
"""

import ctypes
import os
import signal
import subprocess
import sys
import threading

ENDED = "--- the server "
BY_SIGNAL = f"{ENDED}was ended by signal "
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def main(cores: str, niceness: str, *command: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    # What the server leaves behind becomes ours, so that it is seen in this group and reaped.
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    if cores:
        os.sched_setaffinity(0, {int(core) for core in cores.split(",")})
    os.nice(int(niceness))

    def end_with_monitor() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    server = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        preexec_fn=end_with_monitor,  # there are no threads yet
    )
    signal.signal(signal.SIGTERM, lambda *_: server.send_signal(signal.SIGTERM))
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def kill_with_the_node() -> None:
        while os.read(0, 1024):
            continue
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=kill_with_the_node, daemon=True).start()
    code = server.wait()
    print(f"{ENDED}ended with code {code}" if code >= 0 else f"{BY_SIGNAL}{-code}", flush=True)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
