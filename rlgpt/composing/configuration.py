"""The fields of a composed launch: the shape of ``config.yaml`` in a run folder."""

import importlib.util
import re
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from messages.bounds import Amount, NotNegative, Positive
from messages.bus import AddressError
from messages.bus.network.address import read_hosts
from messages.plan import Limits
from messages.training import TrainingSpec
from messages.world import JUDGED, Condition, Task
from nodes.common.running.process import python
from nodes.common.storage.whole_files import write_whole
from nodes.common.storage.yaml_numbers import written_yaml
from nodes.config import ENV_SERVER, ConfigError, read_config, read_parameters
from rlgpt.composing.conversion import complaint
from rlgpt.refused import Refused, did_you_mean, instead

LARGEST_SEED = 1_000_000_000
"""A run's seed stands for a million of the worlds'."""

RUN_NAME = re.compile(r"\w[^/]*")
"""A run folder's name begins with it, which commands take as a word and `rlgpt runs` looks for in
one folder."""
NODE_NAME = re.compile(r"[a-z][a-z0-9_]*")
TAKEN = ("bags", "films", "keys", "s")
"""Folders of a run folder that are no node's."""
_NUL, _HALF = re.compile("\0"), re.compile("[\ud800-\udfff]")


# The messages' own types ignore unknown fields, so that old and new nodes understand each other. In
# a launch file an unknown field is a typing error.
class StrictCondition(Condition, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A success condition as a launch file writes it."""

    quantity: Positive = 1


class StrictTask(Task, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A task as a launch file writes it."""

    # A file has to name one; the message's default is for a goal in words.
    success: StrictCondition  # pyright: ignore[reportIncompatibleVariableOverride, reportGeneralTypeIssues]
    horizon: Positive = 1000


class StrictLimits(Limits, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits as a launch file writes them."""


class MineClip(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The user's files of MineCLIP; the env server checks them."""

    weights: str | None = None  # seen from the run folder; None: no MineCLIP
    device: str = "cpu"


class Restart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often a node that ended on its own is started again: at most ``max`` times within
    ``window`` seconds, after ``backoff`` seconds that double each time. A ready node that has
    published no heartbeat for ``hang`` seconds is killed first; 0: it is never killed."""

    max: NotNegative = 8
    window: Amount = 60.0
    backoff: Amount = 0.2
    hang: Amount = 0.0


class Resources(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a node needs of its host, with ``engine=ray``: cores, GPUs, and ``others``, which are
    names that the cluster's hosts were started with."""

    cpus: NotNegative = 1
    gpus: NotNegative = 0
    others: dict[str, Positive] = {}


class NodePlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One node of a launch. ``module`` is what ``python -m`` is given, ``nodes.<name>`` unless
    the launch file has another; ``patience`` is how many seconds it may take to get ready.
    ``kind_of``: it is another one of this node, under its own name (`replicas.py`); the launch goes
    on without it where it cannot be started."""

    parameters: dict[str, Any] = {}
    after: list[str] = []
    restart: Restart = Restart()
    module: str | None = None
    patience: Annotated[float, msgspec.Meta(gt=0)] = 600.0
    kind_of: Literal["env_server"] | None = None  # of a further env server
    resources: Resources | None = None


class Stack(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole launch. Without a task there is no goal: the nodes run until they are stopped."""

    name: str
    run: str
    seed: Annotated[int, msgspec.Meta(ge=0, le=LARGEST_SEED)] = 0
    task: StrictTask | None = None
    training: TrainingSpec | None = None  # what is trained, where that is all: `rlgpt train`
    limits: StrictLimits = StrictLimits()
    world: dict[str, Any] = {}
    llm: dict[str, Any] = {}
    learner: dict[str, Any] = {}
    skills: str | None = None  # folder of the skill library, seen from the run folder
    mineclip: MineClip | None = None
    hosts: dict[str, Any] = {}
    keys: str | None = None  # folder of the CURVE keys, seen from the run folder; None: its keys/
    engine: Literal["local", "ray"] = "local"  # what starts nodes on other hosts (docs/ray.md)
    # A goal that the rulebook has no plan for; where it counts, it is played as one not reached.
    unplanned: Literal["refused", "counted"] = "refused"
    bag: bool | Literal["snapshot"] = False  # whether its messages are recorded (docs/bags.md)
    nodes: dict[str, NodePlan]

    def module(self, node: str) -> str:
        plan = self.nodes[node]
        return plan.module or f"nodes.{plan.kind_of or node}"

    @property
    def env_servers(self) -> list[str]:
        """The names of all env servers, if there are any."""
        return [n for n, plan in self.nodes.items() if ENV_SERVER in (n, plan.kind_of)]

    def command(self, node: str, run: Path) -> list[str]:
        """What starts the node."""
        named = ["--name", node] if self.nodes[node].kind_of else []
        return python(self.module(node), "--run", str(run), *named)

    def check_node(self, node: str) -> None:
        """Raises Refused where there is no such node."""
        if node not in self.nodes:
            raise Refused(f"there is no node `{node}`{instead(node, self.nodes)}")

    def order(self) -> list[str]:
        """The nodes so that each comes after those it waits for, else as the launch file has them.
        Raises Refused on a circle."""
        ordered: list[str] = []
        left = list(self.nodes)
        while left:
            free = next((n for n in left if not set(self.nodes[n].after) & set(left)), None)
            if free is None:
                circle = self._circle(left)
                if len(circle) == 1:
                    raise Refused(f"the node {circle[0]} waits for itself (`after`)")
                raise Refused(f"the nodes {', '.join(circle)} wait for each other (`after`)")
            ordered.append(free)
            left.remove(free)
        return ordered

    def _circle(self, left: list[str]) -> list[str]:
        """Nodes of ``left`` of which each waits for the next one, and the last one for the first.
        Each of ``left`` waits for another of them, or for itself."""
        chain = [left[0]]
        while (following := next(n for n in self.nodes[chain[-1]].after if n in left)) not in chain:
            chain.append(following)
        return chain[chain.index(following) :]


def check(data: Any, source: str) -> Stack:
    """The launch in ``data``; error sentences name ``source``. Raises Refused."""
    try:
        stack = msgspec.convert(data, Stack)
    except msgspec.ValidationError as error:
        raise Refused(f"{source}: {_complaint(str(error), data)}") from None
    if not RUN_NAME.fullmatch(stack.name) or not stack.name.isprintable():
        raise Refused(
            f"{source}: name={stack.name!r} cannot be in the name of a run folder: give one "
            "without `/` that begins with a letter or a digit"
        )
    for name, node in stack.nodes.items():
        if not NODE_NAME.fullmatch(name) or name == "launcher":
            raise Refused(f"{source}: a node cannot be called `{name}`; use a-z, 0-9 and _")
        if name in TAKEN:
            raise Refused(
                f"{source}: a node cannot be called `{name}`: a run folder has something "
                "else of that name"
            )
        for other in node.after:
            if other not in stack.nodes:
                hint = did_you_mean(other, stack.nodes)
                raise Refused(f"{source}: {name} starts after `{other}`, which is no node{hint}")
        _find_module(stack, name, source)
    stack.order()
    _check_hosts(stack, source)
    for wrong, why in (
        (_NUL, "a NUL character, which no path has"),
        (_HALF, "half of a surrogate pair, which is no character"),
    ):
        if place := _where(wrong, data):
            raise Refused(f"{source}: `{place}` has {why}: remove it")
    return stack


def check_task(stack: Stack, source: str) -> None:
    """Raises Refused for a task that cannot be played: an unknown game, one that cannot be loaded
    or whose package is not installed where the env server runs, an unknown item, block, mob or
    biome, a world of another game, a method whose rules the game does not have. Called before a
    node is started."""
    # The rules of the game are imported only here: commands that look into a run do not need them.
    from nodes.common.checks.rule_file import BOOK
    from nodes.common.checks.task_check import (
        missing_package,
        play_problem,
        prompt_problem,
        rule_file_problem,
        task_problem,
        world_problem,
    )
    from nodes.common.parameters.vision import judging_problem

    if stack.task is None:
        return
    if problem := task_problem(stack.task):
        raise Refused(f"{source}: task.{problem}")
    if problem := world_problem(stack.task, str(stack.world.get("kind", ""))):
        raise Refused(f"{source}: {problem}")
    if stack.llm.get("kind") == "rulebook" and (problem := prompt_problem(stack.task)):
        raise Refused(f"{source}: prompt: {problem}")
    if stack.task.success.kind == JUDGED:
        nodes = {name: {"parameters": node.parameters} for name, node in stack.nodes.items()}
        if problem := judging_problem({"nodes": nodes, "llm": stack.llm}):
            raise Refused(f"{source}: task {stack.task.id}: {problem}")
    rules = stack.llm.get("rules", BOOK if stack.llm.get("kind") == "rulebook" else None)
    if isinstance(rules, str) and (problem := rule_file_problem(stack.task.game, rules)):
        raise Refused(f"{source}: llm.rules: {problem}")
    here = "env_server" in stack.nodes and "env_server" not in stack.hosts
    if here and (problem := missing_package(stack.task) or play_problem(stack.task)):
        raise Refused(f"{source}: task.{problem}")


def check_samples(stack: Stack, source: str) -> None:
    """Raises Refused for a goal whose samples are too few for its first episodes. Called before a
    node is started."""
    from nodes.common.goals.budget import too_few  # which brings the node's base along

    if stack.task is None or "planner" not in stack.nodes:
        return
    samples = stack.nodes["planner"].parameters.get("samples") or stack.limits.samples
    if isinstance(samples, int) and (problem := too_few(samples, stack.task)):
        raise Refused(f"{source}: {problem.removesuffix('.')}")


def check_plan(stack: Stack, source: str) -> None:
    """Raises Refused for a goal that is planned by the rulebook, where its rules know no way to it
    and the launch does not count that as its result. Called before a node is started."""
    # They import the rules of the game.
    from nodes.common.checks.rule_file import BOOK
    from nodes.common.checks.task_check import plan_problem

    planned = "planner" in stack.nodes and stack.nodes["planner"].parameters.get("plan", True)
    if stack.task is None or not planned or stack.llm.get("kind") != "rulebook":
        return
    rules = str(stack.llm.get("rules") or BOOK)
    if stack.unplanned == "refused" and (problem := plan_problem(stack.task, rules)):
        raise Refused(
            f"{source}: {'prompt' if stack.task.lacks_success else 'task.success'}: {problem}"
        )


def check_parameters(stack: Stack, source: str) -> None:
    """Raises Refused for a parameter of the learner that there is not, or whose value does not fit.
    Called before a node is started. Those of other nodes are declared in their own folders, which
    the launcher does not import: they check them when they start."""
    # PPO's parameters bring the node's base along; commands that look into a run do not need it.
    from nodes.common.parameters.hyperparameters import Hyperparameters

    for name, plan in stack.nodes.items():
        if stack.module(name) != "nodes.learner":
            continue
        try:
            read_parameters(Hyperparameters, plan.parameters, f"nodes.{name}.parameters")
        except ConfigError as error:
            raise Refused(f"{source}: {error}") from None


def _check_hosts(stack: Stack, source: str) -> None:
    try:
        hosts = read_hosts(stack.hosts)
    except AddressError as error:
        raise Refused(f"{source}: {error}") from None
    known = [*stack.nodes, "launcher"]  # which is a peer too
    taken: dict[tuple[str, int], str] = {}
    for node, host in hosts.items():
        if node not in known:
            raise Refused(f"{source}: hosts: there is no node `{node}`{instead(node, known)}")
        machine = "127.0.0.1" if host.host == "localhost" else host.host
        for port in (host.port, host.port + 1):
            other = taken.setdefault((machine, port), node)
            if other != node:
                raise Refused(
                    f"{source}: hosts: {other} and {node} both want port {port} of {host.host}; "
                    "a node takes its port and the one after it, for its topics"
                )


def _where(wrong: re.Pattern[str], data: Any, place: str = "") -> str:
    """The first setting with such a character in it; a node would find out only when it opens or
    sends it."""
    if isinstance(data, str):
        return place if wrong.search(data) else ""
    inner: list[tuple[Any, Any]] = []
    if isinstance(data, dict):
        inner = [(f"{place}.{key}" if place else str(key), each) for key, each in data.items()]
    elif isinstance(data, list):
        inner = [(place, each) for each in data]
    return next((found for where, each in inner if (found := _where(wrong, each, where))), "")


def _find_module(stack: Stack, name: str, source: str) -> None:
    module = stack.module(name)
    # A launch may name modules of the folder that it is started in; nodes/start.py finds them last.
    if "" not in sys.path:
        sys.path.append("")
    try:
        found = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        found = None
    if found is not None and found.submodule_search_locations is not None:
        folders = [Path(folder) for folder in found.submodule_search_locations]
        if not any((folder / "__main__.py").is_file() for folder in folders):
            raise Refused(f"{source}: the node `{name}` cannot be run: {module} has no __main__.py")
    if found is None:
        others = [n for n in stack.nodes if n != name]
        hint = did_you_mean(name, others) or f"; there are {', '.join(others)}"
        raise Refused(f"{source}: there is no node `{name}` (no module {module}){hint}")


def _complaint(error: str, data: Any) -> str:
    """msgspec's message as a sentence about the launch file."""
    if error.startswith("Expected") and " - at " not in error:
        return "it is no launch: it should be a mapping of names to values"
    return complaint(error, Stack, data)


def read(run: Path) -> dict[str, Any]:
    """The launch of an existing run folder as it is written there. Raises Refused."""
    try:
        return read_config(run)
    except ConfigError as error:
        raise Refused(str(error)) from None


def load(run: Path) -> Stack:
    """The launch of an existing run folder. Raises Refused."""
    return check(read(run), str(run / "config.yaml"))


def save(stack: dict[str, Any], run: Path) -> None:
    """Write the composed launch to ``run``, all of it or nothing."""
    write_whole(run / "config.yaml", written_yaml(stack).encode())
