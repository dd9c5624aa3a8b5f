"""Other worlds, measured in the same run: each in the environment that it wants, as a process of
its own that prints its rates as JSON."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.world.rows import Pace, Row

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
SECTION = "peers"


def measure(pace: Pace) -> tuple[list[Row], list[str]]:
    """Rows, and a sentence for each peer that is left out."""
    rows: list[Row] = []
    left_out: list[str] = []
    arguments = [str(pace.repeats), str(pace.seconds)]
    grid = ROOT / ".venv-peers"
    if (grid / ".installed").exists():
        for peer in ("crafter", "craftax-classic", "craftax"):
            command = [str(grid / "bin" / "python"), str(HERE / "grid_player.py"), peer]
            _collect([*command, *arguments], rows, left_out)
    else:
        left_out.append("Crafter and Craftax are left out: `make peers` installs them.")
    minedojo = ROOT / ".venv-minedojo"
    if (minedojo / ".installed").exists():
        _minedojo(str(minedojo / "bin" / "python"), arguments, rows, left_out)
    else:
        left_out.append("The real minedojo package is left out: `make minedojo` installs it.")
    return rows, left_out


def _minedojo(python: str, arguments: list[str], rows: list[Row], left_out: list[str]) -> None:
    """The package needs a game to talk to: ours, behind the Malmo server."""
    with tempfile.TemporaryFile("w+") as log:
        serve = [sys.executable, "-m", "rlgpt.main", "world", "serve", "--port", "0"]
        server = subprocess.Popen(serve, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True)
        assert server.stdout is not None
        try:
            said = server.stdout.readline()
            if "listening on" not in said:
                left_out.append(
                    "The real minedojo package is left out: the Malmo server did not start."
                )
                return
            port = said.rpartition(":")[2].strip()
            command = [python, str(HERE / "minedojo_player.py"), port, *arguments]
            _collect(command, rows, left_out)
        finally:
            server.terminate()
            server.wait()
            server.stdout.close()


def _collect(command: list[str], rows: list[Row], left_out: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        last = (done.stderr.strip() or "it said nothing").splitlines()[-1]
        left_out.append(f"{' '.join(Path(c).name for c in command[1:3])} is left out: {last}")
        return
    found: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    rows += [Row(section=SECTION, unit="steps/s", **row) for row in found]
