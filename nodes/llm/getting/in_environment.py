"""Runs a program with the Python of the vLLM environment, and finishes what it wrote."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from nodes.llm import manifest
from nodes.llm.getting.adapters import weights_version
from nodes.llm.getting.bound_programs import ending_with_us
from nodes.llm.getting.cpu_environment import NAME, environment, last_words, python_of
from nodes.llm.getting.refusals import Failed
from nodes.llm.getting.weight_conversion import OFFLINE
from nodes.llm.manifest import Manifest

# Each length of a prompt that is trained on leaves products for it in oneDNN's cache, and freed
# arrays of all sizes leave holes: a training grew by 170 MB a step.
_LESS_MEMORY = {"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "16", "MALLOC_MMAP_THRESHOLD_": "65536"}


def run(
    program: Path,
    settings: Path,
    doing: str,
    show: Callable[[str], None] = print,
    spares_memory: str = "",
) -> None:
    """Run ``program`` with its settings; ``show`` is called with each line that it prints.

    Raises:
        Failed: the program failed. ``doing``: *the training*; ``spares_memory``: what takes less
            memory, *take fewer --pack*.
    """
    python = python_of(environment(Path(NAME).absolute()))
    command = [str(python), "-P", str(program), str(settings)]
    variables = {**_LESS_MEMORY, **os.environ, **OFFLINE, "TOKENIZERS_PARALLELISM": "false"}
    with settings.with_name("errors.log").open("w+") as errors:
        with subprocess.Popen(
            command,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            preexec_fn=ending_with_us,
        ) as process:
            assert process.stdout is not None
            try:
                for line in process.stdout:
                    show(line)
                code = process.wait()
            finally:
                process.kill()
        errors.seek(0)
        if code == -9:
            advice = f": {spares_memory}" if spares_memory else ""
            raise Failed(f"{doing} was killed, as a full memory does{advice}")
        if code:
            raise Failed(f"{doing} failed: {last_words(errors.read())}")


def describe_adapter(adapter: Path, base: Path, held_out: list[str]) -> Manifest:
    """The manifest of an adapter, which names the base that it is for. ``held_out``: goals that are
    held out and that it was taught all the same."""
    model, licence, digest = _about(base)
    described = Manifest(
        model=f"{model}, adapter",
        licence=licence,
        source=base.name,
        source_sha256=digest,
        held_out=held_out,
        files=manifest.described(adapter),
    )
    manifest.write(adapter, described)
    return described


def describe_merged(folder: Path, base: Path, adapter: Manifest) -> None:
    """The manifest of weights names the adapter that was merged into them."""
    model, licence, digest = _about(base)
    manifest.write(
        folder,
        Manifest(
            model=f"{model}, trained",
            licence=licence,
            source=base.name,
            source_sha256=digest,
            trained=adapter.digest,
            held_out=adapter.held_out,
            files=manifest.described(folder),
        ),
    )


def _about(base: Path) -> tuple[str, str, str]:
    """(model, licence, digest)"""
    known = manifest.read(base)
    model, licence = (base.name, "") if known is None else (known.model, known.licence)
    return model, licence, weights_version(base)
