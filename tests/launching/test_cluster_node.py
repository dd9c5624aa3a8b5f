"""A node on a host of a cluster as the supervisor has it: a process here. No cluster is needed for
what is tested here; `tests/launching/test_ray.py` has one."""

import subprocess
from pathlib import Path

import yaml

from nodes.common.running.exit_codes import FAILED
from nodes.common.running.process import python
from tests.launch_toys.launched import PATIENCE, environment

NODE = "env_server"
SILENT = """
def init(**_):
    raise ConnectionError("the head does not answer")
"""
"""The module `ray` where the cluster is gone."""


def test_a_cluster_that_does_not_answer_is_tried_again(tmp_path: Path) -> None:
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "ray.py").write_text(SILENT)
    run = tmp_path / "run"
    run.mkdir()
    config = {"name": "it", "run": str(run), "engine": "ray", "nodes": {NODE: {}}}
    (run / "config.yaml").write_text(yaml.safe_dump(config))
    own = environment()
    done = subprocess.run(
        python("rlgpt.cluster.remote_process", "--run", str(run), "--name", NODE),
        env={
            **own,
            "PYTHONPATH": f"{tmp_path / 'modules'}:{own['PYTHONPATH']}",
            "RAY_ADDRESS": "127.0.0.1:1",
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == FAILED, done.stderr
    assert "env_server: it has not joined the cluster: " in done.stdout
    assert "the head does not answer" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
