"""``rlgpt keys``: makes the keys of a launch whose nodes are on several machines, and prints what
to copy where."""

import os
from pathlib import Path

from messages.bus.errors import AddressError
from messages.bus.network.address import read_hosts
from messages.bus.network.curve import TOOLS, make_keys
from messages.bus.network.key_files import NEW_ONES, PUBLIC, SECRET, check_folder
from nodes.config import key_folder
from rlgpt.composing.configuration import Stack, check
from rlgpt.launching.machines import LAUNCHER, PAGE
from rlgpt.refused import Refused


def keys(name: str, overrides: list[str]) -> int:
    """Make a key pair for every node of a launch, for its launcher and for the tools."""
    from rlgpt.composing.composition import compose_launch  # Hydra: only where it is needed

    data = compose_launch(name, overrides)
    stack = check({**data, "run": str(data.get("run"))}, name)
    hosts = read_hosts(stack.hosts)
    if not hosts:
        raise Refused(
            f"{name} names no hosts: all its nodes are on one machine and need no keys; "
            f"put those that are elsewhere into its `hosts` ({PAGE})"
        )
    folder = _folder(stack, data.get("run"))
    names = [*stack.nodes, LAUNCHER, TOOLS]
    _check(folder, names)
    made = [each for each in names if not (folder / f"{each}{SECRET}").exists()]
    try:
        make_keys(folder, made)
    except AddressError as error:
        raise Refused(str(error)) from None
    except OSError as error:
        where = error.filename or folder
        raise Refused(f"the keys cannot be written to {where}: {error.strerror}") from None
    shown = os.path.relpath(folder)
    print(f"made {len(made)} key pairs in {shown}")
    machines: dict[str, list[str]] = {}
    for node, host in hosts.items():
        machines.setdefault(host.host, []).append(node)
    for machine, nodes in machines.items():
        print(f"to the machine {machine}, for {' and '.join(nodes)}, copy by a way that you trust")
        print(f"    {shown}/*.key")
        for node in nodes:
            print(f"    {shown}/{node}.key_secret")
    print("a secret key is for this machine and that of its node, and for no other")
    return 0


def _folder(stack: Stack, run: object) -> Path:
    """Where the launch will look for its keys."""
    if run is None and (not stack.keys or not Path(stack.keys).is_absolute()):
        if not stack.keys or Path(stack.keys).parts[0] != "..":
            raise Refused(
                "the keys would be in a run folder that there is not yet: put them beside it with "
                "keys=../keys, or name it with run=PATH"
            )
        run = "runs/any"
    base = Path(os.path.expanduser(str(run))).absolute()
    return key_folder(base, stack.keys) or base / "keys"


def _check(folder: Path, names: list[str]) -> None:
    """Raises Refused rather than make a second key for a node, or others beside damaged ones."""
    public = {each for each in names if (folder / f"{each}{PUBLIC}").exists()}
    secret = {each for each in names if (folder / f"{each}{SECRET}").exists()}
    if secret == set(names) == public:
        raise Refused(
            f"{folder} has the keys of all these nodes; delete it to make new ones, "
            "which every machine then needs"
        )
    if copies := sorted(public - secret):
        raise Refused(
            f"{folder} has the public key of {copies[0]} without the secret one: if it is a copy "
            "for one machine, make keys where the first ones were made; if the secret key is lost "
            f"there too, {NEW_ONES}"
        )
    try:
        check_folder(folder, sorted(secret), sorted(secret))
    except AddressError as error:
        raise Refused(str(error)) from None
