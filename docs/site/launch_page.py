"""The page of launch keys: what may stand in a launch file and on the command line behind it."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from docs.site.fields import cell, fields, prose, table
from docs.site.staged_pages import ROOT
from messages.plan import Limits
from messages.world import Condition, Task
from nodes.llm import profiles
from nodes.node import Node
from rlgpt.composing.composition import compose_launch, group_options
from rlgpt.composing.configuration import MineClip, NodePlan, Stack

GROUPS = ("task", "world", "llm", "learner", "nodes", "method", "table")
NODES = ("env_server", "llm", "learner", "critic", "fast_agent", "slow_agent", "planner")
FILES = ("harvest_log", "goal", "diamond", "crafter", "train")
_COMMENT = re.compile(r"^(?P<indent> *)(?P<key>[\w.]+):(?P<value>[^#]*)(?:#\s*(?P<note>.*))?$")


def node_class(name: str) -> type[Node]:
    module = importlib.import_module(f"nodes.{name}.{name}")
    return next(
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Node)
        and value.__module__ == module.__name__
    )


def keys(name: str) -> dict[str, Any]:
    """Every key of a launch file once it is composed, with its value: ``limits.iterations``."""
    return dict(_flat(compose_launch(name, ["task.id=harvest_1_log"] if name == "goal" else [])))


def page() -> str:
    """Markdown."""
    parts = [
        "# Launch keys\n",
        "What a launch file may hold, and what may be overridden behind `rlgpt launch NAME`: "
        "`key=value`, `group=option`, `+key=value` for what the file does not mention, `~key` for "
        "what is to be left out. Made from the code and the launch files. "
        "[Launching](../launching.md) explains them.\n",
        "## The whole file\n",
        table(Stack),
        "### limits\n",
        table(Limits),
        "### task\n",
        table(Task),
        "### task.success\n",
        table(Condition),
        "### mineclip\n",
        table(MineClip),
        "### nodes.NODE\n",
        "`NODE` is any of " + ", ".join(f"`{name}`" for name in NODES) + ", or one of your own.\n",
        table(NodePlan),
        "`env_server` also has `replicas`, how many env servers there are, 1 to 64: "
        "[several env servers](../several_env_servers.md). The further ones have `kind_of` in the "
        "run's `config.yaml`.\n",
        "## Groups\n",
        "| group | options |\n|---|---|",
        "\n".join(
            f"| `{group}` | {', '.join(f'`{option}`' for option in group_options(group))} |"
            for group in GROUPS
        )
        + "\n",
        "## Parameters of the nodes\n",
        "`nodes.NODE.parameters.KEY`. Those of the learner are the group `learner` as well: "
        "`learner.environments=32`. *live*: `rlgpt param set NODE KEY=VALUE` changes it while the "
        "node runs.\n",
    ]
    for name in NODES:
        parts += [f"### nodes.{name}.parameters\n", _parameters(node_class(name))]
    parts += ["## Language-model profiles\n", "`llm=NAME` takes one of `models/llm/`, "
              "`llm.KEY=VALUE` changes a key of it.\n"]  # fmt: skip
    for kind in (profiles.Rulebook, profiles.Replay, profiles.OpenAI, profiles.Vllm):
        parts += [f"### {_kind(kind)}\n", table(kind)]
    parts += ["## Launch files, composed\n", "The keys that each has, with their values.\n"]
    for name in FILES:
        parts += [f"### {name}\n", _composed(name)]
    return "\n".join(parts)


def _kind(kind: type[msgspec.Struct]) -> str:
    return f"llm.kind={msgspec.inspect.type_info(kind).tag}"  # type: ignore[union-attr]


def _parameters(kind: type[Node]) -> str:
    rows = [
        f"| `{each.name}` | `{cell(each.kind)}` | `{cell(each.default)}` | "
        f"{'*live* ' if each.name in kind.live else ''}{prose(each.note)} |"
        for each in fields(kind.Parameters)
    ]
    if not rows:
        return "None.\n"
    return "\n".join(["| key | type | default | |", "|---|---|---|---|", *rows, ""])


def _composed(name: str) -> str:
    notes = _notes(ROOT / "launch" / f"{name}.yaml")
    rows = [
        f"| `{key}` | `{cell(msgspec.json.encode(value, enc_hook=str).decode())}` | "
        f"{prose(notes.get(key, ''))} |"
        for key, value in keys(name).items()
    ]
    return "\n".join(["| key | value | |", "|---|---|---|", *rows, ""])


def _notes(path: Path) -> dict[str, str]:
    """The comments behind the keys of a launch file."""
    found: dict[str, str] = {}
    above: list[tuple[int, str]] = []
    for line in path.read_text("utf-8").splitlines():
        if (match := _COMMENT.match(line)) is None:
            continue
        indent = len(match["indent"])
        above = [(n, key) for n, key in above if n < indent]
        above.append((indent, match["key"]))
        if match["note"]:
            found[".".join(key for _, key in above)] = match["note"]
    return found


def _flat(value: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _flat(inner, f"{before}.{key}" if before else str(key))
    else:
        yield before, value
