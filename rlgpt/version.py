"""``rlgpt --version``: the package's version, and the commit of the checkout that it runs from."""

import argparse
from typing import Any


def words() -> str:
    """``rlgpt 0.3.0 (commit 1a2b3c4d5e6f, changed since)``"""
    # Every command imports this module; only this one needs the rest.
    from importlib.metadata import PackageNotFoundError, version

    from nodes.common.running.commit import current_commit

    try:
        number = version("rlgpt")
    except PackageNotFoundError:
        number = "(not installed)"
    commit = current_commit()
    if commit is None:
        return f"rlgpt {number}"
    digits, _, changed = commit.partition("-")
    return f"rlgpt {number} (commit {digits[:12]}{changed and ', changed since'})"


class Version(argparse.Action):
    """Prints it, and ends. Git is asked only then."""

    def __call__(self, parser: argparse.ArgumentParser, *rest: Any) -> None:
        print(words())
        parser.exit()
