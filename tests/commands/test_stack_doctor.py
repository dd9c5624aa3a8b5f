"""``rlgpt doctor``: each line is true, of a machine that lacks something as well."""

import importlib.metadata
import json
import os
import resource
import socket
import subprocess
from pathlib import Path

import pytest

from messages.bus.network.address import UNIX_PATH_MAX
from rlgpt.inspecting import stack_doctor
from rlgpt.inspecting.stack_doctor import LIBRARIES, OPTIONAL, examine
from tests.launch_toys.launched import command, environment

NO_TORCH = """
import importlib.abc, sys

class NoTorch(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            raise OSError("libtorch_cpu.so: cannot open shared object file")

sys.meta_path.insert(0, NoTorch())
"""


def examined(
    *options: str, cwd: Path, code: int, limit: int | None = None, **variables: str
) -> dict[str, dict[str, object]]:
    """What the command prints, by its subjects."""

    def narrow() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

    done = subprocess.run(
        command("doctor", "--json", *options),
        cwd=cwd,
        env={**environment(), **variables},
        capture_output=True,
        text=True,
        timeout=600,  # it compiles what is not compiled yet
        check=False,
        preexec_fn=narrow,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert not done.stderr
    return {each["about"]: each for each in json.loads(done.stdout)}


def test_there_is_a_finding_for_each_subject_and_required_library() -> None:
    found = {finding.about: finding for finding in examine(try_jail=False)}
    assert {"python", "libraries", "sockets", "limits", "memory", "runs", "clock", "GPU"} <= set(
        found
    )
    assert found["sockets"].well
    for name in LIBRARIES:
        if name not in OPTIONAL:
            assert f"{name} " in found["libraries"].words


def test_the_jail_and_the_games_are_tried_and_compiled(tmp_path: Path) -> None:
    found = examined(cwd=tmp_path, code=0)
    for about in ("jail", "crafter"):
        assert found[about]["well"]
        assert "with all kernels compiled" in str(found[about]["words"])


def test_a_damaged_launch_file_is_one_of_the_findings(tmp_path: Path) -> None:
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "harvest_log.yaml").write_text("a: [\n")
    found = examined(cwd=tmp_path, code=1)
    assert found["sockets"]["well"]
    assert not found["jail"]["well"]
    assert "not valid YAML" in str(found["jail"]["words"])


def test_a_torch_that_cannot_be_loaded_is_one_of_the_findings(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(NO_TORCH)
    path = os.pathsep.join([str(tmp_path), environment().get("PYTHONPATH", "")])
    gpu = examined("--quick", cwd=tmp_path, code=1, PYTHONPATH=path)["GPU"]
    assert not gpu["well"]
    assert "libtorch_cpu.so" in str(gpu["words"])


def test_what_is_no_folder_is_in_the_way_of_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").symlink_to("nowhere")
    found = {finding.about: finding for finding in examine(try_jail=False)}
    assert found["runs"].well is False
    assert found["sockets"].well is False
    (tmp_path / "runs").unlink()
    (tmp_path / "runs").write_text("")
    found = {finding.about: finding for finding in examine(try_jail=False)}
    assert found["runs"].well is False
    assert "Not a directory" in found["runs"].words


def test_sockets_are_tried_where_a_run_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run does not use $TMPDIR; a path that is too long for sockets has them elsewhere."""
    deep = tmp_path.joinpath(*["deep" * 10] * 3)
    deep.mkdir(parents=True)
    assert len(os.fsencode(deep)) > UNIX_PATH_MAX
    monkeypatch.setenv("TMPDIR", str(deep))
    for place in (tmp_path, deep):
        monkeypatch.chdir(place)
        (sockets,) = [each for each in examine(try_jail=False) if each.about == "sockets"]
        assert sockets.well, sockets.words
        short = f"/tmp/rlgpt-{os.getuid()}"
        assert sockets.words == f"Unix sockets work in {short if place == deep else place}"
    assert list(tmp_path.iterdir()) == [deep.parent.parent]
    assert list(deep.iterdir()) == []


def test_no_sockets_at_all_are_a_finding_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(socket.socket, "bind", refuse)
    (sockets,) = [each for each in examine(try_jail=False) if each.about == "sockets"]
    assert sockets.well is False
    assert f"no Unix sockets in {tmp_path} (Operation not permitted)" in sockets.words


def test_a_limit_that_the_user_cannot_raise_has_another_remedy(tmp_path: Path) -> None:
    limits = examined("--quick", cwd=tmp_path, code=1, limit=512)["limits"]
    assert not limits["well"]
    assert "only root can allow more than 512" in str(limits["words"])


def test_versions_that_were_not_tested_are_named(tmp_path: Path) -> None:
    constraints = tmp_path / "constraints.txt"
    there = importlib.metadata.version("msgspec")
    constraints.write_text(f"msgspec=={there}\nnumpy==1.0.1\nnot-to-be-had==2.0\n")
    here = importlib.metadata.version("numpy")
    assert list(stack_doctor._other_versions(constraints)) == [
        f"numpy {here} is here, 1.0.1 was tested"
    ]


def test_without_a_checkout_no_versions_are_compared(tmp_path: Path) -> None:
    assert not list(stack_doctor._other_versions(tmp_path / "constraints.txt"))
