"""Installed as a user does it, and called in a folder that has its own `models` and the like."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.launch_toys.launched import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("launch", "messages", "models", "nodes", "rlgpt", "voxeldojo", "worlds")
SCOUT = """
from nodes.node import Node

class Scout(Node):
    name = "scout"

if __name__ == "__main__":
    Scout.main()
"""
STACK = """
defaults: [{llm: rulebook}, _self_]
nodes:
  llm: {parameters: {profile: "${llm}"}}
  critic: {after: [llm]}
  fast_agent: {after: [llm]}
  scout: {module: scout}
"""
TROUBLE = "raise RuntimeError('this is the user\\'s own')\n"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder with what hides our packages, Python's and our dependencies', a node and a launch
    file of its own."""
    folder = tmp_path / "hostile"
    for name in ("models", "messages", "rlgpt", "launch"):
        (folder / name).mkdir(parents=True)
    for name in ("models/__init__", "messages/__init__", "rlgpt/__init__", "yaml", "queue"):
        (folder / f"{name}.py").write_text(TROUBLE)
    (folder / "scout.py").write_text(SCOUT)
    (folder / "launch" / "mine.yaml").write_text(STACK)
    return folder


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment in which the project is installed, and not editable. Its
    dependencies are this environment's."""
    folder = tmp_path_factory.mktemp("installed")
    source = folder / "source"
    source.mkdir()
    for name in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    made = [sys.executable, "-m", "venv", "--without-pip", str(folder / "environment")]
    subprocess.run(made, check=True)
    python = folder / "environment" / "bin" / "python"
    packages = next((folder / "environment" / "lib").iterdir()) / "site-packages"
    # A line of a .pth file is a folder to search, whose own .pth files, ours among them, don't
    # count.
    theirs = next(path for path in map(Path, sys.path) if (path / "msgspec").is_dir())
    (packages / "dependencies.pth").write_text(f"{theirs}\n")
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    install += ["--no-deps", "--no-build-isolation", "--no-index", "--no-compile"]
    install += [str(source / "voxeldojo"), str(source)]
    subprocess.run([*install, "--disable-pip-version-check"], check=True)
    assert (packages / "messages" / "world.py").is_file()
    return python.parent


def clean(**environment: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {**kept, **environment, "COLUMNS": "200"}


def run(*command: str | Path, cwd: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command,
        cwd=cwd,
        env=clean(**environment),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def starts_all(command: list[str], cwd: Path) -> None:
    """A launch gets to where all its nodes are ready, and stops in order."""
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=clean(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    seen: list[str] = []
    try:
        for line in process.stdout:
            seen.append(line)
            if "all nodes are ready" in line:
                break
        else:
            raise AssertionError("".join(seen))
        process.send_signal(signal.SIGINT)
        seen.append(process.communicate(timeout=PATIENCE)[0])
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    assert "Traceback" not in "".join(seen)


def test_an_installed_stack_starts_in_a_folder_with_packages_of_our_names(
    installed: Path, hostile: Path
) -> None:
    starts_all([str(installed / "rlgpt"), "launch", "mine", "run=out"], hostile)
    assert "this is the user" not in (hostile / "out" / "critic" / "output.log").read_text()


def test_all_seven_nodes_start_in_a_folder_with_packages_of_our_names(hostile: Path) -> None:
    """From the checkout, where the world has been compiled; its fork server is among them."""
    rlgpt = Path(sys.executable).with_name("rlgpt")
    starts_all([str(rlgpt), "launch", "harvest_log", "run=out"], hostile)


def test_a_node_alone_starts_in_a_folder_with_packages_of_our_names(
    installed: Path, hostile: Path
) -> None:
    done = run(installed / "python", "-m", "nodes.critic", "--run", "nowhere", cwd=hostile)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done
    assert "there is no run folder" in done.stderr


def test_packages_on_the_path_do_not_hide_ours_from_the_command(
    installed: Path, hostile: Path
) -> None:
    for name in ("yaml", "queue"):
        (hostile / f"{name}.py").unlink()
    shutil.rmtree(hostile / "rlgpt")
    for command in ([installed / "rlgpt", "launch", "none"],
                    [installed / "python", "-m", "nodes.critic", "--run", "nowhere"]):  # fmt: skip
        done = run(*command, cwd=hostile.parent, PYTHONPATH=str(hostile))
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done
        assert "there is no" in done.stderr


@pytest.mark.parametrize("name", ["queue", "yaml"])
def test_a_file_that_hides_a_module_from_the_command_is_named(
    installed: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / f"{name}.py").write_text(TROUBLE)
    for command in ([installed / "rlgpt", "launch", "harvest_log"],
                    [installed / "python", "-m", "nodes.critic", "--run", "nowhere"]):  # fmt: skip
        done = run(*command, cwd=tmp_path.parent, PYTHONPATH=str(tmp_path))
        assert done.returncode == 2
        assert done.stderr == (
            f"rlgpt: {tmp_path}/{name}.py hides the `{name}` that is needed here; rename it, or"
            " take its folder off PYTHONPATH\n"
        )


@pytest.mark.parametrize("name", ["models", "nodes"])
def test_importing_rlgpt_names_the_folder_that_hides_one_of_its_packages(
    installed: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").touch()
    (tmp_path / "program.py").write_text("import rlgpt\n")
    done = run(installed / "python", "program.py", cwd=tmp_path)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"ImportError: rlgpt needs its own `{name}` (in ")
    assert f"but {tmp_path}/{name} is found first" in last


def test_importing_rlgpt_leaves_the_module_path_unchanged(installed: Path, tmp_path: Path) -> None:
    """Who imports us keeps the order in which his modules are found."""
    (tmp_path / "scout.py").write_text("found = True\n")
    program = "import sys; before = list(sys.path); import rlgpt, scout; print(sys.path == before)"
    done = run(installed / "python", "-c", program, cwd=tmp_path)
    assert done.stdout == "True\n", done
