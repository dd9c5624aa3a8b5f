"""A disk that fills up while a policy is trained: plain sentences, and the run goes on once there
is room."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.env_server.test_full_disk import SPACE, no_namespaces
from tests.launch_toys.launched import CHECKOUT, PATIENCE, command, environment

pytestmark = pytest.mark.skipif(no_namespaces(), reason="no disk can be mounted here")

# Trains on a small disk of its own, fills it in the middle, makes room and goes on.
FILLED = """
import json, os, shutil, subprocess, sys
from pathlib import Path

place, spec, train, resume = sys.argv[1], sys.argv[2], *map(json.loads, sys.argv[3:])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=14M", "tmpfs", place], check=True)
os.chdir(place)
shutil.copytree(spec, "mine")
first = subprocess.Popen(train, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
printed, filled = [], False
for line in first.stdout:
    printed.append(line)
    if "samples, success" in line and not filled:
        filled = True
        try:
            with open("fill", "wb", buffering=0) as file:
                while True:
                    file.write(bytes(4096))
        except OSError:
            pass
code = first.wait()
left = sorted(path.name for path in Path("it/learner").glob("train*/*"))
log = Path("it/learner/node.log").read_text()
Path("fill").unlink()
again = subprocess.run(resume, capture_output=True, text=True, check=False)
print(json.dumps({"printed": "".join(printed), "code": code, "left": left, "log": log,
                  "again": again.stdout + again.stderr, "last": again.returncode}))
"""


def test_a_training_on_a_full_disk_goes_on_from_its_checkpoint(
    tmp_path: Path,
) -> None:
    place, mine = tmp_path / "place", tmp_path / "mine"
    place.mkdir()
    mine.mkdir()
    for path in (CHECKOUT / "docs" / "examples" / "train").iterdir():
        (mine / path.name).write_bytes(path.read_bytes())
    spec = mine / "harvest_log.yaml"
    values = yaml.safe_load(spec.read_text())
    spec.write_text(yaml.safe_dump({**values, "budget": 20_000, "stop_at": 1.0}))
    small = ("learner.environments=4", "learner.minibatch=64", "+world.area=64")
    train = command("train", "mine/harvest_log.yaml", "run=it", *small)
    done = subprocess.run(
        [*SPACE, sys.executable, "-c", FILLED, str(place), str(mine)]
        + [json.dumps(each) for each in (train, command("resume", "it"))],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    file = rf"{re.escape(str(place / 'it'))}/\S+"  # mostly the checkpoint
    said = rf"{file} cannot be written: No space left on device; make room on its disk"
    assert found["code"] == 1, found
    assert re.search(rf"rlgpt: the goal failed: {said} \(logs are in it; ", found["printed"]), found
    for text in (found["printed"], found["log"]):
        assert "Error" not in text
        assert "Traceback" not in text
    # A part of a checkpoint would keep the disk full.
    assert not [name for name in found["left"] if "unfinished" in name]
    assert found["last"] == 0, found["again"]
    assert "of the recent training episodes after" in found["again"]
