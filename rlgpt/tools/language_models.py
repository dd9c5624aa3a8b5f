"""``rlgpt llm``: weights for language models, and whether their profiles can be used here."""

import json
import os
import signal
import subprocess
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

from nodes.common.running.ending_signals import not_ignored
from nodes.common.running.process import end_with_parent, python
from rlgpt.child_in_front import wait_in_front
from rlgpt.composing.composition import compose_launch, group_options
from rlgpt.refused import Refused, instead

_ANY = "harvest_log"  # a launch file to compose a profile with
_SHORT = 120  # characters of a finding that is printed as it is
_NOT = "  NOT "  # how the doctor begins a line about what is missing
_PROFILE = "profile"  # what such a line is about where the profile is not valid


def get(what: str, into: str | None, accepted: list[str]) -> int:
    """Put a model's weights where profiles find them. Returns the exit code."""
    options = [f"--into={into}"] if into is not None else []
    options += [f"--accept-licence={licence}" for licence in accepted]
    # In a process of its own: the face does not import nodes.
    words = python("nodes.common.running.command", "nodes.llm.getting", *options, "--", what)
    return _ended(words)


def training(what: str, words: list[str]) -> int:
    """``what`` is ``train``, ``merge``, ``examples`` or ``test``. Returns the exit code."""
    return _ended(python("nodes.common.running.command", "nodes.llm.training", what, *words))


def _ended(command: list[str]) -> int:
    """Run a program to its end. Signals that are ignored stay so. If this process is killed, the
    program is asked to end, as its outcome would not be seen."""
    child = subprocess.Popen(command, preexec_fn=partial(end_with_parent, signal.SIGTERM))
    return wait_in_front(child, not_ignored())


def serve(name: str, into: str | None, overrides: list[str]) -> int:
    """Serve the model of a profile for several runs until a signal. Returns the exit code."""
    check_name(name)
    if into == "":
        raise Refused("--into is empty: name a folder")
    folder = served_folder(name) if into is None else Path(os.path.expanduser(into))
    child = begin_serving(name, overrides, folder)
    return wait_in_front(child, not_ignored())


def served_folder(name: str) -> Path:
    """Where a profile's model is served unless another place is named."""
    return Path("runs/served") / name


def begin_serving(
    name: str,
    overrides: list[str],
    folder: Path,
    stdout: int | None = None,
    stderr: IO[bytes] | None = None,
    start_new_session: bool = False,
) -> "subprocess.Popen[bytes]":
    """Start a process that serves a profile's model; it prints one line once that is healthy, and
    ends with this process. The rest is as `subprocess.Popen` has it. Raises Refused."""
    profile = _composed(name, overrides)
    child = subprocess.Popen(
        python("nodes.common.running.command", "nodes.llm.sharing", str(folder)),
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=stderr,
        start_new_session=start_new_session,
        preexec_fn=partial(end_with_parent, signal.SIGTERM),
    )
    assert child.stdin is not None
    with suppress(BrokenPipeError), child.stdin:
        child.stdin.write(json.dumps(profile).encode())
    return child


def doctor(name: str | None, overrides: list[str]) -> int:
    """Print what there is and what is missing, for one profile or for all. Returns 0 when the
    profile, or one of all, can be used."""
    if name is not None:
        check_name(name)
    known = group_options("llm")
    codes: list[int] = []
    for each in [name] if name is not None else known:
        print(f"llm={each}", flush=True)
        codes.append(_examine(each, overrides if name is not None else []))
    return min(codes)


def check_name(name: str) -> None:
    """Raises Refused where there is no such profile."""
    known = group_options("llm")
    if name not in known:
        raise Refused(f"there is no llm `{name}`{instead(name, known)}")


class Lacking(NamedTuple):
    """Why a profile cannot be used on this machine."""

    sentence: str  # short
    invalid: bool  # the profile itself, as the overrides make it: no machine could use it


def lacking(name: str, overrides: list[str]) -> Lacking | None:
    """What a profile lacks on this machine; None where it can be used."""
    try:
        profile = _composed(name, overrides)
    except Refused as refused:
        return Lacking(refused.sentence, invalid=True)
    done = _doctored(profile, stdout=subprocess.PIPE)
    if done.returncode == 0:
        return None
    lines = done.stdout.decode(errors="replace").splitlines()
    missing = [line.removeprefix(_NOT) for line in lines if line.startswith(_NOT)]
    abouts = [line.partition(":")[0] for line in missing]
    if abouts == [_PROFILE]:
        return Lacking(missing[0].removeprefix(f"{_PROFILE}: "), invalid=True)
    if len(missing) == 1 and len(missing[0]) <= _SHORT:
        return Lacking(missing[0], invalid=False)
    about = ", ".join(abouts) or "something"
    more = f"`rlgpt llm doctor {name}` has more"
    return Lacking(f"not here as it needs them: {about} ({more})", invalid=False)


def _examine(name: str, overrides: list[str]) -> int:
    try:
        profile = _composed(name, overrides)
    except Refused as refused:
        print(f"{_NOT}{_PROFILE}: {refused.sentence}", flush=True)
        return 1
    return _doctored(profile).returncode


def _doctored(
    profile: dict[str, Any], stdout: int | None = None
) -> "subprocess.CompletedProcess[bytes]":
    # In a process of its own: rlgpt does not import nodes.
    return subprocess.run(
        python("nodes.common.running.command", "nodes.llm.doctor"),
        input=json.dumps(profile).encode(),
        stdout=stdout,
        check=False,
    )


def _composed(name: str, overrides: list[str]) -> dict[str, Any]:
    return compose_launch(_ANY, [f"llm={name}", *overrides])["llm"]
