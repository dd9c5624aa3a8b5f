"""``python -m rlgpt.cluster.host_launch PLACE RUN``: go on with a launch that was sent here.

``RUN``, seen from the folder ``PLACE``, is its path on the launcher's host too: what it prints
holds there as well.
"""

import os
import signal
import sys

from nodes.common.running.process import end_with_supervisor
from rlgpt.main import main

if __name__ == "__main__":
    end_with_supervisor()
    # Ray blocks it in all its processes, and theirs inherit that: Ctrl-C would come to nothing.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    place, run = sys.argv[1:]
    os.chdir(place)
    sys.exit(main(["resume", run]))
