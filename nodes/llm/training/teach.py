"""Fine-tunes weights on lessons, into a folder beside them that vLLM serves like any other."""

import json
import shutil
from pathlib import Path

import msgspec

from messages.bounds import Positive
from nodes.common.storage.whole_files import write_whole
from nodes.llm import manifest
from nodes.llm.examples.example import Example, write
from nodes.llm.getting.adapters import check_is_for, whole_adapter
from nodes.llm.getting.cpu_environment import NAME
from nodes.llm.getting.disk_room import check_room, size_of
from nodes.llm.getting.folder_lock import alone
from nodes.llm.getting.in_environment import describe_adapter, describe_merged, run
from nodes.llm.getting.refusals import Refused
from nodes.llm.getting.weight_places import check_holds_model
from nodes.llm.vllm import architecture
from nodes.llm.vllm.cpu_numbers import numbers_on
from nodes.llm.vllm.model_files import weightless
from nodes.llm.vllm.wholeness import problem

_PROGRAM = Path(__file__).with_name("tune.py")
_TOGETHER = 12_288  # tokens that a GPU computes at once


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
    held_out: list[str] = []  # goals that are held out and that are among the examples
    adapter: str = ""  # the folder of one to go on from, whose rank it keeps; "": a new one


def check(base: Path, into: Path, adapter: Path | None = None) -> None:
    """Raises Refused where ``base`` is no whole folder of weights that vLLM serves, ``into`` is
    there, or ``adapter`` is none for ``base``."""
    check_holds_model(base)
    program = Path(NAME).absolute() / "bin" / "vllm"
    if wrong := (
        problem(base, []) or weightless(base, []) or architecture.refused(base, [], program)
    ):
        raise Refused(f"{base} cannot be trained: {wrong}")
    if into.exists():
        raise Refused(f"{into} is there already: delete it, or name another with --name")
    if adapter is not None:
        check_is_for(whole_adapter(adapter), adapter, base)


def teach(base: Path, into: Path, examples: list[Example], settings: Settings) -> None:
    """Train ``base`` on the examples and write adapter and merged weights to ``into``.

    Raises:
        Refused: ``base`` is no folder of weights, ``into`` is there, the adapter to go on from is
            none for ``base``, there are no examples, the disk is too full, or another process works
            on it.
        Failed: the training ended in any other way; nothing is left of it.
    """
    check(base, into, Path(settings.adapter) if settings.adapter else None)
    if not examples:
        raise Refused("there is nothing to learn: no example was made or recorded")
    part = into.with_name(f".{into.name}.part")
    with alone(part, f"training {into.name}", keep=False):
        check_room(into.parent, 1.2 * size_of(base))  # with the adapter and the lessons
        trained = part / "trained"
        shutil.rmtree(trained, ignore_errors=True)
        trained.mkdir()
        write(part / "examples.jsonl", examples)
        recorded = {
            **msgspec.to_builtins(settings),
            "examples": str(part / "examples.jsonl"),
            "numbers": numbers_on(settings.device),
            "together": 0 if settings.device == "cpu" else _TOGETHER,
            "base": str(base),
            "into": str(trained),
        }
        write_whole(part / "settings.json", json.dumps(recorded).encode())
        run(_PROGRAM, part / "settings.json", "the training", _show, "take fewer --pack")
        adapter = trained / "adapter"
        # peft's form of a model card, not filled in
        (adapter / "README.md").unlink(missing_ok=True)
        names = {*settings.held_out, *_taught_before(base, settings.adapter)}
        described = describe_adapter(adapter, base, sorted(names))
        describe_merged(trained, base, described)
        (part / "examples.jsonl").rename(adapter / "examples.jsonl")
        trained.rename(into)


def _taught_before(base: Path, adapter: str) -> list[str]:
    """Goals that are held out and that the base, or the adapter that is gone on from, was taught
    all the same."""
    folders = [base, *([Path(adapter)] if adapter else [])]
    return [name for each in map(manifest.read, folders) if each for name in each.held_out]


def _show(line: str) -> None:
    step = json.loads(line)
    if "step" in step:
        print(
            f"{step['seconds']:8.1f} s  step {step['step']} of {step['of']}, {step['kind']}: loss "
            f"{step['loss']:.3f}, {step['tokens']:,} tokens, {step['cpu']:.0f} s of a core",
            flush=True,
        )
