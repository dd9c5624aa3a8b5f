"""``python -m rlgpt.cluster.host_launch PLACE RUN``: go on with a launch that was sent here.

``RUN``, seen from the folder ``PLACE``, is its path on the launcher's host too: what it prints
holds there as well.
"""

import os
import sys

from nodes.process import end_with_supervisor
from rlgpt.main import main

if __name__ == "__main__":
    end_with_supervisor()
    place, run = sys.argv[1:]
    os.chdir(place)
    sys.exit(main(["resume", run]))
