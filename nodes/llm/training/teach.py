"""Fine-tunes weights on lessons, into a folder beside them that vLLM serves like any other."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import msgspec

from messages.bounds import Positive
from nodes.llm import manifest
from nodes.llm.getting.alone import alone
from nodes.llm.getting.cpu_environment import NAME, environment, last_words, python_of
from nodes.llm.getting.refusals import Failed, Refused
from nodes.llm.getting.weight_conversion import OFFLINE
from nodes.llm.manifest import Manifest
from nodes.llm.training.examples import Example, write
from nodes.llm.vllm.wholeness import problem
from nodes.whole_files import write_whole

_PROGRAM = Path(__file__).with_name("tune.py")


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How it is trained. ``pack``: examples of one kind that share their system message's keys and
    values, and make one optimiser step."""

    minutes: float = 20.0  # after which it ends, wherever it is
    rounds: Positive = 1  # over all examples
    pack: Positive = 6
    rank: Positive = 16
    rate: float = 4e-4
    seed: int = 0
    threads: Positive = 1  # more than the cores that are really free make it slower, not faster
    device: str = "cpu"
    frozen_prefix: bool = False  # whether the gradient stops at the shared system message


def teach(base: Path, into: Path, examples: list[Example], settings: Settings) -> None:
    """Train ``base`` on the examples and write adapter and merged weights to ``into``.

    Raises:
        Refused: ``base`` is no folder of weights, ``into`` is there, there are no examples, or
            another process works on it.
        Failed: the training ended in any other way; nothing is left in the place of the weights.
    """
    if not (base / "config.json").is_file():
        raise Refused(f"{base} holds no model: `rlgpt llm get NAME` makes such a folder")
    if wrong := problem(base, []):
        raise Refused(f"{base} cannot be trained: {wrong}")
    if into.exists():
        raise Refused(f"{into} is there already: delete it, or name another with --name")
    if not examples:
        raise Refused("there is nothing to learn: no example was made or recorded")
    part = into.with_name(f".{into.name}.part")
    with alone(part, f"training {into.name}"):
        trained = part / "trained"
        shutil.rmtree(trained, ignore_errors=True)
        trained.mkdir()
        write(part / "examples.jsonl", examples)
        recorded = {
            **msgspec.to_builtins(settings),
            "examples": str(part / "examples.jsonl"),
            "base": str(base),
            "into": str(trained),
        }
        (part / "settings.json").write_text(json.dumps(recorded))
        _run(part)
        _finish(base, trained)
        (part / "examples.jsonl").rename(trained / "adapter" / "examples.jsonl")
        trained.rename(into)
    shutil.rmtree(part)


def _run(part: Path) -> None:
    """Run the program, and print a line for each step that it reports."""
    python = python_of(environment(Path(NAME).absolute()))
    command = [str(python), "-P", str(_PROGRAM), str(part / "settings.json")]
    variables = {**os.environ, **OFFLINE, "TOKENIZERS_PARALLELISM": "false"}
    with (part / "errors.log").open("w+") as errors:
        with subprocess.Popen(
            command, env=variables, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process:
            assert process.stdout is not None
            try:
                for line in process.stdout:
                    _show(line)
                code = process.wait()
            finally:
                process.kill()
        errors.seek(0)
        if code == -9:
            raise Failed("the training was killed, as a full memory does: take fewer --pack")
        if code:
            raise Failed(f"the training failed: {last_words(errors.read())}")


def _show(line: str) -> None:
    step = json.loads(line)
    if "step" in step:
        print(
            f"{step['seconds']:8.1f} s  step {step['step']} of {step['of']}, {step['kind']}: loss "
            f"{step['loss']:.3f}, {step['tokens']:,} tokens, {step['cpu']:.0f} s of a core",
            flush=True,
        )


def _finish(base: Path, trained: Path) -> None:
    """The manifests: the adapter names the base that it is for, the weights name the adapter."""
    for path in trained.rglob("*"):
        if path.is_file():
            path.chmod(0o644)
    known = manifest.read(base)
    model = known.model if known is not None else base.name
    licence = known.licence if known is not None else ""
    digest = known.digest if known is not None else manifest.weights_digest(base)
    common = {"licence": licence, "source": base.name, "source_sha256": digest}
    adapter = trained / "adapter"
    small = Manifest(model=f"{model}, adapter", files=manifest.described(adapter), **common)
    _write(adapter, small)
    whole = Manifest(
        model=f"{model}, trained", trained=small.digest, files=manifest.described(trained), **common
    )
    _write(trained, whole)


def _write(folder: Path, recorded: Manifest) -> None:
    text = msgspec.json.format(msgspec.json.encode(recorded), indent=1)
    write_whole(folder / manifest.NAME, text)
