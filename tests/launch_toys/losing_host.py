"""Plays a launch as a process on another host would, whose host is lost the first time."""

import sys
from pathlib import Path

from nodes.common.running.exit_codes import HOST_LOST
from rlgpt.main import main
from rlgpt.runs.away import AWAY

if __name__ == "__main__":
    (run,) = (Path(word.removeprefix("run=")) for word in sys.argv if word.startswith("run="))
    lost = Path("lost")
    if not lost.exists():
        lost.write_text(str(run))
        (run / "config.yaml").write_text("{}")  # it came back, and more did not
        (run / AWAY).touch()
        sys.exit(HOST_LOST)
    sys.exit(main(sys.argv[1:]))
