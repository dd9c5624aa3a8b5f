"""``rlgpt llm doctor``: whether the language-model profiles can be used on this machine."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from rlgpt.composition import CHECKOUT, compose_launch, launch_folders
from rlgpt.refused import Refused, near

_ANY = "harvest_log"  # a launch file to compose a profile with


def doctor(name: str | None, overrides: list[str]) -> int:
    """Print what there is and what is missing, for one profile or for all. Returns 0 when the
    profile, or one of all, can be used."""
    known = _profiles()
    if name is not None and name not in known:
        there = ", ".join(known)
        raise Refused(f"there is no llm `{name}`{near(name, known)} (there are: {there})")
    codes: list[int] = []
    for each in [name] if name is not None else known:
        print(f"llm={each}", flush=True)
        codes.append(_examine(each, overrides if name is not None else []))
    return min(codes)


def _examine(name: str, overrides: list[str]) -> int:
    try:
        profile = _composed(name, overrides)
    except Refused as refused:
        print(f"  NOT profile: {refused.sentence}", flush=True)
        return 1
    # In a process of its own: the face does not import nodes.
    return subprocess.run(
        [sys.executable, "-m", "nodes.llm.doctor"],
        input=json.dumps(profile).encode(),
        check=False,
    ).returncode


def _composed(name: str, overrides: list[str]) -> dict[str, Any]:
    return compose_launch(_ANY, [f"llm={name}", *overrides])["llm"]


def _profiles() -> list[str]:
    folders: list[Path] = [*(folder / "llm" for folder in launch_folders())]
    folders.append(CHECKOUT / "models" / "llm")
    return list(dict.fromkeys(p.stem for f in folders for p in sorted(f.glob("*.yaml"))))
