"""``rlgpt ask`` leaves nothing behind where it is interrupted while its server starts."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.bus_processes import PATIENCE, eventually
from tests.launch_toys.launched import command, environment
from tests.llm.test_ask import recorded
from tests.llm.test_llm_server import WITHOUT_WEIGHTS

# It never gets healthy, and takes a while to end.
SERVER = """
import os, pathlib, signal, sys, time
def end(*_):
    time.sleep(0.8)
    sys.exit()
signal.signal(signal.SIGTERM, end)
pathlib.Path({begun!r}).write_text(str(os.getpid()))
time.sleep(600)
"""


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A file with the process id of the server that a profile of the run starts."""
    (tmp_path / "runs").mkdir()
    run = tmp_path / "runs" / "it"
    recorded(run)
    begun, script, weights = (tmp_path / name for name in ("begun", "server.py", "weights"))
    script.write_text(SERVER.format(begun=str(begun)))
    weights.mkdir()
    (weights / "config.json").write_text("{}")
    profile = {
        "kind": "vllm",
        "model": "toy",
        "path": str(weights),
        "command": [sys.executable, str(script)],
        "arguments": WITHOUT_WEIGHTS,
        "device": "cpu",
    }
    config = {"name": "test", "nodes": {"llm": {"parameters": {"profile": profile}}}}
    (run / "config.yaml").write_text(yaml.safe_dump(config))
    return begun


@pytest.mark.parametrize(
    ("number", "group"),
    [(signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGHUP, False)],
    ids=["by Ctrl-C", "by a request to end", "as its terminal is closed"],
)
def test_the_server_of_a_question_ends_in_order_where_the_command_is_interrupted(
    begun: Path, tmp_path: Path, number: signal.Signals, group: bool
):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with subprocess.Popen(
        command("ask", "planner", "1", "--run", "runs/it"),
        cwd=tmp_path,
        env={**environment(), "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as asking:
        eventually(lambda: begun.exists() and begun.read_text())
        (os.killpg if group else os.kill)(asking.pid, number)
        printed, said = asking.communicate(timeout=PATIENCE)
    assert (asking.returncode, printed, said) == (130, "", "")
    assert list(temporary.iterdir()) == []
    assert not Path(f"/proc/{begun.read_text()}").exists()
